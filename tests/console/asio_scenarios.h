// Coroutines whose tasks are looked at, both with tracking of all operations and without.

#ifndef SONDE_TESTS_CONSOLE_ASIO_SCENARIOS_H_
#define SONDE_TESTS_CONSOLE_ASIO_SCENARIOS_H_

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sonde/asio.h"
#include "tests/console/task_reader.h"

namespace sonde {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using net::awaitable;
using net::use_awaitable;

void Burn(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// The time since it was made.
struct WallTime {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::int64_t Ns() const {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  }
};

awaitable<void> Wait(std::chrono::milliseconds time) {
  net::steady_timer timer(co_await net::this_coro::executor, time);
  co_await timer.async_wait(use_awaitable);
}

TEST(CoSpawn, NamesTheTaskAndTellsBusyFromIdle) {
  TaskReader reader;
  const WallTime wall;
  net::io_context io;
  co_spawn(
      io, TaskName("worker", {{"shard", 3}}),
      []() -> awaitable<void> {
        Burn(10ms);
        co_await Wait(300ms);
        Burn(10ms);
      },
      net::detached);
  io.run();
  const SeenTask seen = reader.Find("worker");
  EXPECT_TRUE(seen.has_ended);
  EXPECT_EQ(seen.outcome, TaskOutcome::kFinished);
  EXPECT_EQ(seen.fields, std::vector<std::string>{"shard=3"});
  EXPECT_TRUE(seen.file.ends_with("asio_scenarios.h"));
  EXPECT_GE(seen.polls, 2U);
  EXPECT_LE(seen.polls, 4U);
  EXPECT_GE(seen.busy_ns, 20'000'000);
  // The wait begins while the coroutine still runs, which others may hold up.
  EXPECT_LE(seen.busy_ns + 100'000'000, wall.Ns());
  EXPECT_EQ(seen.self_wakes, 0U);
}

TEST(CoSpawn, ReturnsTheValueAndTellsTheParent) {
  TaskReader reader;
  const WallTime wall;
  net::io_context io;
  int result = 0;
  co_spawn(
      io, "parent",
      [&]() -> awaitable<void> {
        const auto executor = co_await net::this_coro::executor;
        result = co_await co_spawn(
            executor, std::string("child"),
            []() -> awaitable<int> {
              co_await Wait(1ms);
              Burn(5ms);
              co_return 42;
            }(),
            use_awaitable);
      },
      net::detached);
  io.run();
  EXPECT_EQ(result, 42);
  const SeenTask parent = reader.Find("parent");
  const SeenTask child = reader.Find("child");
  EXPECT_EQ(child.parent, parent.id);
  EXPECT_EQ(parent.parent, 0U);
  EXPECT_GE(child.busy_ns, 5'000'000);
  EXPECT_LE(parent.busy_ns + child.busy_ns, wall.Ns());
  EXPECT_TRUE(child.has_ended);
}

TEST(CoSpawn, AnExceptionPassesAndTheTaskHasFailed) {
  TaskReader reader;
  net::io_context io;
  auto future = co_spawn(
      io, "thrower",
      []() -> awaitable<int> {
        co_await Wait(1ms);
        throw std::runtime_error("no");
      },
      net::use_future);
  io.run();
  EXPECT_THROW(future.get(), std::runtime_error);
  EXPECT_EQ(reader.Find("thrower").outcome, TaskOutcome::kFailed);
}

TEST(CoSpawn, ACancelledOrAbandonedTaskSaysSo) {
  using namespace net::experimental::awaitable_operators;
  TaskReader reader;
  {
    net::io_context io;
    co_spawn(
        io, "race",
        []() -> awaitable<void> {
          const auto executor = co_await net::this_coro::executor;
          co_await (co_spawn(executor, "loser", Wait(10min), use_awaitable) || Wait(1ms));
        },
        net::detached);
    io.run();
    co_spawn(io, "abandoned", Wait(10min), net::detached);
    io.restart();
    io.poll();
  }
  EXPECT_EQ(reader.Find("loser").outcome, TaskOutcome::kCancelled);
  EXPECT_EQ(reader.Find("race").outcome, TaskOutcome::kFinished);
  const SeenTask abandoned = reader.Find("abandoned");
  EXPECT_TRUE(abandoned.has_ended);
  EXPECT_EQ(abandoned.outcome, TaskOutcome::kCancelled);
}

TEST(CoSpawn, AYieldIsASelfWake) {
  TaskReader reader;
  net::io_context io;
  co_spawn(
      io, "yields",
      []() -> awaitable<void> {
        for (int i = 0; i < 10; ++i) {
          co_await net::post(co_await net::this_coro::executor, use_awaitable);
        }
      },
      net::detached);
  io.run();
  const SeenTask seen = reader.Find("yields");
  EXPECT_GE(seen.self_wakes, 10U);
  EXPECT_LE(seen.self_wakes, 11U);
  EXPECT_GE(seen.polls, 11U);
}

TEST(CoSpawn, ASocketEchoIsChargedToTheRightTasks) {
  TaskReader reader;
  net::io_context io;
  net::ip::tcp::acceptor acceptor(io, {net::ip::address_v4::loopback(), 0});
  std::uint64_t echo_id = 0;
  co_spawn(
      io, "accept",
      [&]() -> awaitable<void> {
        auto socket = co_await acceptor.async_accept(use_awaitable);
        co_spawn(
            acceptor.get_executor(), "echo",
            [](auto peer, std::uint64_t& id) -> awaitable<void> {
              id = current_task().id();
              char byte = 0;
              co_await net::async_read(peer, net::buffer(&byte, 1), use_awaitable);
              EXPECT_EQ(current_task().id(), id);
              co_await net::async_write(peer, net::buffer(&byte, 1), use_awaitable);
              EXPECT_EQ(current_task().id(), id);
            }(std::move(socket), echo_id),
            net::detached);
      },
      net::detached);
  co_spawn(
      io, "client",
      [&]() -> awaitable<void> {
        const std::uint64_t id = current_task().id();
        net::ip::tcp::socket socket(co_await net::this_coro::executor);
        co_await socket.async_connect(acceptor.local_endpoint(), use_awaitable);
        EXPECT_EQ(current_task().id(), id);
        char byte = 'x';
        co_await net::async_write(socket, net::buffer(&byte, 1), use_awaitable);
        co_await net::async_read(socket, net::buffer(&byte, 1), use_awaitable);
        EXPECT_EQ(current_task().id(), id);
      },
      net::detached);
  io.run();
  EXPECT_EQ(reader.Find("echo").id, echo_id);
  EXPECT_EQ(reader.Find("echo").parent, reader.Find("accept").id);
  EXPECT_TRUE(reader.Find("client").has_ended);
}

TEST(CoSpawn, NoResumeIsChargedToTheWrongTask) {
  constexpr int kTasks = 300;
  constexpr int kHops = 334;  // Times kTasks: 100,000 resumes.
  TaskReader reader;
  net::thread_pool pool(4);
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> resumes{0};
  for (int i = 0; i < kTasks; ++i) {
    co_spawn(
        pool, "hop",
        [&]() -> awaitable<void> {
          const std::uint64_t id = current_task().id();
          const auto executor = co_await net::this_coro::executor;
          net::steady_timer timer(executor);
          for (int hop = 0; hop < kHops; ++hop) {
            if (hop % 16 == 0) {
              timer.expires_after(50us);
              co_await timer.async_wait(use_awaitable);
            } else {
              co_await net::post(executor, use_awaitable);
            }
            if (current_task().id() != id || id == 0) ++wrong;
            ++resumes;
          }
        },
        net::detached);
  }
  pool.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(resumes, std::uint64_t{kTasks} * kHops);
  std::uint64_t polls = 0;
  for (const auto& [id, task] : reader.All()) polls += task.polls;
  EXPECT_GE(polls, resumes);
  EXPECT_EQ(current_task(), TaskRef());
}

}  // namespace
}  // namespace sonde

#endif  // SONDE_TESTS_CONSOLE_ASIO_SCENARIOS_H_
