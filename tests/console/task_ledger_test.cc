#include "console/task_ledger.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "sonde/resource.h"
#include "sonde/task.h"
#include "tests/console/wire_messages.h"

namespace sonde {
namespace {

constexpr std::size_t kLargestMessage = std::size_t{1} << 20;

// Brings `view` up to date; returns the number of messages.
std::size_t Tell(UpdateSource::Cursor& cursor, ClientView& view) {
  EXPECT_TRUE(cursor.Begin());
  std::size_t messages = 0;
  while (const GrpcFrame frame = cursor.Next()) {
    EXPECT_LE(frame->size(), kLargestMessage);
    view.Take(*frame);
    ++messages;
  }
  return messages;
}

std::size_t Living(const ClientView& view) {
  std::size_t living = 0;
  for (const auto& [id, row] : view.tasks) living += row.has_ended ? 0 : 1;
  return living;
}

TEST(TaskLedger, ASnapshotThenOnlyWhatChanged) {
  const WallClock clock;
  TaskLedger ledger({}, clock);
  const Task first("first");
  const Task second("second");
  ledger.Refresh();
  const auto cursor = ledger.Watch();
  ClientView view;
  Tell(*cursor, view);
  EXPECT_EQ(view.tasks.at(first.id()).name, "first");
  EXPECT_EQ(view.tasks.at(second.id()).name, "second");
  EXPECT_EQ(view.without_stats, 0U);

  { const PollGuard poll = second.Poll(); }
  ledger.Refresh();
  EXPECT_TRUE(cursor->Begin());
  const WireMessage delta(std::string_view(*cursor->Next()).substr(5));
  EXPECT_EQ(cursor->Next(), nullptr);
  EXPECT_TRUE(delta.Nested(2).All(1).empty());
  ASSERT_EQ(delta.Nested(2).All(3).size(), 1U);
  EXPECT_EQ(WireMessage(delta.Nested(2).All(3)[0]).Number(1), second.id());
}

TEST(TaskLedger, AFieldOfTheProgramIsNotTakenForOneOfTheClients) {
  const WallClock clock;
  TaskLedger ledger({}, clock);
  const Task task("job",
                  {{"kind", "blue"}, {"task.name", "x"}, {"size.bytes", 4096U}, {"peer", "a"}},
                  {.kind = "worker"});
  ledger.Refresh();
  const auto cursor = ledger.Watch();
  cursor->Begin();
  const WireMessage update(std::string_view(*cursor->Next()).substr(5));
  std::map<std::string, std::string> fields;
  for (const std::string& bytes : update.Nested(2).All(1)) {
    const WireMessage new_task(bytes);
    if (new_task.Nested(1).Number(1) != task.id()) continue;
    for (const std::string& field_bytes : new_task.All(4)) {
      const WireMessage field(field_bytes);
      const bool is_text = field.Has(4);
      EXPECT_TRUE(
          fields
              .emplace(field.All(1)[0], is_text ? field.All(4)[0] : std::to_string(field.Number(5)))
              .second);
    }
  }
  const std::map<std::string, std::string> expected{
      {"kind", "worker"},     {"task.name", "job"},     {"task.id", std::to_string(task.id())},
      {"field.kind", "blue"}, {"field.task.name", "x"}, {"field.size.bytes", "4096"},
      {"peer", "a"}};
  EXPECT_EQ(fields, expected);
}

TEST(TaskLedger, AnUpdateComesAlsoWhenNothingChanged) {
  const WallClock clock;
  TaskLedger ledger({}, clock);
  const auto cursor = ledger.Watch();
  ClientView view;
  Tell(*cursor, view);
  ledger.Refresh();
  EXPECT_EQ(Tell(*cursor, view), 1U);
}

TEST(TaskLedger, TwoWatchersAreToldTheSameAtDifferentTimes) {
  const WallClock clock;
  TaskLedger ledger({.retention = std::chrono::nanoseconds(0)}, clock);
  const auto eager = ledger.Watch();
  const auto lazy = ledger.Watch();
  ClientView eager_view;
  ClientView lazy_view;
  Tell(*lazy, lazy_view);
  std::deque<Task> tasks;
  for (int round = 0; round < 10; ++round) {
    if (round > 0) tasks.pop_front();
    for (int i = 0; i < 5; ++i) tasks.emplace_back("task " + std::to_string(round));
    if (round == 4) Tell(*lazy, lazy_view);
    ledger.Refresh();
    Tell(*eager, eager_view);
  }
  tasks.clear();
  ledger.Refresh();
  Tell(*eager, eager_view);
  Tell(*lazy, lazy_view);
  // No ghosts: whatever a watcher was told of, it is also told the end of.
  EXPECT_EQ(Living(eager_view), 0U);
  EXPECT_EQ(Living(lazy_view), 0U);
  EXPECT_EQ(eager_view.tasks.size(), 50U);
}

TEST(TaskLedger, LargeSnapshotsComeInPiecesThatStandAlone) {
  const WallClock clock;
  TaskLedger ledger({}, clock);
  std::deque<Task> tasks;
  for (int i = 0; i < 20'000; ++i)
    tasks.emplace_back("session", std::initializer_list<Field>{{"n", i}});
  ledger.Refresh();
  const auto cursor = ledger.Watch();
  ClientView view;
  EXPECT_GE(Tell(*cursor, view), 4U);
  EXPECT_EQ(view.tasks.size(), 20'000U);
  EXPECT_EQ(view.without_stats, 0U);
}

TEST(TaskLedger, ATaskThatEndsAndIsForgottenDuringTheSnapshotIsNoGhost) {
  const WallClock clock;
  TaskLedger ledger({.retention = std::chrono::nanoseconds(0)}, clock);
  std::deque<Task> tasks;
  for (int i = 0; i < 10'000; ++i) tasks.emplace_back("session");
  ledger.Refresh();
  const auto cursor = ledger.Watch();
  ClientView view;
  ASSERT_TRUE(cursor->Begin());
  view.Take(*cursor->Next());
  EXPECT_FALSE(cursor->Begin());
  tasks.clear();
  ledger.Refresh();
  while (const GrpcFrame frame = cursor->Next()) view.Take(*frame);
  Tell(*cursor, view);
  EXPECT_GT(view.tasks.size(), 1000U);
  EXPECT_EQ(Living(view), 0U);
}

TEST(TaskLedger, BeyondTheCeilingWhatEndedFirstGoesAndNewLivingTasksAreCounted) {
  const WallClock clock;
  TaskLedger ledger({.ceiling = 1000}, clock);
  for (int i = 0; i < 950; ++i) const Task task("ended");
  EXPECT_TRUE(ledger.UnderPressure());
  ledger.Refresh();
  EXPECT_FALSE(ledger.UnderPressure());
  EXPECT_GE(ledger.evicted().tasks, 200U);

  const std::uint64_t dropped = TaskRegistry::Get().tasks.dropped();
  const auto cursor = ledger.Watch();
  ClientView view;
  Tell(*cursor, view);
  const std::uint64_t told = view.dropped;
  std::deque<Task> tasks;
  for (int i = 0; i < 1000; ++i) tasks.emplace_back("living");
  const std::uint64_t more = TaskRegistry::Get().tasks.dropped() - dropped;
  EXPECT_GT(more, 0U);
  ledger.Refresh();
  Tell(*cursor, view);
  EXPECT_EQ(view.dropped - told, more);
  tasks.clear();
}

TEST(TaskLedger, EndsOfResourcesAndOperationsAreOwedToo) {
  const WallClock clock;
  TaskLedger ledger({.retention = std::chrono::nanoseconds(0)}, clock);
  const auto cursor = ledger.Watch();
  ClientView view;
  {
    const Resource socket(ResourceKind::kSocket, "tcp socket");
    const Resource part(socket, ResourceKind::kOther, "buffer", "Buffer");
    const AsyncOp read(socket, "async_read");
    ledger.Refresh();
    Tell(*cursor, view);
  }
  ledger.Refresh();
  ledger.Refresh();
  Tell(*cursor, view);
  EXPECT_EQ(view.resources.size(), 2U);
  EXPECT_EQ(view.async_ops.size(), 1U);
  for (const auto& [id, has_ended] : view.resources) EXPECT_TRUE(has_ended);
  for (const auto& [id, has_ended] : view.async_ops) EXPECT_TRUE(has_ended);
}

TEST(TaskLedger, NamesAreKnownAfterTheTaskIsForgotten) {
  const WallClock clock;
  TaskLedger ledger({.retention = std::chrono::nanoseconds(0)}, clock);
  std::uint64_t id = 0;
  {
    const Task task("flush");
    id = task.id();
    ledger.Refresh();
  }
  ledger.Refresh();
  EXPECT_EQ(ledger.NameOf(id), "flush");
  EXPECT_EQ(ledger.NameOf(id + 1), "");
}

TEST(TaskLedger, NamesAreKnownBeforeTheTaskIsSeen) {
  const WallClock clock;
  TaskLedger ledger({}, clock);
  std::uint64_t ended = 0;
  {
    const Task task("ended at once");
    ended = task.id();
  }
  const Task living("living");
  EXPECT_EQ(ledger.NameOf(ended), "ended at once");
  EXPECT_EQ(ledger.NameOf(living.id()), "living");
}

}  // namespace
}  // namespace sonde
