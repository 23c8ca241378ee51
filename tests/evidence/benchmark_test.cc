#include "sonde/benchmark.h"

#include <gtest/gtest.h>

#include "evidence/perf_stat.h"
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

TEST(PerfStat, DerivesInstructionsPerCycleAlsoUnderHybridNames) {
  for (const char* rows : {"1000000;;cycles;1;100.00\n2000000;;instructions;1;100.00\n",
                           "400000;;cpu_core/cycles/;1;100\n600000;;cpu_atom/cycles:u/;1;100\n"
                           "2000000;;cpu_core/instructions/;2.00%;1;100\n"}) {
    const Result<PerfStatReport> report = ParsePerfStat(rows);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.value().metrics.back().event, "instructions-per-cycle");
    EXPECT_DOUBLE_EQ(*report.value().metrics.back().value, 2.0);
  }
}

TEST(PerfStat, KeepsWhatWasNotCountedAndWarnsOfDamagedRows) {
  const Result<PerfStatReport> report = ParsePerfStat(
      "# started\n1;;cache-misses;5;50.00%\n<not supported>;;branch-misses;0;100.00;;\n"
      "what;;ever;0;0\nnan;;x;1;1\n");
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report.value().metrics.size(), 2U);
  EXPECT_EQ(report.value().metrics[1].status, "not_supported");
  EXPECT_FALSE(report.value().metrics[1].value);
  EXPECT_EQ(report.value().warnings.size(), 2U);
  EXPECT_EQ(ParsePerfStat("1;;a;1;1\n2;;b;1;1\n", 1).error().code, ErrorCode::kLimit);
  EXPECT_EQ(ParsePerfStat("# nothing\n").error().code, ErrorCode::kMalformed);
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
  const auto result = CompareBenchmarks(before, after, {});
  EXPECT_EQ(result["metrics"][0]["status"], "no_material_change");
  EXPECT_NEAR(result["metrics"][0]["candidate_mean"].get<double>(), 1.0, 1e-12);
  const auto odd = CompareBenchmarks(before, Throughput({1, 1, 1}, "bytes"), {});
  EXPECT_EQ(odd["metrics"][0]["status"], "not_comparable");
}

TEST(BenchmarkComparison, MarkdownSurvivesHostileNames) {
  Benchmark before = Throughput({1, 2, 3});
  before.metrics["a|b`\n# <script>"] = {"u", false, {1, 2, 3}};
  const std::string text = BenchmarkComparisonMarkdown(CompareBenchmarks(before, before, {}));
  EXPECT_EQ(text.find("\n# <script>"), std::string::npos);
  EXPECT_NE(text.find("a\\|b"), std::string::npos);
}

}  // namespace
}  // namespace sonde
