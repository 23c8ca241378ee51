// What a task's times are when several threads poll it, by laws that hold for every schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "console/wire/record_stats.h"
#include "tests/console/task_reader.h"
#include "tests/console/wire_messages.h"

namespace sonde {
namespace {

struct Interval {
  std::int64_t begin;
  std::int64_t end;
};

std::int64_t UnionOf(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::int64_t covered_up_to = 0;
  std::int64_t sum = 0;
  for (const Interval& interval : intervals) {
    const std::int64_t begin = std::max(interval.begin, covered_up_to);
    sum += std::max<std::int64_t>(0, interval.end - begin);
    covered_up_to = std::max(covered_up_to, interval.end);
  }
  return sum;
}

// Clock readings around polls: each poll lasted at least as long as `inner`, at most `outer`.
struct Polls {
  std::vector<Interval> inner;
  std::vector<Interval> outer;

  template <typename Work>
  void Add(const Task& task, Work&& work) {
    Interval within{};
    Interval around{TaskClockNs(), 0};
    {
      const PollGuard poll = task.Poll();
      within.begin = TaskClockNs();
      work();
      within.end = TaskClockNs();
    }
    around.end = TaskClockNs();
    inner.push_back(within);
    outer.push_back(around);
  }
  void Add(const Polls& other) {
    inner.insert(inner.end(), other.inner.begin(), other.inner.end());
    outer.insert(outer.end(), other.outer.begin(), other.outer.end());
  }
};

void ExpectUnion(std::int64_t busy_ns, const Polls& polls) {
  EXPECT_GE(busy_ns, UnionOf(polls.inner));
  EXPECT_LE(busy_ns, UnionOf(polls.outer));
}

void SpinFor(std::int64_t ns) {
  const std::int64_t end = TaskClockNs() + ns;
  while (TaskClockNs() < end) {
  }
}

// What a client that got the task's Stats makes of them at `now`.
struct ClientTimes {
  ClientTimes(const TaskSlot& slot, const WallClock& clock, std::int64_t now) {
    std::string bytes;
    ProtobufWriter out(bytes);
    WriteTaskStats(out, slot, clock);
    const WireMessage stats = WireMessage(WireMessage(bytes).Nested(3)).Nested(2);
    const WireMessage polls = stats.Nested(7);
    const std::int64_t started = Ns(polls.Nested(4));
    is_running = started > Ns(polls.Nested(5));
    busy_ns = Ns(polls.Nested(6));
    if (is_running) busy_ns += std::max<std::int64_t>(0, clock.UnixNs(now) - started);
    scheduled_ns = Ns(stats.Nested(9));
  }
  static std::int64_t Ns(const WireMessage& time) {
    return static_cast<std::int64_t>(time.Number(1)) * 1'000'000'000 +
           static_cast<std::int64_t>(time.Number(2));
  }
  bool is_running;
  std::int64_t busy_ns;
  std::int64_t scheduled_ns;
};

class BusyTimeTest : public testing::Test {
 protected:
  // Calls `read(slot)` with the record of `task`.
  template <typename Read>
  void With(const Task& task, Read&& read) {
    reader_.ledger.ForEachTask([&](const TaskSlot& slot, bool) {
      if (slot.id == task.id()) read(slot);
    });
  }
  std::int64_t BusyNs(const Task& task) { return reader_.Look(task.id()).busy_ns; }

  TaskReader reader_;
};

// Runs `work(thread, polls)` on several threads at once.
Polls OnThreads(int threads, const std::function<void(int, Polls&)>& work) {
  std::vector<Polls> polls(static_cast<std::size_t>(threads));
  std::latch ready(threads);
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      ready.arrive_and_wait();
      work(i, polls[static_cast<std::size_t>(i)]);
    });
  }
  running.clear();
  Polls all;
  for (const Polls& some : polls) all.Add(some);
  return all;
}

TEST_F(BusyTimeTest, PollsThatOverlapCountOnce) {
  const Task task("staggered");
  std::latch second_in(1);
  std::latch first_out(1);
  const Polls polls = OnThreads(2, [&](int thread, Polls& own) {
    if (thread == 0) {
      own.Add(task, [&] { second_in.wait(); });
      first_out.count_down();
    } else {
      SpinFor(2'000'000);
      own.Add(task, [&] {
        SpinFor(2'000'000);
        second_in.count_down();
        first_out.wait();
        SpinFor(4'000'000);
      });
    }
  });
  ExpectUnion(BusyNs(task), polls);
}

