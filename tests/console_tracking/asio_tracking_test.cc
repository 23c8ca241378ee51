#include "tests/console/asio_scenarios.h"

#include "tests/console/wire_messages.h"

namespace sonde {
namespace {

TEST(AsioTracking, AWaitShowsWhatItWaitsForAndEndsWithIt) {
  TaskReader reader;
  net::io_context io;
  net::ip::tcp::acceptor acceptor(io, {net::ip::address_v4::loopback(), 0});
  const auto cursor = reader.ledger.Watch();
  const auto tell = [&](ClientView& view) {
    reader.ledger.Refresh();
    EXPECT_TRUE(cursor->Begin());
    while (const GrpcFrame frame = cursor->Next()) view.Take(*frame);
  };
  ClientView view;
  co_spawn(
      io, "accept", [&]() -> awaitable<void> { co_await acceptor.async_accept(use_awaitable); },
      net::detached);
  co_spawn(io, "sleep", Wait(10min), net::detached);
  io.poll();
  tell(view);
  EXPECT_EQ(view.resources.size(), 2U);
  EXPECT_EQ(view.async_ops.size(), 2U);
  for (const auto& [id, has_ended] : view.async_ops) EXPECT_FALSE(has_ended);
  for (const auto& [id, has_ended] : view.resources) EXPECT_FALSE(has_ended);

  acceptor.close();
  io.poll();
  tell(view);
  int ended = 0;
  for (const auto& [id, has_ended] : view.async_ops) ended += has_ended ? 1 : 0;
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(reader.Find("accept").has_ended);
  EXPECT_FALSE(reader.Find("sleep").has_ended);
}

TEST(AsioTracking, AHandlerThatThrowsLeavesNoTaskBehind) {
  TaskReader reader;
  net::io_context io;
  const Task task("thrower");
  {
    const PollGuard poll = task.Poll();
    net::post(io, [] { throw std::runtime_error("no"); });
  }
  EXPECT_THROW(io.run(), std::runtime_error);
  EXPECT_EQ(current_task(), TaskRef());
  EXPECT_EQ(reader.Find("thrower").polls, 2U);
}

TEST(AsioTracking, UnderAStrandTimeIsChargedToTheTaskThatRuns) {
  TaskReader reader;
  const WallTime wall;
  net::io_context io;
  const auto strand = net::make_strand(io);
  const Task light("light");
  const Task heavy("heavy");
  {
    const PollGuard poll = light.Poll();
    net::post(strand, [] {});
  }
  {
    const PollGuard poll = heavy.Poll();
    net::post(strand, [] { Burn(20ms); });
  }
  io.run();
  EXPECT_GE(reader.Find("heavy").busy_ns, 20'000'000);
  EXPECT_LE(reader.Find("light").busy_ns + reader.Find("heavy").busy_ns, wall.Ns());
}

}  // namespace
}  // namespace sonde
