// What it costs a program that its tasks can be watched, beside the same program that does not.
//
//   bench.console [PAIRS]
//
// One line a figure: nanoseconds of CPU time, the least of PAIRS (7) runs that alternate with
// the plain one. Ends with 1 when a bound is broken: 200 ns more for a resume of a coroutine, 400
// for a task made and ended, no allocation for either.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <new>

#include "sonde/asio.h"
#include "sonde/console.h"
#include "sonde/task.h"

namespace {

thread_local std::uint64_t t_allocations = 0;

}  // namespace

// Not inlined: a compiler that sees into one of them takes it and the other for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++t_allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

namespace asio = boost::asio;

constexpr int kResumes = 200'000;
constexpr int kTasks = 50'000;

double ThreadNs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

asio::awaitable<void> Resume(int times) {
  const auto executor = co_await asio::this_coro::executor;
  for (int i = 0; i < times; ++i) co_await asio::post(executor, asio::use_awaitable);
}

struct Cost {
  double ns = std::numeric_limits<double>::infinity();  // Of one.
  std::uint64_t allocations = 0;                        // Of all.

  void Take(double spent, std::uint64_t made, int count) {
    ns = std::min(ns, spent / count);
    allocations = made;
  }
};

void RunResumes(bool is_watched, Cost& cost) {
  asio::io_context io(1);
  if (is_watched) {
    sonde::co_spawn(io, "resumed", Resume(kResumes), asio::detached);
  } else {
    asio::co_spawn(io, Resume(kResumes), asio::detached);
  }
  const std::uint64_t made = t_allocations;
  const double began = ThreadNs();
  io.run();
  cost.Take(ThreadNs() - began, t_allocations - made, kResumes);
}

void RunTasks(Cost& cost) {
  const std::uint64_t made = t_allocations;
  const double began = ThreadNs();
  for (int i = 0; i < kTasks; ++i) {
    sonde::Task task("request");
    const sonde::PollGuard poll = task.Poll();
  }
  cost.Take(ThreadNs() - began, t_allocations - made, kTasks);
}

bool Hold(const char* what, double figure, double most, const char* unit) {
  const bool holds = figure <= most;
  std::printf("%s: %.1f %s (at most %.0f)%s\n", what, figure, unit, most, holds ? "" : " BROKEN");
  return holds;
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  sonde::ConsoleOptions options;
  options.console_port = options.http_port = 0;
  const auto console = sonde::Console::Start(options);
  if (!console.ok()) return 2;

  Cost plain;
  Cost watched;
  Cost tasks;
  for (int i = 0; i < pairs; ++i) {
    RunResumes(false, plain);
    RunResumes(true, watched);
    RunTasks(tasks);
  }
  double loads[1] = {0};
  static_cast<void>(getloadavg(loads, 1));
  std::printf("load %.1f, %d pairs\n", loads[0], pairs);
  std::printf("resume: %.1f ns plain, %.1f ns watched: %.2f times\n", plain.ns, watched.ns,
              watched.ns / plain.ns);
  bool holds = Hold("resume, more than plain", watched.ns - plain.ns, 200, "ns");
  holds &= Hold("task made, polled once and ended", tasks.ns, 400, "ns");
  // Spawning itself allocates the coroutine's frame, once.
  const auto more =
      static_cast<double>(watched.allocations) - static_cast<double>(plain.allocations);
  holds &= Hold("allocations of 200,000 resumes, more than plain", more, 4, "");
  holds &= Hold("allocations of 50,000 tasks", static_cast<double>(tasks.allocations), 0, "");
  return holds ? 0 : 1;
}
