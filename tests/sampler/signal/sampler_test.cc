#include "sonde/sampler.h"
#include "sampler/sigprof.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sampler/interval.h"
#include "sonde/label.h"
#include "sonde/thread_context.h"
#include "tests/sampler/signal/spin.h"

namespace sonde {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<Sampler> StartOrDie(const SamplerOptions& options = {}) {
  Result<std::unique_ptr<Sampler>> sampler = Sampler::Start(options);
  if (!sampler.ok()) {
    ADD_FAILURE() << Describe(sampler.error());
    std::abort();
  }
  return std::move(sampler).value();
}

std::uint64_t WeightOf(const Interval& interval) {
  return std::accumulate(
      interval.samples.begin(), interval.samples.end(), std::uint64_t{0},
      [](std::uint64_t sum, const IntervalSample& sample) { return sum + sample.weight; });
}

// Of the samples that `function`, at most 1024 bytes long, is on the stack of.
std::uint64_t WeightInFunction(const Interval& interval,
                               void (*function)(std::chrono::nanoseconds)) {
  const auto low = reinterpret_cast<std::uint64_t>(function);
  std::uint64_t weight = 0;
  for (const IntervalSample& sample : interval.samples) {
    for (const RawFrame& frame : sample.frames) {
      if (frame.address >= low && frame.address < low + 1024) {
        weight += sample.weight;
        break;
      }
    }
  }
  return weight;
}

[[gnu::noinline, gnu::aligned(1024)]] void Half(std::chrono::nanoseconds cpu) { Burn(cpu); }
[[gnu::noinline, gnu::aligned(1024)]] void Third(std::chrono::nanoseconds cpu) { Burn(cpu); }
[[gnu::noinline, gnu::aligned(1024)]] void Fifth(std::chrono::nanoseconds cpu) { Burn(cpu); }

// On the calling thread: SIG_BLOCK or SIG_UNBLOCK.
void MaskSigprof(int how) {
  sigset_t sigprof;
  sigemptyset(&sigprof);
  sigaddset(&sigprof, SIGPROF);
  pthread_sigmask(how, &sigprof, nullptr);
}

TEST(Sampler, TakenIsWrittenAndDropped) {
  auto sampler = StartOrDie({.hz = 999});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { Spin(milliseconds(150)); });
  for (auto& thread : threads) thread.join();
  const Interval interval = sampler->Stop();
  const SamplerStats stats = sampler->stats();

  EXPECT_GT(stats.taken, 20U);
  EXPECT_EQ(stats.taken, stats.written + stats.dropped);
  EXPECT_EQ(stats.dropped, 0U);
  EXPECT_EQ(WeightOf(interval), stats.written);
}

TEST(Sampler, IntervalsAddUpToTheWholeWithoutAGap) {
  auto sampler = StartOrDie({.hz = 999});
  std::atomic<bool> done{false};
  std::thread worker([&] {
    Spin(milliseconds(600));
    done = true;
  });
  std::uint64_t weight = 0;
  std::int64_t end_ns = 0;
  while (!done) {
    const Interval interval = sampler->TakeInterval();
    weight += WeightOf(interval);
    EXPECT_EQ(interval.stats.taken, interval.stats.written + interval.stats.dropped);
    EXPECT_EQ(interval.stats.written, WeightOf(interval));
    EXPECT_TRUE(end_ns == 0 || interval.time_ns == end_ns);
    end_ns = interval.time_ns + interval.duration_ns;
    std::this_thread::sleep_for(milliseconds(7));
  }
  worker.join();
  weight += WeightOf(sampler->Stop());
  const SamplerStats stats = sampler->stats();

  EXPECT_EQ(weight, stats.taken);
  // The profiler's own threads are not sampled, nor is a thread before it is found.
  const std::uint64_t sampled_cpu_ns =
      stats.process_cpu_ns - stats.profiler_ns - stats.lost_late_ns;
  const double seen = static_cast<double>(weight) / (static_cast<double>(sampled_cpu_ns) * 999e-9);
  EXPECT_GT(seen, 0.9);
  EXPECT_LT(seen, 1.1);
}

