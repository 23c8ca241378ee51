#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sonde/formats.h"
#include "sonde/json_table.h"
#include "sonde/speedscope.h"
#include "tests/support/random_profile.h"
#include "tests/support/text_of.h"

namespace sonde {
namespace {

using testing::HasSubstr;

std::string SpeedscopeOf(const Profile& profile) {
  StringSink sink;
  const FrameNames names(profile);
  EXPECT_TRUE(WriteSpeedscope(names, "a \"title\"", sink).ok());
  return sink.text();
}

Profile Read(std::string_view text) {
  Result<Profile> profile = ReadProfile(text);
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message);
  return std::move(profile).value();
}

TEST(Speedscope, WhatWasWrittenReadsBackWithTheSameStacksAndTotals) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    const Profile profile = RandomProfile(seed);
    const std::string text = SpeedscopeOf(profile);
    EXPECT_EQ(Sniff(text), Format::kSpeedscope);
    const Profile back = Read(text);
    ASSERT_TRUE(std::ranges::equal(back.sample_types(), profile.sample_types()));
    EXPECT_EQ(back.default_sample_type(), profile.default_sample_type());
    for (std::size_t type = 0; type < 2; ++type) {
      EXPECT_EQ(FoldedOf(back, type), FoldedOf(profile, type)) << "seed " << seed;
    }
  }
}

TEST(Speedscope, AnyBytesInNamesGiveWellFormedJson) {
  ProfileBuilder builder({{"samples", "count"}});
  const LocationId frame = builder.FrameNamed("a\"\\\x01\xff</script>\n\xe2\x80\xa8");
  builder.AddSample(builder.Extend(kEmptyStack, frame), kNoLabels, {1});
  const std::string text = SpeedscopeOf(std::move(builder).Build());
  EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

constexpr const char* kEvented = R"({
  "$schema": "https://www.speedscope.app/file-format-schema.json",
  "shared": {"frames": [{"name": "a"}, {"name": "b", "file": "b.cc", "line": 3}]},
  "profiles": [{"type": "evented", "name": "main thread", "unit": "milliseconds",
    "startValue": 0, "endValue": 14, "events": [
      {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 2},
      {"type": "C", "frame": 1, "at": 5.5}, {"type": "C", "frame": 1, "at": 6},
      {"type": "O", "frame": 9, "at": 7}, {"type": "C", "frame": 0, "at": 10},
      {"type": "O", "frame": 1, "at": 12}]}]})";

TEST(Speedscope, EventsBecomeTheTimeBetweenThem) {
  const Profile profile = Read(kEvented);
  EXPECT_EQ(FoldedOf(profile), "a 6500000\na;b 3500000\nb 2000000\n");
  EXPECT_EQ(profile.sample_types()[0].unit, "nanoseconds");
  EXPECT_EQ(profile.losses().CountOf("bad event"), 2U);
  EXPECT_FALSE(profile.records().has_value());  // Of spans of time nobody tells samples.
  EXPECT_EQ(profile.text(profile.labels(profile.sample(0).labels)[0].text), "main thread");
  EXPECT_EQ(ReadProfile(kEvented, {.strict = true}).error().code, ErrorCode::kMalformed);
}

TEST(Speedscope, LimitsAreHeld) {
  EXPECT_TRUE(ReadProfile(kEvented, {.limits = {.records = 7, .stack_depth = 2}}).ok());
  EXPECT_EQ(ReadProfile(kEvented, {.limits = {.records = 6}}).error().code, ErrorCode::kLimit);
  EXPECT_EQ(ReadProfile(kEvented, {.limits = {.stack_depth = 1}}).error().code, ErrorCode::kLimit);
  EXPECT_EQ(ReadProfile(kEvented, {.limits = {.unique_frames = 1}}).error().code,
            ErrorCode::kLimit);
  EXPECT_EQ(ReadProfile(kEvented, {.limits = {.unique_stacks = 2}}).error().code,
            ErrorCode::kLimit);
}

