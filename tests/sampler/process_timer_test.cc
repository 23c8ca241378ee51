// What ticks of the process timer weigh: the CPU time that nothing else accounts for.

#include "sampler/process_timer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace sonde {
namespace {

constexpr std::int64_t kPeriodNs = 10'000'000;

struct Held {
  ProcessTimer timer{100, CatchAll::kOff};
  std::vector<std::uint32_t> weights;
  std::vector<std::uint64_t> leaves;

  void Hold(std::uint64_t leaf, std::uint32_t weight = 1) {
    RawSample sample;
    sample.weight = weight;
    sample.depth = 2;
    timer.Hold(sample, std::vector<std::uint64_t>{leaf, 1});
  }
  std::uint64_t Weigh(std::int64_t unknown_ns) {
    weights.clear();
    timer.Weigh(unknown_ns, [this](const RawSample& sample, auto frames) {
      weights.push_back(sample.weight);
      leaves.push_back(frames[0]);
      EXPECT_EQ(frames.size(), 2U);
    });
    return std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  }
};

TEST(ProcessTimer, TicksShareTheUnknownTimeWhateverTheyCounted) {
  Held held;
  for (const std::uint64_t leaf : {7, 8, 9}) held.Hold(leaf);
  EXPECT_EQ(held.Weigh(11 * kPeriodNs), 11U);
  EXPECT_THAT(held.weights, testing::ElementsAre(4, 4, 3));
  EXPECT_THAT(held.leaves, testing::ElementsAre(7, 8, 9));
  EXPECT_EQ(held.timer.given(), 11U);
  EXPECT_EQ(held.timer.added(), 8);
  EXPECT_FALSE(held.timer.holds_samples());
}

// As the collector has it: what was given is no longer unknown.
TEST(ProcessTimer, OverManyTicksWhatIsGivenIsWhatWasUsed) {
  Held held;
  std::int64_t used_ns = 0;
  std::uint64_t given = 0;
  for (int i = 0; i < 1000; ++i) {
    used_ns += 1'234'567 * (i % 7);
    for (int hit = 0; hit < i % 3; ++hit) held.Hold(1);
    if (held.timer.holds_samples()) {
      given += held.Weigh(used_ns - static_cast<std::int64_t>(held.timer.given()) * kPeriodNs);
    }
    EXPECT_LE(static_cast<std::int64_t>(given) * kPeriodNs, used_ns + kPeriodNs / 2);
  }
  EXPECT_NEAR(static_cast<double>(given) * kPeriodNs, static_cast<double>(used_ns), 2e7);
}

TEST(ProcessTimer, ATickWithoutUnknownTimeWeighsNothing) {
  Held held;
  held.Hold(1);
  held.Hold(2);
  EXPECT_EQ(held.Weigh(-3 * kPeriodNs), 0U);
  EXPECT_EQ(held.weights.size(), 0U);
  EXPECT_EQ(held.timer.added(), -2);
}

TEST(ProcessTimer, OneTickDoesNotStandForSeconds) {
  Held held;
  held.Hold(1, 2);
  EXPECT_EQ(held.Weigh(1000 * kPeriodNs), 32U);
}

}  // namespace
}  // namespace sonde