TEST_F(BusyTimeTest, APollWithinAnotherOneAddsNothing) {
  const Task task("inside");
  std::latch first_in(1);
  std::latch second_out(1);
  const Polls polls = OnThreads(2, [&](int thread, Polls& own) {
    if (thread == 0) {
      own.Add(task, [&] {
        first_in.count_down();
        second_out.wait();
        SpinFor(1'000'000);
      });
    } else {
      first_in.wait();
      own.Add(task, [&] { SpinFor(1'000'000); });
      second_out.count_down();
    }
  });
  ExpectUnion(BusyNs(task), polls);
}

TEST_F(BusyTimeTest, AnyPollsOfAnyThreadsAddUpToTheirUnion) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Task task("random");
    const Polls polls = OnThreads(4, [&](int thread, Polls& own) {
      std::minstd_rand random(seed * 4 + static_cast<unsigned>(thread) + 1);
      for (int i = 0; i < 200; ++i) {
        if (random() % 4 == 0) task.Wake();
        SpinFor(static_cast<std::int64_t>(random() % 4'000));
        own.Add(task, [&] { SpinFor(static_cast<std::int64_t>(random() % 2'000)); });
      }
    });
    ExpectUnion(BusyNs(task), polls);
    With(task, [&](const TaskSlot& slot) {
      EXPECT_FALSE(slot.busy.has_threads());
      const ClientTimes client(slot, reader_.clock, TaskClockNs());
      EXPECT_FALSE(client.is_running);
      EXPECT_EQ(client.busy_ns, slot.busy.sum());
    });
  }
}

TEST_F(BusyTimeTest, AThreadInAnotherTaskDoesNotCount) {
  const Task outer("outer");
  const Task inner("inner");
  Polls inner_polls;
  Polls before_and_after;
  const std::int64_t first = TaskClockNs();
  {
    const PollGuard poll = outer.Poll();
    const std::int64_t begun = TaskClockNs();
    SpinFor(100'000);
    const std::int64_t left = TaskClockNs();
    inner_polls.Add(inner, [] { SpinFor(5'000'000); });
    const std::int64_t back = TaskClockNs();
    SpinFor(100'000);
    before_and_after.inner = {{begun, left}, {back, TaskClockNs()}};
    before_and_after.outer = {{first, inner_polls.inner[0].begin}};
  }
  before_and_after.outer.push_back({inner_polls.inner[0].end, TaskClockNs()});
  ExpectUnion(BusyNs(inner), inner_polls);
  ExpectUnion(BusyNs(outer), before_and_after);
}

TEST_F(BusyTimeTest, WhatReadersSeeNeverDecreasesAndFitsIntoTheTasksAge) {
  const std::int64_t born = TaskClockNs();
  const Task task("watched");
  const Task other("other");
  std::atomic<bool> is_over{false};
  std::jthread polling([&] {
    OnThreads(3, [&](int thread, Polls&) {
      std::minstd_rand random(static_cast<unsigned>(thread) + 1);
      for (int i = 0; i < 3'000; ++i) {
        task.Wake();
        const PollGuard poll = task.Poll();
        SpinFor(static_cast<std::int64_t>(random() % 2'000));
        if (random() % 8 != 0) continue;
        const PollGuard inner = other.Poll();
        SpinFor(static_cast<std::int64_t>(random() % 2'000));
      }
    });
    is_over = true;
  });
  std::int64_t busy = 0;
  std::int64_t shown = 0;
  while (!is_over) {
    With(task, [&](const TaskSlot& slot) {
      const auto [now, busy_ns] = slot.busy.Read();
      EXPECT_GE(busy_ns, busy);
      EXPECT_LE(busy_ns, now - born);
      busy = busy_ns;
      const ClientTimes client(slot, reader_.clock, TaskClockNs());
      EXPECT_GE(client.busy_ns, shown);
      EXPECT_LE(client.busy_ns + client.scheduled_ns, TaskClockNs() - born);
      shown = client.busy_ns;
    });
  }
}

TEST_F(BusyTimeTest, AWakeIsAnsweredByWhicheverPollComesFirst) {
  const Task task("woken");
  {
    const PollGuard poll = task.Poll();
    task.Wake();
    std::jthread([&] { const PollGuard answer = task.Poll(); });
  }
  With(task, [](const TaskSlot& slot) {
    EXPECT_LT(slot.last_wake_ns, slot.last_poll_started_ns);
    EXPECT_EQ(slot.scheduled_ns, 0);
  });
}

}  // namespace
}  // namespace sonde