TEST(Sampler, AMixOfFunctionsIsSeenInItsProportions) {
  auto sampler = StartOrDie({.hz = 99});
  for (int round = 0; round < 10; ++round) {
    Half(milliseconds(50));
    Third(milliseconds(30));
    Fifth(milliseconds(20));
  }
  const Interval interval = sampler->Stop();

  const double total = static_cast<double>(WeightOf(interval));
  const std::pair<void (*)(std::chrono::nanoseconds), double> parts[] = {
      {&Half, 0.5}, {&Third, 0.3}, {&Fifth, 0.2}};
  for (const auto& [function, share] : parts) {
    // Weights that come with one signal are not independent of each other, and on a busy machine
    // a signal is late.
    const auto signals = static_cast<double>(interval.stats.signals);
    const double sigma = std::sqrt(share * (1 - share) / signals);
    EXPECT_NEAR(static_cast<double>(WeightInFunction(interval, function)) / total, share,
                4 * sigma + 0.05);
  }
}

TEST(Sampler, StacksReachTheRootThroughSystemLibraries) {
  auto sampler = StartOrDie({.hz = 2000});
  std::vector<int> numbers(200'000);
  const auto end = ThreadCpu() + milliseconds(300);
  while (ThreadCpu() < end) {
    std::iota(numbers.begin(), numbers.end(), 0);
    qsort(numbers.data(), numbers.size(), sizeof(int), [](const void* a, const void* b) {
      return *static_cast<const int*>(a) < *static_cast<const int*>(b) ? 1 : -1;
    });
  }
  const Interval interval = sampler->Stop();

  ASSERT_GT(interval.stats.signals, 1U);
  EXPECT_EQ(interval.stats.Truncated(), 0U);
}

TEST(Sampler, SamplesCarryThreadLabelsAndTask) {
  auto sampler = StartOrDie({.hz = 999});
  std::int32_t tid = 0;
  std::thread([&] {
    prctl(PR_SET_NAME, "labelled");
    tid = gettid();
    const ScopedLabel label("request", "/search");
    ExchangeCurrentTask(77);
    Spin(milliseconds(200));
    ExchangeCurrentTask(0);
  }).join();
  const Interval interval = sampler->Stop();

  std::uint64_t weight = 0;
  for (const IntervalSample& sample : interval.samples) {
    if (interval.threads[sample.thread].tid != tid || sample.task_id != 77) continue;
    EXPECT_EQ(interval.threads[sample.thread].name, "labelled");
    EXPECT_EQ(interval.label_sets[sample.label_set],
              (std::vector<std::pair<std::string, std::string>>{{"request", "/search"}}));
    EXPECT_FALSE(sample.catch_all);
    weight += sample.weight;
  }
  EXPECT_GT(weight, 50U);
}

TEST(Sampler, ItsOwnThreadsAreNeverSampledAndTheirTimeIsCounted) {
  auto sampler = StartOrDie({.hz = 4000});
  std::int32_t excluded = 0;
  std::thread([&] {
    ExcludeCurrentThread();
    excluded = gettid();
    Spin(milliseconds(200));
  }).join();
  Spin(milliseconds(50));
  const Interval interval = sampler->Stop();

  for (const ThreadName& thread : interval.threads) {
    EXPECT_NE(thread.tid, excluded);
    EXPECT_NE(thread.name, "sonde-collector");
  }
  EXPECT_GT(interval.stats.profiler_ns, 190'000'000U);
  EXPECT_LT(std::abs(interval.stats.UnexplainedNs()), 60'000'000);
}

TEST(Sampler, AFullTableDropsAndCounts) {
  auto sampler = StartOrDie({.hz = 999, .max_stacks = 1});
  for (int i = 0; i < 10; ++i) {
    Half(milliseconds(10));
    Third(milliseconds(10));
  }
  const Interval interval = sampler->Stop();

  EXPECT_EQ(interval.samples.size(), 1U);
  EXPECT_GT(interval.stats.dropped, 0U);
  EXPECT_EQ(interval.stats.taken, interval.stats.written + interval.stats.dropped);
}

TEST(Sampler, DeepStacksAreCutAndSayso) {
  auto sampler = StartOrDie({.hz = 999, .max_depth = 2});
  Spin(milliseconds(100));
  const Interval interval = sampler->Stop();

  ASSERT_FALSE(interval.samples.empty());
  for (const IntervalSample& sample : interval.samples) EXPECT_LE(sample.frames.size(), 2U);
  EXPECT_GT(interval.stats.truncated_depth, 0U);
}

TEST(Sampler, OptionsOutOfRangeAreUsageErrors) {
  EXPECT_EQ(Sampler::Start({.hz = 0}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(Sampler::Start({.hz = 10'001}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(Sampler::Start({.max_depth = 257}).error().code, ErrorCode::kUsage);
}

TEST(Sampler, OnlyOneRunsAtATime) {
  auto sampler = StartOrDie();

  EXPECT_EQ(Sampler::Start().error().code, ErrorCode::kUsage);
  sampler->Stop();
  EXPECT_TRUE(sampler->Stop().samples.empty());
  EXPECT_TRUE(Sampler::Start().ok());
}

TEST(DeferredUnwinder, ReachesTheRootAndLeavesExceptionsToLibgcc) {
  auto started = Sampler::Start({.hz = 2000, .unwinder = Unwinder::kDeferred});
  if (!started.ok()) {
    ASSERT_EQ(started.error().code, ErrorCode::kUnsupported);
    GTEST_SKIP() << Describe(started.error());
  }
  Spin(milliseconds(100));
  const Interval interval = started.value()->Stop();

  ASSERT_GT(interval.stats.signals, 1U);
  EXPECT_EQ(interval.stats.Truncated(), 0U);
  EXPECT_EQ(interval.stats.taken, interval.stats.written + interval.stats.dropped);
  Dl_info raise{};
  ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "_Unwind_RaiseException"), &raise), 0);
  // Also when a sanitizer stands in front of libgcc.
  EXPECT_EQ(std::string(raise.dli_fname).find("libunwind"), std::string::npos) << raise.dli_fname;
}

TEST(SamplerHazard, AHandlerOfTheHostIsNotTakenOver) {
  signal(SIGPROF, [](int) {});

  const auto sampler = Sampler::Start();

  ASSERT_FALSE(sampler.ok());
  EXPECT_EQ(sampler.error().code, ErrorCode::kUnsupported);
  signal(SIGPROF, SIG_DFL);
}

TEST(SamplerHazard, AHandlerThatReplacesOursIsCounted) {
  auto sampler = StartOrDie();
  signal(SIGPROF, [](int) {});
  std::this_thread::sleep_for(milliseconds(1300));

  sampler->Stop();
  EXPECT_EQ(sampler->stats().handler_replaced, 1U);
  signal(SIGPROF, SIG_DFL);
}

TEST(SamplerHazard, ForeignAndLateSignalsAreHarmless) {
  {
    auto sampler = StartOrDie();
    for (int i = 0; i < 10; ++i) kill(getpid(), SIGPROF);
    for (int i = 0; i < 10; ++i) raise(SIGPROF);
    const SamplerStats stats = sampler->stats();
    EXPECT_GT(stats.foreign, 10U);
    EXPECT_EQ(stats.taken, stats.written + stats.dropped);
  }
  raise(SIGPROF);
}

TEST(SamplerHazard, StartAndStopUnderLoad) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!done) Spin(milliseconds(1));
    });
  }
  for (int i = 0; i < 100; ++i) {
    auto sampler = StartOrDie({.hz = 4000});
    if (i % 4 == 0) std::this_thread::sleep_for(milliseconds(5));
    sampler->Stop();
    const SamplerStats stats = sampler->stats();
    ASSERT_EQ(stats.taken, stats.written + stats.dropped);
  }
  done = true;
  for (auto& thread : threads) thread.join();
}

