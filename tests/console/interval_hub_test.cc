#include "console/interval_hub.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace sonde {
namespace {

// Each cut: a stack that all cuts share, and one of its own, on a thread of its own.
class IntervalHubTest : public testing::Test {
 protected:
  Interval Cut() {
    Interval interval;
    interval.duration_ns = 1'000'000'000;
    interval.period_ns = 10'000'000;
    const auto cut = static_cast<std::int32_t>(++cuts_);
    interval.threads = {{1, "main"}, {1000 + cut, "brief"}};
    interval.label_sets = {{}, {{"cut", std::to_string(cut)}}};
    for (const std::uint32_t own : {0U, 1U}) {
      IntervalSample sample;
      sample.frames = {{0x1000 + own * cuts_, RawFrame::kNoModule}, {0x10, RawFrame::kNoModule}};
      sample.thread = own;
      sample.label_set = own;
      sample.signals = sample.weight = 2;
      sample.catch_all = own != 0;
      interval.samples.push_back(sample);
    }
    interval.stats.taken = interval.stats.written = 4;
    interval.stats.sampled_ns = interval.stats.catch_all_ns = 20'000'000;
    interval.stats.process_cpu_ns = 40'000'000;
    return interval;
  }

  static std::uint64_t Weight(const Interval& interval) {
    std::uint64_t sum = 0;
    for (const IntervalSample& sample : interval.samples) sum += sample.weight;
    return sum;
  }
  static void ExpectConserved(const Interval& interval, std::uint64_t cuts) {
    const SamplerStats& stats = interval.stats;
    EXPECT_EQ(Weight(interval), stats.written);
    EXPECT_EQ(stats.taken, 4 * cuts);
    EXPECT_EQ(stats.taken, stats.written + stats.dropped);
    EXPECT_EQ(stats.dropped, interval.no_room);
    EXPECT_EQ(stats.sampled_ns + stats.catch_all_ns + stats.lost_ring_ns, stats.process_cpu_ns);
  }

  std::uint64_t cuts_ = 0;
};

TEST_F(IntervalHubTest, EachSpanSeesWhatCameWhileItWasOpen) {
  IntervalHub hub([this] { return Cut(); });
  const std::uint64_t first = hub.Open();
  const std::uint64_t second = hub.Open();
  const std::uint64_t third = hub.Open();
  ExpectConserved(hub.Take(first), 3);
  ExpectConserved(hub.Close(second), 3);
  ExpectConserved(hub.Close(third), 3);
  const Interval rest = hub.Close(first);
  ExpectConserved(rest, 3);
  // The shared stack once, and those of three cuts.
  EXPECT_EQ(rest.samples.size(), 4U);
  EXPECT_EQ(rest.threads.size(), 4U);
  EXPECT_EQ(rest.label_sets.size(), 4U);
}

TEST_F(IntervalHubTest, WhatThereIsNoRoomForIsCountedAndLeavesNothing) {
  IntervalHub hub([this] { return Cut(); }, {}, 100);
  const std::uint64_t first = hub.Open();
  const std::uint64_t second = hub.Open();
  for (int i = 0; i < 1000; ++i) hub.Close(hub.Open());
  const Interval seen = hub.Take(first);
  ExpectConserved(seen, 2002);
  EXPECT_GT(seen.stats.dropped, 0U);
  EXPECT_LT(seen.samples.size(), 8U);
  EXPECT_LT(seen.threads.size(), 8U);
  EXPECT_LT(seen.label_sets.size(), 8U);
  // The shared stack found room before, and goes on.
  EXPECT_GE(seen.samples[0].weight, 2 * 2002U);
  ExpectConserved(hub.Close(second), 2002);

  // What was taken has made room again.
  hub.Close(hub.Open());
  const Interval later = hub.Close(first);
  ExpectConserved(later, 4);
  EXPECT_EQ(later.stats.dropped, 0U);
}

}  // namespace
}  // namespace sonde
