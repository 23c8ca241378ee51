#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "sampler/interval.h"
#include "sampler/symbolizer.h"
#include "sampler/thread_status.h"
#include "sonde/profile.h"
#include "sonde/sampler.h"
#include "sonde/thread_context.h"
#include "tests/sampler/signal/spin.h"

namespace sonde {
namespace {

using std::chrono::milliseconds;

std::unique_ptr<Sampler> StartOrDie(const SamplerOptions& options) {
  Result<std::unique_ptr<Sampler>> sampler = Sampler::Start(options);
  if (!sampler.ok()) std::abort();
  return std::move(sampler).value();
}

// A thread that spins, or waits to be released, until the end of its scope.
class Helper {
 public:
  explicit Helper(bool spins) : thread_([this, spins] { Run(spins); }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tid_ != 0; });
    lock.unlock();
    while (!spins && StateOfThread(tid_) != ThreadState::kWaiting) std::this_thread::yield();
  }
  ~Helper() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  std::int32_t tid() const { return tid_; }

 private:
  void Run(bool spins) {
    RegisterCurrentThread();
    std::unique_lock lock(mutex_);
    tid_ = gettid();
    changed_.notify_all();
    if (!spins) return changed_.wait(lock, [&] { return is_done_.load(); });
    lock.unlock();
    while (!is_done_) Spin(milliseconds(1));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int32_t tid_ = 0;
  std::atomic<bool> is_done_{false};
  std::thread thread_;
};

struct Times {
  std::int64_t all = 0;
  std::int64_t running = 0;
};

std::map<std::int32_t, Times> TimesByThread(const Interval& interval) {
  std::map<std::int32_t, Times> times;
  for (const IntervalSample& sample : interval.samples) {
    Times& of_thread = times[interval.threads[sample.thread].tid];
    of_thread.all += static_cast<std::int64_t>(sample.weight);
    if (sample.state == ThreadState::kRunning) {
      of_thread.running += static_cast<std::int64_t>(sample.weight);
    }
  }
  return times;
}

std::uint64_t LooksOf(const Interval& interval) {
  std::uint64_t looks = 0;
  for (const IntervalSample& sample : interval.samples) looks += sample.signals;
  return looks;
}

// A thread that lives all the time has exactly the interval: the collector reads the clock once
// for the end of the interval and of every thread's time in it.
TEST(WallClock, EachThreadsTimeIsTheIntervalsLength) {
  const Helper busy(true);
  const Helper idle(false);
  auto sampler = StartOrDie({.wall_hz = 200});
  sampler->BeginWall();
  std::uint64_t time_ns = 0;
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(milliseconds(60));
    const Interval interval = sampler->TakeWallInterval();
    std::map<std::int32_t, Times> times = TimesByThread(interval);
    EXPECT_EQ(interval.kind, IntervalKind::kWall);
    EXPECT_EQ(times[busy.tid()].all, interval.duration_ns);
    EXPECT_EQ(times[idle.tid()].all, interval.duration_ns);
    EXPECT_EQ(times[getpid()].all, interval.duration_ns);
    EXPECT_EQ(interval.wall.time_ns, static_cast<std::uint64_t>(3 * interval.duration_ns));
    EXPECT_EQ(interval.wall.dropped_ns, 0U);
    time_ns += interval.wall.time_ns;
  }
  sampler->Stop();
  const Interval last = sampler->TakeWallInterval();

  EXPECT_EQ(TimesByThread(last)[idle.tid()].all, last.duration_ns);
  EXPECT_GE(time_ns, std::uint64_t{3 * 180'000'000});
  EXPECT_TRUE(sampler->TakeWallInterval().samples.empty());
}

TEST(WallClock, BusyAndWaitingThreadsAreToldApart) {
  const Helper busy(true);
  const Helper idle(false);
  auto sampler = StartOrDie({.wall_hz = 200});
  sampler->BeginWall();
  std::this_thread::sleep_for(milliseconds(300));
  const Interval interval = sampler->TakeWallInterval();

  const Times busy_times = TimesByThread(interval)[busy.tid()];
  const Times idle_times = TimesByThread(interval)[idle.tid()];
  EXPECT_GT(busy_times.running * 10, busy_times.all * 9);
  EXPECT_LT(idle_times.running * 10, idle_times.all);
}

TEST(WallClock, AThreadThatStandsStillIsNotAskedAgain) {
  const Helper idle(false);
  auto sampler = StartOrDie({.wall_hz = 500});
  sampler->BeginWall();
  std::this_thread::sleep_for(milliseconds(400));
  const Interval interval = sampler->TakeWallInterval();

  EXPECT_GT(interval.wall.repeated, interval.wall.signals);
  EXPECT_EQ(interval.wall.threads, 2U);
  std::size_t stacks = 0;
  for (const IntervalSample& sample : interval.samples) {
    if (interval.threads[sample.thread].tid != idle.tid()) continue;
    ++stacks;
    EXPECT_GT(sample.frames.size(), 3U);
    EXPECT_FALSE(sample.truncated);
  }
  EXPECT_EQ(stacks, 1U);
}

