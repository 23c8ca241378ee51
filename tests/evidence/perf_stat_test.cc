#include "evidence/perf_stat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {
namespace {

PerfStatReport Parsed(std::string_view text) {
  EXPECT_TRUE(LooksLikePerfStat(text)) << text;
  Result<PerfStatReport> report = ParsePerfStat(text);
  EXPECT_TRUE(report.ok()) << text;
  return report.ok() ? std::move(report).value() : PerfStatReport{};
}

std::map<std::string, PerfStatMetric> ByEvent(const PerfStatReport& report) {
  std::map<std::string, PerfStatMetric> metrics;
  for (const PerfStatMetric& metric : report.metrics) metrics[metric.event] = metric;
  return metrics;
}

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
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

// What perf 6.1 writes with -x ';'.
constexpr const char* kRows =
    "# started on Mon\n\n"
    "223.35;msec;cpu-clock;223531265;100.00;0.391;CPUs utilized\n"
    "1000000;;cycles;5;87.50;;\n"
    "2000000;;branch-misses;2.00%;5;100.00;;\n"
    "<not supported>;;cache-misses;0;100.00;;\n";

void ExpectTheRows(const PerfStatReport& report, const std::string& what) {
  const std::map<std::string, PerfStatMetric> metrics = ByEvent(report);
  ASSERT_EQ(metrics.size(), 4U) << what;
  EXPECT_DOUBLE_EQ(metrics.at("cpu-clock").value.value_or(0), 223.35) << what;
  EXPECT_EQ(metrics.at("cpu-clock").unit, "msec") << what;
  EXPECT_DOUBLE_EQ(metrics.at("cycles").value.value_or(0), 1e6) << what;
  EXPECT_DOUBLE_EQ(metrics.at("cycles").running_percent.value_or(0), 87.5) << what;
  EXPECT_DOUBLE_EQ(metrics.at("branch-misses").value.value_or(0), 2e6) << what;
  EXPECT_EQ(metrics.at("cache-misses").status, "not_supported") << what;
}

TEST(PerfStat, TheSeparatorIsWhateverItIs) {
  for (const char* separator : {";", ",", "\t", "|", ":", "::", " ; ", "@", "#,#", "^", " "}) {
    const PerfStatReport report = Parsed(Replaced(kRows, ";", separator));
    ExpectTheRows(report, separator);
    for (const PerfStatMetric& metric : report.metrics) {
      EXPECT_TRUE(metric.run_time_ns.has_value()) << separator << ' ' << metric.event;
    }
    ASSERT_EQ(report.warnings.size(), 1U) << separator << ' ' << report.warnings.front();
    EXPECT_NE(report.warnings.front().find("mean of several runs"), std::string::npos);
  }
}

TEST(PerfStat, ADecimalCommaIsNoSeparator) {
  const std::string german = Replaced(kRows, ".", ",");
  ExpectTheRows(Parsed(german), "; and decimal commas");
  ExpectTheRows(Parsed(Replaced(german, ";", ",")), "commas for both");
}

TEST(PerfStat, RowsMayBeOfIntervalsCpusAndThreads) {
  for (const char* rows :
       {"     1.000123456;1000;;cycles;5;100.00;;\n     2.000123456;3000;;cycles;5;100.00;;\n",
        "     1.000123456,1000,,cycles,5,100.00,,\n     2.000123456,3000,,cycles,5,100.00,,\n",
        "CPU0;1000;;cycles;5;100.00;;\nCPU1;3000;;cycles;5;100.00;;\n",
        "S0-D0;4;1000;;cycles;5;100.00;;\nS1-D0;4;3000;;cycles;5;100.00;;\n",
        "S0,4,1000,,cycles,5,100.00,,\nS1,2,3000,,cycles,5,100.00,,\n",
        "N0,4,10,,cycles,5,100,00,,\nN1,2,3000,00,,cycles,5,100,00,,\n",
        "app-101;1000;;cycles;5;100.00;;\napp-102;3000;;cycles;5;100.00;;\n"}) {
    const PerfStatReport report = Parsed(rows);
    ASSERT_EQ(report.metrics.size(), 2U) << rows;
    EXPECT_DOUBLE_EQ(report.metrics[1].value.value_or(0), 3000) << rows;
    EXPECT_EQ(report.metrics[1].event, "cycles") << rows;
    EXPECT_EQ(report.warnings.size(), 1U) << rows;
  }
}

TEST(PerfStat, AnIntervalWithoutACountIsNoValue) {
  const PerfStatReport report = Parsed(
      "1.000123456;<not counted>;msec;task-clock;0;100.00;;\n"
      "2.000123456;7.50;msec;task-clock;5;100.00;;\n");
  ASSERT_EQ(report.metrics.size(), 2U);
  EXPECT_EQ(report.metrics[0].status, "not_counted");
  EXPECT_EQ(report.metrics[0].event, "task-clock");
  EXPECT_DOUBLE_EQ(report.metrics[1].value.value_or(0), 7.5);
}

TEST(PerfStat, ReadsJsonInAnyLanguage) {
  const std::string json =
      R"({"counter-value" : "223.350000", "unit" : "msec", "event" : "cpu-clock", )"
      R"("event-runtime" : 223531265, "pcnt-running" : 100.00, "metric-value" : 0.391, )"
      R"("metric-unit" : "CPUs utilized"}
{"counter-value" : "1000000.000000", "unit" : "", "event" : "cycles", "event-runtime" : 5, )"
      R"("pcnt-running" : 87.50}
{"counter-value" : "2000000.000000", "unit" : "", "event" : "branch-misses", "variance" : 2.00, )"
      R"("event-runtime" : 5, "pcnt-running" : 100.00}
{"counter-value" : "<not supported>", "unit" : "", "event" : "cache-misses", "event-runtime" : 0, )"
      R"("pcnt-running" : 100.00}
{"metric-value" : 12.5, "metric-unit" : "frontend bound"}
)";
  ExpectTheRows(Parsed(json), "points");
  ExpectTheRows(Parsed(Replaced(json, ".", ",")), "commas");
  EXPECT_FALSE(LooksLikePerfStat("{\n \"results\": []}"));
}

