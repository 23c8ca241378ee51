#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sonde/analysis.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

using nlohmann::json;

json Document() {
  const Result<Analysis> analysis =
      AnalyzeBytes("main;leaf 3\nmain;other 4\nmain 1\n", {.format = "folded"});
  EXPECT_TRUE(analysis.ok());
  return ToJson(analysis.value());
}

struct Falsehood {
  std::string pointer;  // What is changed, as RFC 6901 names it.
  json value;
  std::string place;  // What the error names.
};

TEST(AnalysisCheck, AContradictionIsRefusedWithItsPlace) {
  ASSERT_TRUE(AnalysisFromJson(Document()).ok());
  for (const Falsehood& falsehood : std::vector<Falsehood>{
           {"/analysis_id", "analysis-0000000000000000", "analysis_id"},
           {"/status", "failed", "failed"},
           {"/metadata/parse_statistics/malformed_records", 1U, "complete"},
           {"/metadata/parse_statistics/warning_count", 1U, "complete"},
           {"/metadata/total_weight", 7, "hotspots[0]"},
           {"/metadata/sample_count", 2U, "hotspots[2]"},
           {"/metadata/unresolved_self_percent", 101, "unresolved_self_percent"},
           {"/hotspots/0/self_weight", 5, "hotspots[0]"},
           {"/hotspots/0/inclusive_weight", 3, "hotspots[0]"},
           {"/hotspots/0/self_percent", 12.5, "hotspots[0]"},
           {"/hotspots/1/hotspot_id", "H-001", "hotspots[1]"},
           {"/hotspots/1/symbol", "other", "hotspots[1]"},
           {"/hotspots/2/stack_occurrence_count", 2U, "hotspots[2]"},
           {"/hotspots/1/top_callers/0/weight", 4, "hotspots[1]"},
           {"/call_paths/0/path_id", "P-002", "call_paths[0]"},
           {"/call_paths/0/frames", json::array(), "call_paths[0]"},
           {"/call_paths/1/frames/1/symbol", "elsewhere", "call_paths[1] goes through"},
           {"/call_paths/1/frames/1/symbol", "other", "call_paths[1] stands there twice"},
           {"/call_paths/2/record_count", 9U, "call_paths[2]"},
           {"/call_paths/2/percent", 99, "call_paths[2]"}}) {
    json value = Document();
    value.at(json::json_pointer(falsehood.pointer)) = falsehood.value;
    const Result<Analysis> read = AnalysisFromJson(value);
    ASSERT_FALSE(read.ok()) << falsehood.pointer;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalid);
    EXPECT_NE(read.error().message.find(falsehood.place), std::string::npos)
        << falsehood.pointer << ": " << read.error().message;
  }
}

TEST(AnalysisCheck, SumsMayNotExceedTheTotal) {
  // Each figure is possible by itself.
  json value = Document();
  for (const char* spot : {"/hotspots/1", "/hotspots/0"}) {
    json& hotspot = value.at(json::json_pointer(spot));
    for (const char* kind : {"self", "inclusive"}) {
      hotspot[std::string(kind) + "_weight"] = 6;
      hotspot[std::string(kind) + "_percent"] = 75.0;
    }
  }
  Result<Analysis> read = AnalysisFromJson(value);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("hotspots[1] brings the sum"), std::string::npos);

  value = Document();
  for (json& path : value["call_paths"]) {
    path["weight"] = 4;
    path["percent"] = 50.0;
  }
  read = AnalysisFromJson(value);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("call_paths[2] brings the sum"), std::string::npos);
}

TEST(AnalysisCheck, AnEventHasOneSection) {
  json value = Document();
  json other = value["metadata"];
  for (const char* key :
       {"schema_version", "profile_id", "aggregation_semantics", "source_type", "input_path",
        "input_sha256", "created_at", "has_call_graph", "has_source_lines", "parse_statistics"}) {
    other.erase(key);
  }
  other["hotspots"] = value["hotspots"];
  other["call_paths"] = value["call_paths"];
  other["event"] = "cycles";
  value["other_events"].push_back(other);
  ASSERT_TRUE(AnalysisFromJson(value).ok());
  value["other_events"].push_back(other);
  const Result<Analysis> read = AnalysisFromJson(value);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("other_events[1]"), std::string::npos);
}

// A sample type that stands there twice, and values of both signs, whatever of it is put out.
TEST(AnalysisCheck, WhatIsAnalysedReadsBack) {
  for (const std::uint64_t most : {1, 2, 100}) {
    ProfileBuilder builder({{"cpu", "count"}, {"cpu", "count"}});
    const StackId main = builder.Extend(kEmptyStack, builder.FrameNamed("main"));
    const StackId leaf = builder.Extend(main, builder.FrameNamed("leaf"));
    const StackId deep = builder.Extend(leaf, builder.FrameNamed("deep"));
    builder.AddSample(main, kNoLabels, {INT64_MAX, 4});
    builder.AddSample(leaf, kNoLabels, {INT64_MAX, 9});
    builder.AddSample(deep, kNoLabels, {5, -8});
    const Profile profile = std::move(builder).Build();
    AnalysisOptions options{.format = "pprof"};
    options.limits.max_hotspots_output = most;
    options.limits.max_call_paths_output = most;
    const Result<Analysis> analysis = AnalyzeProfile(profile, options);
    ASSERT_TRUE(analysis.ok());
    const Result<Analysis> back = AnalysisFromJson(ToJson(analysis.value()));
    EXPECT_TRUE(back.ok()) << back.error().message;
    EXPECT_NE(analysis.value().others[0].event, analysis.value().main.event);
  }
}

}  // namespace
}  // namespace sonde
