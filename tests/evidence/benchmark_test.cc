#include "sonde/benchmark.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sonde/artifact.h"
#include "sonde/benchmark_comparison.h"

namespace sonde {
namespace {

Benchmark Normalized(std::string_view bytes, const BenchmarkOptions& options = {}) {
  Result<Benchmark> benchmark = NormalizeBenchmark(bytes, options);
  EXPECT_TRUE(benchmark.ok()) << benchmark.error().message;
  return std::move(benchmark).value();
}

TEST(Benchmark, HyperfineGivesWallTimeMemoryAndCountsSignalsAsErrors) {
  const Benchmark benchmark = Normalized(R"({"results":[{"command":"./run","times":[0.9,1.0,1.1],
    "user":0.8,"system":0.1,"memory_usage_byte":[100,200,300],"exit_codes":[0,null,3]}]})");
  EXPECT_EQ(benchmark.name, "./run");
  EXPECT_EQ(benchmark.repetitions, 3U);
  EXPECT_EQ(benchmark.metrics.at("wall_time").unit, "seconds");
  EXPECT_EQ(benchmark.metrics.at("peak_memory").values, (std::vector<double>{100, 200, 300}));
  EXPECT_EQ(benchmark.error_count, 2U);
  EXPECT_EQ(ToJson(benchmark)["metrics"]["wall_time"]["median"], 1.0);
}

TEST(Benchmark, PyperfLeavesOutCalibrationRunsAndFindsTheHoistedName) {
  const Benchmark benchmark = Normalized(R"({"version":"1.0",
    "metadata":{"name":"parse","unit":"second","cpu_count":8},
    "benchmarks":[{"runs":[{"warmups":[[1,0.5]]},{"values":[1.0,1.1]},{"values":[1.2,1.3]}]}]})");
  EXPECT_EQ(benchmark.name, "parse");
  EXPECT_EQ(benchmark.repetitions, 4U);
  EXPECT_EQ(benchmark.environment["cpu_count"], 8);
  EXPECT_EQ(benchmark.metrics.at("value").unit, "seconds");
}

TEST(Benchmark, GoogleBenchmarkBringsTimesToOneUnitAndKeepsCounters) {
  const Benchmark benchmark = Normalized(R"({"context":{"num_cpus":4},"benchmarks":[
    {"run_name":"BM_Copy","run_type":"iteration","real_time":2.0,"cpu_time":1.0,"time_unit":"us",
     "bytes_per_second":10.0,"hits":3.0},
    {"run_name":"BM_Copy","run_type":"iteration","real_time":3000.0,"cpu_time":2000.0,
     "time_unit":"ns","bytes_per_second":12.0,"hits":4.0},
    {"run_name":"BM_Copy","error_occurred":true,"error_message":"no"},
    {"run_name":"BM_Copy","run_type":"aggregate","aggregate_name":"mean","real_time":9.0,
     "cpu_time":9.0,"time_unit":"us"}]})");
  EXPECT_EQ(benchmark.repetitions, 2U);
  EXPECT_NEAR(benchmark.metrics.at("real_time").values[1], 3.0, 1e-12);
  EXPECT_EQ(benchmark.metrics.at("real_time").unit, "us");
  EXPECT_TRUE(benchmark.metrics.at("bytes_per_second").higher_is_better);
  EXPECT_EQ(benchmark.metrics.at("hits").values, (std::vector<double>{3, 4}));
  EXPECT_EQ(benchmark.error_count, 1U);
}

TEST(Benchmark, AFileOfAggregatesAloneGivesTheMeanAndSaysSo) {
  const Benchmark benchmark = Normalized(R"({"context":{},"benchmarks":[
    {"run_name":"BM","run_type":"aggregate","aggregate_name":"mean","real_time":5.0,"cpu_time":4.0,
     "time_unit":"ns"},
    {"run_name":"BM","run_type":"aggregate","aggregate_name":"stddev","real_time":1.0,
     "cpu_time":1.0,"time_unit":"ns"}]})");
  EXPECT_EQ(benchmark.metrics.at("real_time").values, std::vector<double>{5});
  EXPECT_FALSE(benchmark.warnings.empty());
}

