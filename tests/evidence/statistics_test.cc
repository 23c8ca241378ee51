#include "evidence/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sonde/benchmark_comparison.h"
#include "sonde/profile_builder.h"
#include "sonde/profile_comparison.h"

namespace sonde {
namespace {

// Expected figures: scipy 1.17.1, stats.ttest_ind(candidate, baseline, equal_var=False) and its
// confidence_interval(0.95).
TEST(Statistics, WelchAgreesWithScipyOnClearlyDifferentSides) {
  const auto test = Welch(std::vector<double>{100, 101, 99, 100, 100},
                          std::vector<double>{120, 121, 119, 120, 121});
  ASSERT_TRUE(test);
  EXPECT_NEAR(test->degrees_of_freedom, 7.783783783783784, 1e-9);
  EXPECT_NEAR(test->p_value, 2.1438594240147676e-10, 1e-19);
  EXPECT_NEAR(test->interval_95.low, 19.06480768427622, 1e-9);
  EXPECT_NEAR(test->interval_95.high, 21.335192315723784, 1e-9);
}

TEST(Statistics, WelchAgreesWithScipyOnFewUnequalValues) {
  const auto test = Welch(std::vector<double>{1, 2, 4}, std::vector<double>{2.5, 3.5, 9, 4});
  ASSERT_TRUE(test);
  EXPECT_NEAR(test->degrees_of_freedom, 4.670508474576271, 1e-9);
  EXPECT_NEAR(test->p_value, 0.21780493627904637, 1e-12);
  EXPECT_NEAR(test->interval_95.low, -2.0414712997017497, 1e-9);
  EXPECT_NEAR(test->interval_95.high, 6.874804633035083, 1e-9);
}

TEST(Statistics, WelchWithoutSpreadIsTheDifferenceItself) {
  const auto test = Welch(std::vector<double>{2, 2, 2}, std::vector<double>{3, 3, 3});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->interval_95.low, 1);
  EXPECT_EQ(test->p_value, 0);
  EXPECT_FALSE(Welch(std::vector<double>{2}, std::vector<double>{3, 3}));
}

// Expected figures: twice the lesser tail in exact fractions.
TEST(Statistics, TwoProportionsOfFewSamplesAreExact) {
  EXPECT_NEAR(TwoProportionPValue(30, 100, 45, 110), 0.1322130550732462, 1e-12);
  EXPECT_NEAR(TwoProportionPValue(45, 110, 30, 100), 0.1322130550732462, 1e-12);
  EXPECT_NEAR(TwoProportionPValue(95, 100, 1980, 2000), 0.01099504968066811, 1e-12);
  EXPECT_NEAR(TwoProportionPValue(0, 100, 9, 110), 0.005048062166359231, 1e-12);
  EXPECT_EQ(TwoProportionPValue(5, 100, 5, 100), 1);
  // The z-test would give 1e-23 for one sample where 0.01 are expected.
  EXPECT_NEAR(TwoProportionPValue(1, 200, 0, 20'000), 0.019801980198019802, 1e-12);
  EXPECT_EQ(TwoProportionPValue(0, 0, 45, 110), 1);
  EXPECT_EQ(TwoProportionPValue(5, 5, 7, 7), 1);
}

// Expected figure: 2 * (1 - Phi(z)) of the pooled z.
TEST(Statistics, TwoProportionsOfManySamplesAreNormal) {
  EXPECT_NEAR(TwoProportionPValue(2000, 10'000, 2050, 10'000), 0.3789751403991733, 1e-12);
}

TEST(Statistics, HolmStepsDownAndKeepsTheOrderGiven) {
  const std::vector<double> adjusted = HolmAdjusted(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  EXPECT_NEAR(adjusted[0], 0.03, 1e-12);
  EXPECT_NEAR(adjusted[1], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.02, 1e-12);
}

TEST(Statistics, TheBootstrapIsTheSameAtEveryCall) {
  const std::vector<double> before{1, 2, 3, 4};
  const std::vector<double> after{2, 3, 4, 6};
  const ConfidenceInterval first = BootstrapDifference(before, after);
  const ConfidenceInterval second = BootstrapDifference(before, after);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LE(first.low, 1.25);
  EXPECT_GE(first.high, 1.25);
}

// Both sides are drawn from one distribution; how often is a change claimed? The
// bound is 5 % and three standard errors of the simulation itself.
TEST(Statistics, FalsePositivesOfABenchmarkComparisonStayUnderFivePercent) {
  constexpr int kRounds = 2000;
  const double bound = 0.05 + 3 * std::sqrt(0.05 * 0.95 / kRounds);
  for (const std::size_t n : {3U, 5U, 10U}) {
    std::mt19937_64 engine(n);
    std::normal_distribution<double> noise(100, 5);
    int claimed = 0;
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> before(n);
      std::vector<double> after(n);
      for (double& value : before) value = noise(engine);
      for (double& value : after) value = noise(engine);
      const auto test = Welch(before, after);
      claimed += test->p_value < 0.05 ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(claimed) / kRounds, bound) << "n = " << n;
  }
}

// The same for the whole comparison, with the threshold of practical impact out of the way, and
// for two metrics at once: the bound holds for a claim about either.
TEST(Statistics, FalseClaimsOfWholeComparisonsStayUnderFivePercent) {
  constexpr int kRounds = 200;
  const double bound = 0.05 + 3 * std::sqrt(0.05 * 0.95 / kRounds);
  for (const std::size_t n : {3U, 5U, 10U}) {
    std::mt19937_64 engine(100 + n);
    std::normal_distribution<double> noise(100, 5);
    int claimed = 0;
    for (int round = 0; round < kRounds; ++round) {
      const auto drawn = [&](const char* id) {
        Benchmark benchmark;
        benchmark.id = id;
        benchmark.repetitions = n;
        for (const char* name : {"latency", "throughput"}) {
          BenchmarkMetric& metric = benchmark.metrics[name];
          metric.unit = "seconds";
          metric.values.resize(n);
          for (double& value : metric.values) value = noise(engine);
        }
        return benchmark;
      };
      const nlohmann::json comparison = CompareBenchmarks(drawn("before"), drawn("after"),
                                                          {.minimum_practical_impact_percent = 0});
      const auto& metrics = comparison["metrics"];
      claimed += std::any_of(metrics.begin(), metrics.end(), [](const nlohmann::json& metric) {
        return metric["status"].get<std::string>().starts_with("candidate");
      });
    }
    EXPECT_LE(static_cast<double>(claimed) / kRounds, bound) << "n = " << n;
  }
}

// Both sides have functions below main in the same shares, even where `skew` is 1.
struct EqualSides {
  int functions;
  double skew;
  int samples_before;
  int samples_after;
};

Analysis Drawn(std::mt19937_64& engine, const EqualSides& sides, int samples) {
  ProfileBuilder builder({{"samples", "count"}});
  const StackId main = builder.Extend(kEmptyStack, builder.FrameNamed("main"));
  std::uniform_real_distribution<double> place(0, 1);
  for (int i = 0; i < samples; ++i) {
    const auto function = static_cast<int>(sides.functions * std::pow(place(engine), sides.skew));
    const std::string name = "f" + std::to_string(function);
    builder.AddSample(builder.Extend(main, builder.FrameNamed(name)), kNoLabels, {1});
  }
  return AnalyzeProfile(std::move(builder).Build(), {.format = "pprof"}).value();
}

TEST(Statistics, FalseClaimsOfProfileComparisonsStayUnderFivePercent) {
  constexpr int kRounds = 50;
  const double bound = 0.05 + 3 * std::sqrt(0.05 * 0.95 / kRounds);
  for (const EqualSides& sides : {EqualSides{60, 1, 500, 500}, {300, 4, 200, 4000}}) {
    std::mt19937_64 engine(60);
    int claimed = 0;
    for (int round = 0; round < kRounds; ++round) {
      const Analysis before = Drawn(engine, sides, sides.samples_before);
      const Analysis after = Drawn(engine, sides, sides.samples_after);
      // What chance changed the most must not pass for all there was.
      const double threshold = sides.skew == 1 ? 2.0 : 0.0;
      const nlohmann::json rows = CompareAnalyses(before, after, threshold)["hotspot_deltas"];
      claimed += std::ranges::any_of(
          rows, [](const nlohmann::json& row) { return row.at("noise") == false; });
    }
    EXPECT_LE(static_cast<double>(claimed) / kRounds, bound) << sides.functions;
  }
}

}  // namespace
}  // namespace sonde
