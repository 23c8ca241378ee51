#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <thread>
#include <vector>

#include "sampler/interval.h"
#include "sonde/sampler.h"
#include "sonde/task.h"

namespace sonde {
namespace {

void Burn(std::int64_t cpu_ns) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  const std::int64_t end = now() + cpu_ns;
  while (now() < end) {
  }
}

TEST(TaskSamples, TwoTasksOnTheSameThreadsAreSeenAtSeventyToThirty) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  const Task often("seventy");
  const Task seldom("thirty");
  auto sampler = Sampler::Start({.hz = 99});
  ASSERT_TRUE(sampler.ok());
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 12; ++round) {
        {
          const PollGuard poll = often.Poll();
          Burn(70 * kMillisecond);
        }
        const PollGuard poll = seldom.Poll();
        Burn(30 * kMillisecond);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Interval interval = sampler.value()->Stop();

  std::map<std::uint64_t, double> weights;
  double signals = 0;
  for (const IntervalSample& sample : interval.samples) {
    weights[sample.task_id] += static_cast<double>(sample.weight);
    if (sample.task_id != 0) signals += static_cast<double>(sample.signals);
  }
  const double both = weights[often.id()] + weights[seldom.id()];
  ASSERT_GT(signals, 100);
  // Four standard deviations of as many draws as there were signals: one failure in 16,000.
  const double sigma = std::sqrt(0.7 * 0.3 / signals);
  EXPECT_NEAR(weights[often.id()] / both, 0.7, 4 * sigma);
  // Outside the two there is only what starting and joining takes.
  EXPECT_LT(weights[0], 0.05 * both);
}

}  // namespace
}  // namespace sonde