TEST(Benchmark, SeveralNamesAskForOneAndTheIdTellsThemApart) {
  const char* file = R"({"results":[{"command":"a","times":[1]},{"command":"b","times":[2]}]})";
  const Result<Benchmark> none = NormalizeBenchmark(file, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kInvalid);
  EXPECT_NE(none.error().message.find("select one"), std::string::npos);
  const Benchmark b = Normalized(file, {.benchmark_name = "b"});
  EXPECT_EQ(b.metrics.at("wall_time").values, std::vector<double>{2});
  EXPECT_NE(b.id, Normalized(file, {.benchmark_name = "a"}).id);
}

TEST(Benchmark, ResultsOfOneNameAreSelectedByTheirIndex) {
  for (const char* file :
       {R"({"results":[{"command":"a","times":[1]},{"command":"a","times":[2]}]})",
        R"({"version":"1.0","benchmarks":[{"metadata":{"name":"a"},"runs":[{"values":[1]}]},
            {"metadata":{"name":"a"},"runs":[{"values":[2]}]}]})"}) {
    for (const std::uint64_t index : {0, 3}) {
      const Result<Benchmark> none = NormalizeBenchmark(file, {.index = index});
      ASSERT_FALSE(none.ok()) << file;
      EXPECT_EQ(none.error().code, ErrorCode::kInvalid);
      EXPECT_NE(none.error().message.find("index"), std::string::npos) << none.error().message;
    }
    const Benchmark second = Normalized(file, {.index = 2});
    EXPECT_EQ(second.metrics.begin()->second.values, std::vector<double>{2});
    EXPECT_NE(second.id, Normalized(file, {.index = 1}).id);
  }
}

TEST(Benchmark, ValuesThatAreLeftOutAreTold) {
  const auto warned = [](std::string_view file, std::string_view of) {
    for (const std::string& warning : Normalized(file).warnings) {
      if (warning.find(of) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(warned(R"({"results":[{"command":"a","times":[1,2],"memory_usage_byte":[1]}]})",
                     "memory_usage_byte"));
  EXPECT_TRUE(warned(R"({"results":[{"command":"a","times":[1,2],"user":"0.8"}]})", "user"));
  EXPECT_TRUE(warned(R"({"results":[{"command":"a","times":[1,2],"exit_codes":[0]}]})", "exit"));
  constexpr std::string_view kRuns = R"({"context":{},"benchmarks":[
    {"name":"b","real_time":1,"cpu_time":1,"time_unit":"ns","first":1},
    {"name":"b","real_time":2,"time_unit":"ns","second":1}]})";
  for (const char* lost : {"cpu_time", "first", "second"}) EXPECT_TRUE(warned(kRuns, lost)) << lost;
  EXPECT_FALSE(warned(kRuns, "real_time"));
}

TEST(Benchmark, ValuesTooLargeForADeviationAreRefused) {
  const auto code = [](std::string_view file) {
    const Result<Benchmark> benchmark = NormalizeBenchmark(file, {});
    return benchmark.ok() ? ErrorCode::kInternal : benchmark.error().code;
  };
  EXPECT_EQ(code(R"({"context":{},"benchmarks":[{"name":"a","drift":1.7e308},
                     {"name":"a","drift":-1.7e308}]})"),
            ErrorCode::kInvalid);
  EXPECT_EQ(code(R"({"context":{},"benchmarks":[{"name":"a","real_time":1,"time_unit":"ns"},
                     {"name":"a","real_time":1e305,"time_unit":"s"}]})"),
            ErrorCode::kInvalid);
  // Large, but numbers: as are what is derived from them.
  const Benchmark large =
      Normalized(R"({"results":[{"command":"a","times":[1e308,1.2e308,1e308]}]})");
  EXPECT_EQ(ToJson(large).dump().find("null"), std::string::npos);
  EXPECT_EQ(ArtifactText(ToJson(Normalized(ArtifactText(ToJson(large))))),
            ArtifactText(ToJson(large)));
}

