#include "sonde/task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "console/task_registry.h"
#include "tests/console/task_reader.h"

namespace sonde {
namespace {

using namespace std::chrono_literals;

class TaskTest : public testing::Test {
 protected:
  SeenTask Look(std::uint64_t id) { return reader_.Look(id); }

  TaskReader reader_;
};

void SleepFor(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

TEST_F(TaskTest, KeepsNameFieldsAndParent) {
  const Task parent("accept");
  const PollGuard poll = parent.Poll();
  const Task task("session", {{"peer", "10.0.0.1"}, {"port", 555U}, {"delta", -3}, {"tls", true}});
  const SeenTask seen = Look(task.id());
  EXPECT_EQ(seen.name, "session");
  EXPECT_EQ(seen.parent, parent.id());
  EXPECT_EQ(seen.fields,
            (std::vector<std::string>{"peer=10.0.0.1", "port=555", "delta=-3", "tls=true"}));
}

TEST_F(TaskTest, CutsLongTextAtACharacterAndMarksIt) {
  std::string long_name;
  for (int i = 0; i < 100; ++i) long_name += "\xc3\xa4";
  const Task task(long_name, {{"text", std::string(1000, 'x')}, {"more", 1}});
  const SeenTask seen = Look(task.id());
  EXPECT_LE(seen.name.size(), 95U);
  EXPECT_TRUE(seen.name.ends_with("\xc3\xa4\xe2\x80\xa6"));
  ASSERT_EQ(seen.fields.size(), 1U);
  EXPECT_TRUE(seen.fields[0].ends_with("x\xe2\x80\xa6"));
}

TEST_F(TaskTest, CountsPollsAndTellsBusyFromScheduled) {
  const Task task("work");
  task.Wake();
  SleepFor(20ms);
  {
    const PollGuard poll = task.Poll();
    EXPECT_EQ(current_task(), task.ref());
    SleepFor(10ms);
  }
  EXPECT_EQ(current_task(), TaskRef());
  const SeenTask seen = Look(task.id());
  EXPECT_EQ(seen.polls, 1U);
  EXPECT_EQ(seen.wakes, 1U);
  EXPECT_EQ(seen.self_wakes, 0U);
  EXPECT_GE(seen.scheduled_ns, 20'000'000);
  EXPECT_GE(seen.busy_ns, 10'000'000);
  EXPECT_EQ(seen.wakers, 1U);
}

TEST_F(TaskTest, AWakeFromWithinIsASelfWake) {
  const Task task("yields");
  {
    const PollGuard poll = task.Poll();
    task.Wake();
  }
  const SeenTask seen = Look(task.id());
  EXPECT_EQ(seen.wakes, 1U);
  EXPECT_EQ(seen.self_wakes, 1U);
}

TEST_F(TaskTest, TheTimeOfAnInnerTaskIsNotTheOuterOnes) {
  const auto start = std::chrono::steady_clock::now();
  const Task outer("outer");
  const Task inner("inner");
  {
    const PollGuard outer_poll = outer.Poll();
    const PollGuard inner_poll = inner.Poll();
    EXPECT_EQ(current_task(), inner.ref());
    SleepFor(20ms);
  }
  EXPECT_GE(Look(inner.id()).busy_ns, 20'000'000);
  const std::chrono::nanoseconds wall = std::chrono::steady_clock::now() - start;
  EXPECT_LE(Look(outer.id()).busy_ns + Look(inner.id()).busy_ns, wall.count());
}

TEST_F(TaskTest, AGuardOfTheTaskThatRunsAlreadyChangesNothing) {
  const Task task("once");
  {
    const PollGuard poll = task.Poll();
    const PollGuard again = task.Poll();
  }
  EXPECT_EQ(Look(task.id()).polls, 1U);
}

TEST_F(TaskTest, AReferenceOutlivesItsTask) {
  TaskRef ref;
  {
    const Task task("short");
    ref = task.ref();
  }
  ref.Wake();
  const PollGuard poll(ref);
  EXPECT_EQ(current_task(), TaskRef());
  EXPECT_EQ(Look(ref.id()).wakes, 0U);
}

TEST_F(TaskTest, EndsInsideItsOwnPoll) {
  Task task("last poll");
  const std::uint64_t id = task.id();
  {
    const PollGuard poll = task.Poll();
    task.End(TaskOutcome::kFailed);
  }
  const SeenTask seen = Look(id);
  EXPECT_TRUE(seen.has_ended);
  EXPECT_EQ(seen.polls, 1U);
  EXPECT_EQ(seen.wakers, 0U);
}

TEST_F(TaskTest, OnlyWakersCountWhereTheTaskSaysSo) {
  const Task task("future", {}, {.only_wakers_resume = true});
  EXPECT_EQ(Look(task.id()).wakers, 0U);
  const TaskWaker waker(task.ref());
  const TaskWaker copy = waker;
  EXPECT_EQ(Look(task.id()).wakers, 2U);
  copy.Wake();
  EXPECT_EQ(Look(task.id()).wakes, 1U);
}

TEST_F(TaskTest, ABlockingSectionIsATaskOfItsOwn) {
  std::uint64_t id = 0;
  const int answer = Blocking("read file", [&] {
    id = current_task().id();
    return 42;
  });
  EXPECT_EQ(answer, 42);
  EXPECT_EQ(Look(id).name, "read file");
  EXPECT_TRUE(Look(id).has_ended);
}

TEST_F(TaskTest, EveryEndArrivesAndEveryCreationIsKeptOrCounted) {
  constexpr int kThreads = 4;
  constexpr int kTasks = 20'000;
  TaskRegistry& registry = TaskRegistry::Get();
  const std::uint64_t dropped_before = registry.tasks.dropped();
  const std::uint64_t id_before = registry.last_task_id;
  std::atomic<std::uint64_t> recorded{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kTasks; ++i) {
        const Task task("burst");
        const PollGuard poll = task.Poll();
        if (task.id() != 0) ++recorded;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  const std::uint64_t dropped = registry.tasks.dropped() - dropped_before;
  EXPECT_EQ(recorded + dropped, std::uint64_t{kThreads} * kTasks);
  EXPECT_EQ(registry.last_task_id - id_before, recorded);
  std::uint64_t ended = 0;
  reader_.ledger.ForEachTask([&](const TaskSlot& slot, bool has_ended) {
    if (slot.id <= id_before) return;
    ++ended;
    EXPECT_TRUE(has_ended);
    EXPECT_EQ(slot.polls, 1U);
    EXPECT_EQ(slot.polls_ended, 1U);
  });
  EXPECT_EQ(ended, recorded);
}

TEST(TaskRegistry, RecordsGoBackAtOnceWhileNobodyObserves) {
  const std::uint32_t before = TaskRegistry::Get().tasks.in_use();
  for (int i = 0; i < 1000; ++i) {
    Task task("unseen");
    const PollGuard poll = task.Poll();
    task.End();
  }
  EXPECT_EQ(TaskRegistry::Get().tasks.in_use(), before);
}

TEST(SlotPool, ARecordInUseIsNeverGivenOut) {
  static SlotPool<AsyncOpSlot> pool(1000);
  std::atomic<std::uint64_t> next_id{1};
  std::atomic<int> clashes{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50'000; ++i) {
        AsyncOpSlot* const slot = pool.Take();
        if (slot == nullptr) continue;
        const std::uint64_t id = next_id.fetch_add(1);
        slot->state = SlotHeader::kLive;
        slot->id = id;
        if (!SlotPool<AsyncOpSlot>::Pin(*slot, id, pool)) ++clashes;
        pool.Retire(*slot);
        if (SlotPool<AsyncOpSlot>::Pin(*slot, id, pool)) ++clashes;
        pool.Unpin(*slot);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(pool.in_use(), 0U);
}

}  // namespace
}  // namespace sonde