TEST(SamplerHazard, BlockedSignalsAreLostNotGuessed) {
  auto sampler = StartOrDie({.catch_all = CatchAll::kOff});
  MaskSigprof(SIG_BLOCK);
  Spin(milliseconds(700));
  MaskSigprof(SIG_UNBLOCK);
  Spin(milliseconds(20));
  const Interval interval = sampler->Stop();

  EXPECT_GT(interval.stats.lost_blocked_ns, 400'000'000U);
  EXPECT_LT(std::abs(interval.stats.UnexplainedNs()), 60'000'000);
}

// 250 ms of what it uses may still be told of by the signal that waits, as long as it lives.
TEST(SamplerHazard, AThreadThatNeverLetsTheSignalThroughIsCountedAsLost) {
  auto sampler = StartOrDie();
  std::int64_t used_ns = 0;
  SamplerStats while_alive;
  std::thread([&] {
    MaskSigprof(SIG_BLOCK);
    Spin(milliseconds(1200));
    while_alive = sampler->stats();
    used_ns = ThreadCpu().count();
  }).join();
  Spin(milliseconds(30));
  const Interval interval = sampler->Stop();

  const auto lost = [](const SamplerStats& stats) {
    return static_cast<std::int64_t>(stats.lost_blocked_ns + stats.lost_late_ns);
  };
  EXPECT_LT(std::abs(lost(while_alive) - (used_ns - 250'000'000)), 60'000'000);
  EXPECT_LT(std::abs(while_alive.UnexplainedNs() - 250'000'000), 60'000'000);
  EXPECT_EQ(while_alive.catch_all_ns, 0U);
  EXPECT_LT(std::abs(lost(interval.stats) - used_ns), 60'000'000);
  EXPECT_LT(std::abs(interval.stats.UnexplainedNs()), 60'000'000);
  EXPECT_EQ(interval.stats.taken, interval.stats.written + interval.stats.dropped);
}