TEST(Benchmark, NoTimeAndNoSizeIsBelowNothing) {
  const auto says = [](std::string_view file) {
    const Result<Benchmark> benchmark = NormalizeBenchmark(file, {});
    return benchmark.ok() ? "" : benchmark.error().message;
  };
  EXPECT_EQ(says(R"({"results":[{"command":"a","times":[1,-1e-9]}]})"),
            "\"wall_time\" has a value below 0");
  EXPECT_EQ(says(R"({"results":[{"command":"a","times":[1],"memory_usage_byte":[-1]}]})"),
            "\"peak_memory\" has a value below 0");
  EXPECT_EQ(says(R"({"context":{},"benchmarks":[{"name":"a","cpu_time":-3,"time_unit":"us"}]})"),
            "\"cpu_time\" has a value below 0");
  EXPECT_EQ(says(R"({"context":{},"benchmarks":[{"name":"a","real_time":3,"drift":-3}]})"), "");
}

TEST(Benchmark, AnArtifactThatContradictsItselfIsRefused) {
  const nlohmann::json good =
      ToJson(Normalized(R"({"results":[{"command":"a","times":[1,2,4]}]})"));
  for (const auto& [pointer, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"/metrics/wall_time/mean", 2.5},
           {"/metrics/wall_time/median", 1},
           {"/metrics/wall_time/standard_deviation", 0},
           {"/metrics/wall_time/unit", 7},
           {"/metrics/wall_time/surprise", 7},
           {"/metrics/wall_time/higher_is_better", "no"},
           {"/repetitions", 2}}) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    const Result<Benchmark> read = NormalizeBenchmark(bad.dump(), {});
    ASSERT_FALSE(read.ok()) << pointer;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalid);
    EXPECT_NE(read.error().message.find("wall_time"), std::string::npos) << read.error().message;
  }
}

