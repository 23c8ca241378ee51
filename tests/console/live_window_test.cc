#include "console/live_window.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

// Every cut of the hub is one interval, of a second unless said otherwise, with one sample of its
// own weight.
class LiveWindowTest : public testing::Test {
 protected:
  Interval Cut() {
    Interval interval;
    interval.duration_ns = cut_ns_;
    interval.period_ns = 10'000'000;
    interval.threads.push_back({1, "main"});
    interval.label_sets.emplace_back();
    IntervalSample sample;
    sample.frames.push_back({0x1000 + cuts_, RawFrame::kNoModule});
    sample.signals = sample.weight = 1;
    interval.samples.push_back(sample);
    ++cuts_;
    return interval;
  }
  std::uint64_t cuts_ = 0;
  std::int64_t cut_ns_ = 1'000'000'000;
  IntervalHub hub_{[this] { return Cut(); }};
  LiveWindow window_{hub_};
};

std::uint64_t Weight(const Interval& interval) {
  std::uint64_t sum = 0;
  for (const IntervalSample& sample : interval.samples) sum += sample.weight;
  return sum;
}

TEST_F(LiveWindowTest, KeepsNothingBeforeItIsAsked) {
  EXPECT_TRUE(window_.is_resting());
  EXPECT_EQ(Weight(window_.Of(std::chrono::seconds(10), std::chrono::seconds(0))), 0U);
  EXPECT_FALSE(window_.is_resting());
}

TEST_F(LiveWindowTest, HoldsTheLastSecondsAndThoseBefore) {
  for (int i = 0; i < 60; ++i) window_.Of(std::chrono::seconds(10), std::chrono::seconds(0));
  const Interval recent = window_.Of(std::chrono::seconds(10), std::chrono::seconds(0));
  EXPECT_EQ(Weight(recent), 10U);
  EXPECT_EQ(recent.duration_ns, 10'000'000'000);
  EXPECT_EQ(Weight(window_.Of(std::chrono::seconds(10), std::chrono::seconds(30))), 10U);
  // The first cut, which began it, was before anybody asked.
  const std::uint64_t all = Weight(window_.Of(LiveWindow::kLongest, std::chrono::seconds(0)));
  EXPECT_EQ(all, cuts_ - 1);
}

TEST_F(LiveWindowTest, IsOfItsLengthHoweverSeldomSomebodyAsks) {
  window_.Cut();
  EXPECT_TRUE(window_.is_resting());
  window_.Of(std::chrono::seconds(10), std::chrono::seconds(0));
  for (int i = 0; i < 12; ++i) window_.Cut();
  const Interval recent = window_.Of(std::chrono::seconds(5), std::chrono::seconds(0));
  EXPECT_EQ(Weight(recent), 5U);
  EXPECT_EQ(recent.duration_ns, 5'000'000'000);
  const Interval all = window_.Of(std::chrono::seconds(30), std::chrono::seconds(0));
  EXPECT_EQ(all.duration_ns, 14'000'000'000);
}

TEST_F(LiveWindowTest, ASliceLongerThanTheWindowStandsForIt) {
  window_.Of(std::chrono::seconds(5), std::chrono::seconds(0));
  cut_ns_ = 12'000'000'000;
  const Interval recent = window_.Of(std::chrono::seconds(5), std::chrono::seconds(0));
  EXPECT_EQ(Weight(recent), 1U);
  EXPECT_EQ(recent.duration_ns, 12'000'000'000);
  EXPECT_EQ(Weight(window_.Of(std::chrono::seconds(5), std::chrono::seconds(60))), 0U);
}

TEST_F(LiveWindowTest, ForgetsWhatIsOlderThanItsLongest) {
  for (int i = 0; i < 1500; ++i) window_.Of(std::chrono::seconds(1), std::chrono::seconds(0));
  const std::uint64_t kept = Weight(window_.Of(LiveWindow::kLongest, std::chrono::seconds(0)));
  EXPECT_LE(kept, 1200U);
  EXPECT_GE(kept, 1180U);
}

TEST_F(LiveWindowTest, BeginsAnewAfterARest) {
  for (int i = 0; i < 5; ++i) window_.Of(std::chrono::seconds(10), std::chrono::seconds(0));
  window_.Rest();
  EXPECT_EQ(Weight(window_.Of(std::chrono::seconds(10), std::chrono::seconds(0))), 0U);
}

}  // namespace
}  // namespace sonde