// Each nanosecond counts once, whether the clock told of it first or the signal, and no figure
// ever falls.
TEST(SamplerHazard, WhatBlockedThreadsLostOnlyGrows) {
  auto sampler = StartOrDie({.hz = 999});
  std::atomic<bool> done{false};
  std::thread worker([&] {
    for (int i = 0; i < 4; ++i) {
      MaskSigprof(SIG_BLOCK);
      Spin(milliseconds(450));
      MaskSigprof(SIG_UNBLOCK);
      Spin(milliseconds(i % 2 == 0 ? 0 : 50));
    }
    done = true;
  });
  std::uint64_t lost_ns = 0;
  std::uint64_t lost_in_intervals_ns = 0;
  while (!done) {
    std::this_thread::sleep_for(milliseconds(20));
    const SamplerStats stats = sampler->stats();
    EXPECT_GE(stats.lost_blocked_ns, lost_ns);
    lost_ns = stats.lost_blocked_ns;
    lost_in_intervals_ns += sampler->TakeInterval().stats.lost_blocked_ns;
  }
  worker.join();
  lost_in_intervals_ns += sampler->Stop().stats.lost_blocked_ns;
  const SamplerStats stats = sampler->stats();

  EXPECT_EQ(stats.lost_blocked_ns, lost_in_intervals_ns);
  EXPECT_NEAR(static_cast<double>(stats.lost_blocked_ns), 4 * 200e6, 100e6);
  EXPECT_LT(std::abs(stats.UnexplainedNs()), 60'000'000);
}