TEST(Benchmark, WhatIsNoBenchmarkIsRefused) {
  EXPECT_EQ(NormalizeBenchmark(R"({"value":1})", {}).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(NormalizeBenchmark("[1]", {}).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(NormalizeBenchmark("{", {}).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(NormalizeBenchmark(R"({"results":[{"command":"a","times":[1e999]}]})", {}).error().code,
            ErrorCode::kInvalid);
  EXPECT_EQ(NormalizeBenchmark(R"({"results":[{"command":"a","times":[true]}]})", {}).error().code,
            ErrorCode::kInvalid);
}

TEST(Benchmark, AnArtifactReadsBackAsItself) {
  const Benchmark benchmark =
      Normalized(R"({"results":[{"command":"a","times":[1,2,3],"exit_codes":[0,0,0]}]})");
  const std::string text = ArtifactText(ToJson(benchmark));
  EXPECT_EQ(ArtifactText(ToJson(Normalized(text))), text);
}

Benchmark Throughput(std::vector<double> values, const char* unit = "ops/s") {
  Benchmark benchmark;
  benchmark.id = "benchmark-x";
  benchmark.name = "serve";
  benchmark.metrics["throughput"] = {unit, true, std::move(values)};
  return benchmark;
}

TEST(BenchmarkComparison, AClearChangeIsACandidateImprovementAndTheCommitIsExpected) {
  Benchmark before = Throughput({100, 101, 99, 100, 100});
  Benchmark after = Throughput({120, 121, 119, 120, 120});
  before.commit = "a";
  after.commit = "b";
  const auto result = CompareBenchmarks(before, after, {.minimum_practical_impact_percent = 5});
  EXPECT_TRUE(result["comparable"]);
  EXPECT_TRUE(result["expected_variables"].contains("commit"));
  EXPECT_EQ(result["metrics"][0]["status"], "candidate_improvement");
  EXPECT_TRUE(result["metrics"][0]["statistically_significant"]);
}

TEST(BenchmarkComparison, SingleValuesCannotBeJudged) {
  Benchmark before = Throughput({100});
  Benchmark after = Throughput({120});
  after.environment["cpu_model"] = "other";
  const auto result = CompareBenchmarks(before, after, {});
  EXPECT_FALSE(result["comparable"]);
  EXPECT_EQ(result["metrics"][0]["status"], "insufficient_data");
  EXPECT_FALSE(result["metrics"][0].contains("statistically_significant"));
}

TEST(BenchmarkComparison, WhatIsMeantToDifferIsNoBar) {
  Benchmark before = Throughput({100, 101, 99});
  Benchmark after = Throughput({80, 81, 79});
  after.name = "serve-new";
  EXPECT_FALSE(CompareBenchmarks(before, after, {})["comparable"]);
  const auto result = CompareBenchmarks(before, after, {.expected_variables = {"name"}});
  EXPECT_TRUE(result["comparable"]);
  EXPECT_EQ(result["metrics"][0]["status"], "candidate_regression");
}

TEST(BenchmarkComparison, UnitsOfOneKindAreBroughtTogether) {
  Benchmark before = Throughput({1, 1.01, 0.99}, "seconds");
  Benchmark after = Throughput({1000, 1010, 990}, "ms");
  const auto result = CompareBenchmarks(before, after, {.minimum_practical_impact_percent = 5});
  EXPECT_EQ(result["metrics"][0]["status"], "no_material_change");
  EXPECT_NEAR(result["metrics"][0]["candidate_mean"].get<double>(), 1.0, 1e-12);
  const auto odd = CompareBenchmarks(before, Throughput({1, 1, 1}, "bytes"), {});
  EXPECT_EQ(odd["metrics"][0]["status"], "not_comparable");
}

TEST(BenchmarkComparison, OnlyAnIntervalWithinTheLimitShowsThatNothingMaterialChanged) {
  const auto status = [](std::vector<double> before, std::vector<double> after, double limit) {
    const auto result =
        CompareBenchmarks(Throughput(std::move(before)), Throughput(std::move(after)),
                          {.minimum_practical_impact_percent = limit});
    EXPECT_NE(BenchmarkComparisonMarkdown(result).find("Status"), std::string::npos);
    return result["metrics"][0]["status"].get<std::string>();
  };
  const std::vector<double> before{100, 102, 98, 101, 99};
  const std::vector<double> after{101, 103, 99, 102, 100};
  EXPECT_EQ(status(before, after, 5), "no_material_change");  // From -1.3 to +3.3 %.
  EXPECT_EQ(status(before, after, 3), "inconclusive");
  EXPECT_EQ(status(before, after, 0), "inconclusive");
  const std::vector<double> faster{102.9, 102.9, 102.9, 102.9, 102.8};
  // Beyond chance, but whether beyond the limit the values do not tell.
  EXPECT_EQ(status(before, faster, 3), "inconclusive");
  EXPECT_EQ(status(before, faster, 1), "candidate_improvement");
  EXPECT_EQ(status({5, 5, 5}, {5, 5, 5}, 0), "no_material_change");
}

TEST(BenchmarkComparison, RunsThatAllFailedCompareWithNothing) {
  const auto measured = [](const char* codes) {
    return Normalized(R"({"results":[{"command":"a","times":[1,2,4],"exit_codes":)" +
                      std::string(codes) + "}]}");
  };
  const Benchmark failed = measured("[1,null,3]");
  const Benchmark good = measured("[0,0,3]");
  EXPECT_EQ(failed.warnings.front(), "every run ended in an error: what was measured is failing");
  EXPECT_EQ(good.warnings.front(), "1 runs ended in an error");
  EXPECT_TRUE(CompareBenchmarks(good, good, {})["comparable"]);
  for (const auto& [before, after] : {std::pair{&failed, &good}, {&good, &failed}}) {
    const nlohmann::json result = CompareBenchmarks(*before, *after, {});
    EXPECT_FALSE(result["comparable"]);
    EXPECT_EQ(result["metrics"][0]["status"], "not_comparable");
    EXPECT_NE(BenchmarkComparisonMarkdown(result).find("Every run of a side ended in an error"),
              std::string::npos);
  }
}

TEST(Benchmark, OfASingleValueThereIsNoDeviation) {
  nlohmann::json single = ToJson(Normalized(R"({"results":[{"command":"a","times":[2]}]})"));
  nlohmann::json& deviation = single["metrics"]["wall_time"]["standard_deviation"];
  EXPECT_TRUE(deviation.is_null());
  EXPECT_EQ(ToJson(Normalized(single.dump())), single);
  deviation = 0.0;
  EXPECT_TRUE(NormalizeBenchmark(single.dump(), {}).ok());
  nlohmann::json several = ToJson(Normalized(R"({"results":[{"command":"a","times":[2,3]}]})"));
  several["metrics"]["wall_time"]["standard_deviation"] = nullptr;
  EXPECT_FALSE(NormalizeBenchmark(several.dump(), {}).ok());
}

TEST(BenchmarkComparison, AChanceThatIsSmallIsNotWrittenAsNone) {
  const auto result = CompareBenchmarks(Throughput({100, 101, 99, 100, 100}),
                                        Throughput({120, 121, 119, 120, 121}), {});

  EXPECT_EQ(result["metrics"][0]["p_value"], 2.144e-10);
  EXPECT_NE(BenchmarkComparisonMarkdown(result).find("< 0.0001"), std::string::npos);
}

// No verdict comes of numbers that overflowed or vanished, and none is null.
TEST(BenchmarkComparison, NumbersOfAnySizeAreJudgedAlike) {
  const auto judged = [](std::vector<double> before, std::vector<double> after) {
    const auto result =
        CompareBenchmarks(Throughput(std::move(before)), Throughput(std::move(after)), {});
    EXPECT_EQ(result.dump().find("null"), std::string::npos) << result.dump();
    return result["metrics"][0];
  };
  const auto usual = judged({1, 1.2, 1.1}, {1.15, 1.05, 1.1});
  EXPECT_EQ(usual["status"], "inconclusive");
  for (const double size : {1e308, 1e160, 1e-160, 1e-300}) {
    const auto row =
        judged({1 * size, 1.2 * size, 1.1 * size}, {1.15 * size, 1.05 * size, 1.1 * size});
    EXPECT_EQ(row["status"], usual["status"]) << size;
    EXPECT_NEAR(row["p_value"].get<double>(), usual["p_value"].get<double>(), 1e-6) << size;
    EXPECT_EQ(judged({1 * size, 1.01 * size, 1.02 * size},
                     {1.5 * size, 1.51 * size, 1.52 * size})["status"],
              "candidate_improvement");
  }
  // Against nothing there is no percentage.
  EXPECT_EQ(judged({0, 0, 0}, {1, 2, 3})["status"], "not_comparable");
  EXPECT_EQ(judged({0, 0, 0}, {0, 0, 0})["status"], "no_material_change");
  EXPECT_EQ(judged({1e-300, 1e-300, 1e-300}, {1e308, 1e308, 1e308})["status"], "not_comparable");
  EXPECT_EQ(judged({-1.7e308, -1.7e308, -1.7e308}, {1.7e308, 1.7e308, 1.7e308})["status"],
            "candidate_improvement");
}

TEST(BenchmarkComparison, MarkdownSurvivesHostileNames) {
  Benchmark before = Throughput({1, 2, 3});
  before.metrics["a|b`\n# <script>"] = {"u", false, {1, 2, 3}};
  const std::string text = BenchmarkComparisonMarkdown(CompareBenchmarks(before, before, {}));
  EXPECT_EQ(text.find("\n# <script>"), std::string::npos);
  EXPECT_NE(text.find("a\\|b"), std::string::npos);
}

TEST(Benchmark, AHyperfineFigureThatIsNotThatOfItsTimesIsRefused) {
  const auto read = [](const std::string& figure) {
    return NormalizeBenchmark(
        R"({"results":[{"command":"./run",)" + figure + R"(,"times":[0.091,0.092,0.093]}]})", {});
  };
  for (const char* agrees : {R"("mean":0.092)", R"("median":0.092,"min":0.091,"max":0.093)"}) {
    EXPECT_TRUE(read(agrees).ok()) << agrees;
  }
  for (const auto& [contradicts, name] : {std::pair{R"("mean":0.5)", "mean"},
                                          {R"("median":0.09)", "median"},
                                          {R"("min":0.05)", "min"},
                                          {R"("max":0.092)", "max"}}) {
    const Result<Benchmark> benchmark = read(contradicts);
    ASSERT_FALSE(benchmark.ok()) << contradicts;
    EXPECT_EQ(benchmark.error().code, ErrorCode::kInvalid);
    EXPECT_NE(benchmark.error().message.find(name), std::string::npos);
  }
}

}  // namespace
}  // namespace sonde