TEST(WallClock, AThreadThatBlocksTheSignalHasTimeWithoutAStack) {
  sigset_t sigprof;
  sigemptyset(&sigprof);
  sigaddset(&sigprof, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &sigprof, nullptr);
  const Helper deaf(true);
  pthread_sigmask(SIG_UNBLOCK, &sigprof, nullptr);
  auto sampler = StartOrDie({.catch_all = CatchAll::kOff, .wall_hz = 200});
  sampler->BeginWall();
  std::this_thread::sleep_for(milliseconds(100));
  const Interval interval = sampler->TakeWallInterval();

  EXPECT_EQ(TimesByThread(interval)[deaf.tid()].all, interval.duration_ns);
  for (const IntervalSample& sample : interval.samples) {
    EXPECT_EQ(sample.frames.empty(), interval.threads[sample.thread].tid == deaf.tid());
  }
}

// Those of the first look have it all; one that comes later is found by the next look, after one
// and a half periods at most, and has nothing that it did not live.
TEST(WallClock, AThreadHasNoMoreThanItLived) {
  auto sampler = StartOrDie({.wall_hz = 200});
  sampler->BeginWall();
  std::this_thread::sleep_for(milliseconds(20));
  std::int32_t tid = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::thread([&] {
    tid = gettid();
    std::this_thread::sleep_for(milliseconds(200));
  }).join();
  const std::int64_t lived_ns = (std::chrono::steady_clock::now() - begin).count();
  std::this_thread::sleep_for(milliseconds(50));
  const Interval interval = sampler->TakeWallInterval();

  const std::int64_t seen_ns = TimesByThread(interval)[tid].all;
  EXPECT_LE(seen_ns, lived_ns);
  EXPECT_GT(seen_ns, 0);
}

TEST(WallClock, CpuTimeIsAccountedForAsBefore) {
  auto sampler = StartOrDie({.hz = 999, .wall_hz = 1000});
  sampler->BeginWall();
  Spin(milliseconds(200));
  const Interval interval = sampler->Stop();

  EXPECT_EQ(interval.stats.taken, interval.stats.written + interval.stats.dropped);
  EXPECT_EQ(interval.stats.foreign, 0U);
  for (const IntervalSample& sample : interval.samples) {
    EXPECT_EQ(sample.state, ThreadState::kUnknown);
  }
  EXPECT_FALSE(sampler->TakeWallInterval().samples.empty());
}

TEST(WallClock, NothingIsSampledUnlessAsked) {
  auto sampler = StartOrDie({});
  std::this_thread::sleep_for(milliseconds(150));
  EXPECT_TRUE(sampler->TakeWallInterval().samples.empty());
  sampler->BeginWall();
  sampler->BeginWall();
  sampler->EndWall();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(sampler->TakeWallInterval().samples.empty());
  sampler->EndWall();
  EXPECT_TRUE(sampler->TakeWallInterval().samples.empty());
}

TEST(WallClock, AProfileSaysStateAndNanoseconds) {
  const Helper busy(true);
  const Helper idle(false);
  auto sampler = StartOrDie({.wall_hz = 200});
  sampler->BeginWall();
  std::this_thread::sleep_for(milliseconds(100));
  const Interval interval = sampler->TakeWallInterval();
  const Profile profile = Symbolizer().Name(interval).Build();

  EXPECT_EQ(profile.FindSampleType("wall"), profile.default_sample_type());
  EXPECT_EQ(profile.FindSampleType("cpu"), std::nullopt);
  EXPECT_EQ(profile.Total(1), static_cast<std::int64_t>(interval.wall.time_ns));
  EXPECT_EQ(profile.Total(0), static_cast<std::int64_t>(LooksOf(interval)));
  std::set<std::string> states;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    for (const Label& label : profile.labels(profile.sample(i).labels)) {
      if (profile.text(label.key) == "state") states.emplace(profile.text(label.text));
    }
  }
  EXPECT_EQ(states, (std::set<std::string>{"running", "waiting"}));
}

TEST(WallClock, StacksMayBeWalkedLater) {
  auto started = Sampler::Start({.unwinder = Unwinder::kDeferred, .wall_hz = 200});
  if (!started.ok()) GTEST_SKIP() << Describe(started.error());
  const Helper busy(true);
  started.value()->BeginWall();
  std::this_thread::sleep_for(milliseconds(150));
  started.value()->Stop();
  const Interval interval = started.value()->TakeWallInterval();

  EXPECT_GT(interval.samples.size(), 1U);
  EXPECT_EQ(TimesByThread(interval)[getpid()].all, interval.duration_ns);
}

TEST(WallClock, RestartableCallsAreNotInterrupted) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  auto sampler = StartOrDie({.wall_hz = 1000});
  sampler->BeginWall();
  std::thread writer([&] {
    for (int i = 0; i < 50; ++i) {
      std::this_thread::sleep_for(milliseconds(4));
      EXPECT_EQ(write(pipe_ends[1], "x", 1), 1);
    }
  });
  int interrupted = 0;
  for (int i = 0; i < 50; ++i) {
    char byte = 0;
    if (read(pipe_ends[0], &byte, 1) != 1) interrupted += errno == EINTR;
  }
  writer.join();
  close(pipe_ends[0]);
  close(pipe_ends[1]);

  EXPECT_EQ(interrupted, 0);
  EXPECT_GT(sampler->TakeWallInterval().wall.signals, 5U);
}

}  // namespace
}  // namespace sonde