TEST(PerfStat, ReadsWhatPeopleAreShown) {
  const std::string shown = R"(
 Performance counter stats for 'app --fast' (5 runs):

            223.35 msec cpu-clock                 #    0.391 CPUs utilized            ( +-  2.00% )
         1,000,000      cycles                    #    3.100 GHz                      (87.50%)
         2,000,000      branch-misses
   <not supported>      cache-misses

             1.234 +- 0.012 seconds time elapsed  ( +-  1.90% )
       0.001000000 seconds user
       0.000000000 seconds sys

)";
  for (const auto& [group, point] :
       {std::pair{",", "."}, {".", ","}, {"\u202f", ","}, {"'", "."}}) {
    std::string text = Replaced(shown, ",", "G");
    text = Replaced(Replaced(text, ".", point), "G", group);
    PerfStatReport report = Parsed(text);
    const std::map<std::string, PerfStatMetric> metrics = ByEvent(report);
    EXPECT_DOUBLE_EQ(metrics.at("elapsed_time").value.value_or(0), 1.234) << text;
    EXPECT_DOUBLE_EQ(metrics.at("user_time").value.value_or(0), 0.001) << text;
    EXPECT_EQ(metrics.at("system_time").unit, "seconds") << text;
    std::erase_if(report.metrics, [](const auto& m) { return m.event.ends_with("_time"); });
    ExpectTheRows(report, text);
    ASSERT_EQ(report.warnings.size(), 1U) << report.warnings.front();
  }
}

TEST(PerfStat, AValueInAnotherUnitIsNotMixedIn) {
  const Result<Benchmark> benchmark =
      NormalizeBenchmark("1;msec;x;5;100.00\n2;sec;x;5;100.00\n", {});
  ASSERT_TRUE(benchmark.ok());
  EXPECT_EQ(benchmark.value().metrics.at("x").values, std::vector<double>{1});
  EXPECT_EQ(benchmark.value().warnings.size(), 1U);
}

TEST(PerfStat, RunsAndTheirSpreadAreKept) {
  const Result<Benchmark> benchmark = NormalizeBenchmark(
      " Performance counter stats for 'app' (3 runs):\n\n"
      "         1,000,000      cycles                 ( +-  2.50% )  (87.50%)\n\n"
      "             1.234 +- 0.012 seconds time elapsed  ( +-  1.90% )\n",
      {});
  ASSERT_TRUE(benchmark.ok()) << benchmark.error().message;
  EXPECT_EQ(benchmark.value().repetitions, 3U);
  const std::vector<std::string>& warnings = benchmark.value().warnings;
  EXPECT_EQ(std::ranges::count(warnings, "cycles: the mean of 3 runs, +- 2.50 %"), 1);
  EXPECT_EQ(std::ranges::count(warnings, "elapsed_time: the mean of 3 runs, +- 1.90 %"), 1);
}

}  // namespace
}  // namespace sonde
