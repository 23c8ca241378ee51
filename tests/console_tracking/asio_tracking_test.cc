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
  tell(view);
  const std::size_t resources_before = view.resources.size();
  co_spawn(
      io, "accept", [&]() -> awaitable<void> { co_await acceptor.async_accept(use_awaitable); },
      net::detached);
  co_spawn(io, "sleep", Wait(10min), net::detached);
  io.poll();
  tell(view);
  EXPECT_EQ(view.resources.size(), resources_before + 2);
  EXPECT_EQ(view.async_ops.size(), 2U);
  for (const auto& [id, has_ended] : view.async_ops) EXPECT_FALSE(has_ended);
  for (auto made = std::prev(view.resources.end(), 2); made != view.resources.end(); ++made) {
    EXPECT_FALSE(made->second);
  }

  acceptor.close();
  io.poll();
  tell(view);
  int ended = 0;
  for (const auto& [id, has_ended] : view.async_ops) ended += has_ended ? 1 : 0;
  EXPECT_EQ(ended, 1);
  EXPECT_TRUE(reader.Find("accept").has_ended);
  EXPECT_FALSE(reader.Find("sleep").has_ended);
}

TEST(AsioTracking, ATimerThatIsArmedAgainIsOneResource) {
  TaskReader reader;
  net::io_context io;
  const auto cursor = reader.ledger.Watch();
  ClientView view;
  const auto tell = [&] {
    reader.ledger.Refresh();
    EXPECT_TRUE(cursor->Begin());
    while (const GrpcFrame frame = cursor->Next()) view.Take(*frame);
  };
  tell();
  const std::size_t before = view.resources.size();
  constexpr int kWaits = 20;
  const auto wait_often = [](net::steady_timer& timer) -> awaitable<void> {
    for (int i = 0; i < kWaits; ++i) {
      timer.expires_after(1ms);
      co_await timer.async_wait(use_awaitable);
    }
  };
  net::steady_timer other(io);
  {
    net::steady_timer timer(io);
    co_spawn(io, "ticks", wait_often(timer), net::detached);
    io.run();
  }
  tell();
  ASSERT_EQ(view.resources.size(), before + 1);
  EXPECT_EQ(view.async_ops.size(), kWaits);
  EXPECT_FALSE(view.resources.rbegin()->second);

  // It is gone: others find that out when they wait.
  std::this_thread::sleep_for(1100ms);
  io.restart();
  co_spawn(io, "ticks", wait_often(other), net::detached);
  io.run();
  tell();
  ASSERT_EQ(view.resources.size(), before + 2);
  EXPECT_TRUE(std::next(view.resources.rbegin())->second);
  EXPECT_FALSE(view.resources.rbegin()->second);
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