TEST(SamplerHazard, RefusedTimersLeaveTheThreadToTheCatchAll) {
  rlimit limit{};
  getrlimit(RLIMIT_SIGPENDING, &limit);
  const rlim_t before = std::exchange(limit.rlim_cur, 4);
  setrlimit(RLIMIT_SIGPENDING, &limit);
  auto sampler = StartOrDie({.hz = 999, .catch_all = CatchAll::kOn});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] {
      RegisterCurrentThread();
      Spin(milliseconds(60));
    });
  }
  for (auto& thread : threads) thread.join();
  const Interval interval = sampler->Stop();

  limit.rlim_cur = before;
  setrlimit(RLIMIT_SIGPENDING, &limit);

  EXPECT_GT(interval.stats.timers_refused, 0U);
  EXPECT_EQ(interval.stats.taken, interval.stats.written + interval.stats.dropped);
}

TEST(SamplerHazard, AForkedChildIsNotSampledAndMayStartItsOwn) {
  auto sampler = StartOrDie({.hz = 2000});
  Spin(milliseconds(20));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const SamplerStats none = sampler->stats();
    Spin(milliseconds(50));
    bool good = sampler->stats().taken == none.taken && sampler->TakeInterval().samples.empty() &&
                sampler->Stop().samples.empty();
    auto own = Sampler::Start({.hz = 2000});
    good = good && own.ok();
    if (good) {
      Spin(milliseconds(50));
      own.value()->Stop();
      const SamplerStats stats = own.value()->stats();
      good = stats.taken > 5 && stats.taken == stats.written + stats.dropped;
    }
    _exit(good ? 0 : 1);
  }
  Spin(milliseconds(50));
  int status = -1;
  waitpid(child, &status, 0);
  const Interval interval = sampler->Stop();

  EXPECT_EQ(status, 0);
  EXPECT_GT(WeightOf(interval), 10U);
}

TEST(SamplerHazard, AForkedChildDoesNotWaitForAHandlerOfItsParent) {
  auto sampler = StartOrDie({.hz = 10});
  std::thread([] { Spin(milliseconds(5)); }).join();
  const auto mark = [](bool in_handler) {
    for (std::uint32_t i = 0; ThreadSlot* slot = Signals().slots.At(i); ++i) {
      slot->in_handler = in_handler;
      if (i == 63) break;
    }
  };
  mark(true);  // As if every thread were in it at this moment.
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    auto own = Sampler::Start({.hz = 10});
    if (!own.ok()) _exit(1);
    own.value()->Stop();
    _exit(0);
  }
  mark(false);
  ASSERT_GE(child, 0);
  int status = -1;
  waitpid(child, &status, 0);

  EXPECT_EQ(status, 0);
}

TEST(SamplerHazard, ExecDoesNotKillTheNewProgram) {
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto own = Sampler::Start({.hz = 4000});
      Spin(milliseconds(5));
      execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done", nullptr);
      _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(SamplerHazard, BlockingCallsAreNotInterrupted) {
  auto sampler = StartOrDie({.hz = 4000});
  std::atomic<bool> done{false};
  std::thread busy([&] {
    while (!done) Spin(milliseconds(1));
  });
  int interrupted = 0;
  for (int i = 0; i < 200; ++i) {
    const timespec pause = {0, 500'000};
    if (nanosleep(&pause, nullptr) != 0 && errno == EINTR) ++interrupted;
    Spin(std::chrono::microseconds(300));
  }
  done = true;
  busy.join();

  EXPECT_EQ(interrupted, 0);
}

TEST(SamplerHazard, ErrnoIsKept) {
  auto sampler = StartOrDie({.hz = 4000});
  const auto end = ThreadCpu() + milliseconds(200);
  errno = 4242;
  int changed = 0;
  while (ThreadCpu() < end) changed += errno != 4242;

  EXPECT_EQ(changed, 0);
}

}  // namespace
}  // namespace sonde