TEST(Speedscope, WhatIsMissingIsNamed) {
  const auto message = [](const char* text) {
    return ReadProfile(text, {.format = Format::kSpeedscope}).error().message;
  };
  EXPECT_THAT(message("{"), HasSubstr("speedscope: "));
  EXPECT_THAT(message("[]"), HasSubstr("not an object"));
  EXPECT_THAT(message("{}"), HasSubstr("no profiles"));
  EXPECT_THAT(message(R"({"profiles": []})"), HasSubstr("no shared frames"));
}

TEST(ChromeTrace, SpansNestByTimeAndWeighWhatTheirChildrenLeave) {
  const Profile profile = Read(R"({"traceEvents": [
    {"ph": "X", "name": "b", "ts": 2, "dur": 3.5, "pid": 1, "tid": 2},
    {"ph": "X", "name": "a", "ts": 0, "dur": 10, "pid": 1, "tid": 2},
    {"ph": "B", "name": "c", "ts": 6, "pid": 1, "tid": 2},
    {"ph": "E", "ts": 7, "pid": 1, "tid": 2},
    {"ph": "X", "name": "a", "ts": 20, "dur": 1, "pid": 1, "tid": 3},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "main"}},
    {"ph": "i", "name": "mark", "ts": 3, "pid": 1, "tid": 2},
    {"ph": "E", "ts": 8, "pid": 9, "tid": 9},
    {"ph": "B", "name": "open", "ts": 9, "pid": 9, "tid": 9}]})");
  EXPECT_EQ(FoldedOf(profile), "a 6500\na;b 3500\na;c 1000\n");
  EXPECT_EQ(profile.losses().CountOf("event without a duration"), 1U);
  EXPECT_EQ(profile.losses().CountOf("end without a beginning"), 1U);
  EXPECT_EQ(profile.losses().CountOf("beginning without an end"), 1U);
}

TEST(ChromeTrace, TheTimeOfAThreadIsCountedOnce) {
  const Profile profile = Read(R"([
    {"ph": "X", "name": "a", "ts": 0, "dur": 4, "pid": 1, "tid": 1},
    {"ph": "X", "name": "b", "ts": 0, "dur": 4, "pid": 1, "tid": 1},
    {"ph": "X", "name": "c", "ts": 3, "dur": 9, "pid": 1, "tid": 1},
    {"ph": "X", "name": "d", "ts": 5, "dur": 0, "pid": 1, "tid": 1},
    {"ph": "X", "name": "e", "ts": 6, "dur": 2, "pid": 1, "tid": 1}])");
  EXPECT_EQ(FoldedOf(profile), "a;b 3000\na;b;c 1000\ne 2000\n");
  EXPECT_EQ(profile.losses().CountOf("span outlasts its parent"), 1U);
}

TEST(JsonTable, HoldsTheFunctionsTotalsAndLosses) {
  const Profile profile = RandomProfile(3);
  StringSink sink;
  const FrameNames names(profile);
  ASSERT_TRUE(WriteJsonTable(names, 1, sink).ok());
  const nlohmann::json table = nlohmann::json::parse(sink.text());
  EXPECT_EQ(table["sample_type"], "cpu");
  EXPECT_EQ(table["sample_types"][0]["total"], profile.Total(0));
  EXPECT_EQ(table["records"], profile.records().value_or(0));
  EXPECT_EQ(table["losses"].size(), profile.losses().entries().size());
  std::int64_t self = 0;
  for (const nlohmann::json& function : table["functions"])
    self += function["self"].get<std::int64_t>();
  std::int64_t with_stack = 0;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    if (profile.sample(i).stack != kEmptyStack) with_stack += profile.value(i, 1);
  }
  EXPECT_EQ(self, with_stack);
}

TEST(Formats, OnlyRecordingsCanBeCutByTime) {
  const Result<Profile> profile = ReadProfile("a;b 1\n", {.format = Format::kFolded, .from_ns = 5});
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sonde
