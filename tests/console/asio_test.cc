#include "tests/console/asio_scenarios.h"

namespace sonde {
namespace {

TEST(TrackingExecutor, SchedulingIsTheTimeFromPostToRun) {
  TaskReader reader;
  net::io_context io;
  co_spawn(
      io, "late", []() -> awaitable<void> { co_return; }, net::detached);
  std::this_thread::sleep_for(20ms);
  io.run();
  const SeenTask seen = reader.Find("late");
  EXPECT_EQ(seen.wakes, 1U);
  EXPECT_EQ(seen.polls, 1U);
  EXPECT_GE(seen.scheduled_ns, 20'000'000);
}

TEST(TrackingExecutor, ATaskOnAnotherTasksExecutorCountsForItselfAlone) {
  TaskReader reader;
  net::io_context io;
  co_spawn(
      io, "outer",
      []() -> awaitable<void> {
        const auto executor = co_await net::this_coro::executor;
        co_spawn(
            executor, "inner",
            []() -> awaitable<void> {
              for (int i = 0; i < 20; ++i) co_await Wait(1ms);
            },
            net::detached);
      },
      net::detached);
  io.run();
  EXPECT_GE(reader.Find("inner").polls, 21U);
  EXPECT_LE(reader.Find("outer").polls, 2U);
}

}  // namespace
}  // namespace sonde
