// torture.memory [POINTS]: a session in a process that gets no memory, or no thread, at one of
// POINTS moments of the session's life. The host must live and its work go on, whether the session
// starts or says that it cannot.

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "sonde/label.h"
#include "sonde/push.h"
#include "sonde/session.h"
#include "sonde/task.h"
#include "tests/support/fake_engine.h"
#include "tests/support/free_port.h"
#include "tests/support/process_status.h"
#include "tests/support/temporary_folder.h"

namespace {

// Of each kind, those that still succeed; then `failing` of them fail.
struct Supply {
  std::atomic<std::int64_t> left{INT64_MAX};
  std::atomic<std::int64_t> failing{0};

  void Limit(std::int64_t good, std::int64_t bad) {
    failing = bad;
    left = good;
  }
  void Restore() { left = INT64_MAX; }
  bool Take() {
    const std::int64_t before = left.fetch_sub(1, std::memory_order_relaxed);
    return before > 0 || before <= -failing.load(std::memory_order_relaxed);
  }
};
Supply allocations;
Supply threads;

void* Allocate(std::size_t size, std::size_t alignment) {
  void* const memory =
      !allocations.Take() ? nullptr
      : alignment == 0
          ? std::malloc(size)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

// Stands before libc's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) noexcept {
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return threads.Take() ? real(thread, attributes, run, argument) : EAGAIN;
}

namespace sonde::torture {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// What a child tells its parent.
struct Told {
  std::int64_t allocations = 0;
  std::int64_t threads = 0;
  bool started = false;
};

// The program around the session: two threads that work, with labels and tasks, and need nothing.
class Host {
 public:
  Host() {
    for (std::thread& thread : threads_) thread = std::thread([this] { Work(); });
  }
  ~Host() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  void Begin() { begun_ = true; }
  std::uint64_t rounds() const { return rounds_; }

 private:
  void Work() {
    while (!begun_) std::this_thread::sleep_for(1ms);
    while (!done_) {
      const Task task("job");
      const PollGuard poll = task.Poll();
      const ScopedLabel label("kind", rounds_ % 2 == 0 ? "a value too long for a small string"
                                                       : "another of them, just as long");
      volatile std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < 100'000; ++i) sum = sum + i;
      ++rounds_;
    }
  }

  std::atomic<bool> begun_{false};
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> rounds_{0};
  std::thread threads_[2];
};

SessionOptions OptionsFor(const std::string& folder, const std::string& engine) {
  SessionOptions options;
  options.directory = folder;
  options.sampler.hz = 999;
  options.snapshots.interval = 50ms;
  options.console.console_port = 0;
  options.console.http_port = FreePort();
  options.wall = true;
  options.pusher = &MakeHttpPusher;
  options.push.url = engine;
  options.push.interval = 100ms;
  options.push.timeout = 100ms;
  options.on_error = [](const Error&) {};
  return options;
}

// One life of a session, from where `limit` is called.
template <typename Limit>
void Live(const std::string& folder, const std::string& engine, Told& told, Limit limit) {
  Host host;
  SessionOptions options = OptionsFor(folder, engine);
  SessionStats stats;
  limit();
  host.Begin();
  {
    std::optional<Result<Session>> session;
    session.emplace(Session::Create(std::move(options)));
    const bool started = session->ok() && session->value().Start().ok();
    const std::uint64_t rounds = host.rounds();
    std::this_thread::sleep_for(120ms);
    // A busy machine may leave the host without a core for longer than that.
    for (const Clock::time_point end = Clock::now() + 10s; host.rounds() == rounds;) {
      if (Clock::now() > end) _exit(3);
      std::this_thread::sleep_for(1ms);
    }
    if (session->ok()) {
      static_cast<void>(session->value().Snapshot());
      static_cast<void>(session->value().CaptureWall(5ms));
      stats = session->value().stats();
      static_cast<void>(session->value().End());
    }
    told.allocations = INT64_MAX - allocations.left;
    told.threads = INT64_MAX - threads.left;
    told.started = started;
    allocations.Restore();
    threads.Restore();
    if (session->ok()) stats = session->value().stats();
  }
  if (stats.sampler.taken != stats.sampler.written + stats.sampler.dropped) _exit(4);
}

class Sweep {
 public:
  Sweep()
      : told_(new (mmap(nullptr, sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0)) Told) {}

  // False when the child did not end well.
  template <typename Limit>
  bool Child(const std::string& what, Limit limit) {
    *told_ = {};
    const TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      Live(folder / "session", engine_.url(), *told_, limit);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ++lives_;
    started_ += told_->started ? 1 : 0;
    if (status == 0) return true;
    std::printf("  %s: %s %d\n", what.c_str(), WIFSIGNALED(status) ? "died of signal" : "exit code",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return false;
  }

  const Told& told() const { return *told_; }
  int lives() const { return lives_; }
  int started() const { return started_; }

 private:
  const FakeEngine engine_{{"200 OK"}, true};
  Told* const told_;
  int lives_ = 0;
  int started_ = 0;
};

bool WithoutAllocations(Sweep& sweep, int points) {
  if (!sweep.Child("nothing fails", [] { allocations.Limit(INT64_MAX, 0); }) ||
      sweep.started() != 1) {
    std::printf("  without a failure there is no session\n");
    return false;
  }
  // Most of what a start takes comes first.
  const std::int64_t all = sweep.told().allocations;
  bool good = true;
  for (const std::int64_t failing : {std::int64_t{1}, INT64_MAX}) {
    for (int i = 0; i < points; ++i) {
      const double part = static_cast<double>(i) / points;
      const auto at = static_cast<std::int64_t>(part * part * static_cast<double>(all));
      good &= sweep.Child(
          "allocation " + std::to_string(at) + (failing == 1 ? "" : " and all that follow"),
          [&] { allocations.Limit(at, failing); });
    }
  }
  return good;
}

bool WithoutThreads(Sweep& sweep) {
  bool good = true;
  for (const std::int64_t failing : {std::int64_t{1}, INT64_MAX}) {
    for (int at = 0; at < 6; ++at) {
      good &=
          sweep.Child("thread " + std::to_string(at) + (failing == 1 ? "" : " and all that follow"),
                      [&] { threads.Limit(at, failing); });
    }
  }
  return good;
}

// A stack that cannot grow kills any program.
[[gnu::noinline]] void GrowStack() {
  volatile char room[std::size_t{1} << 20];
  for (std::size_t at = 0; at < sizeof(room); at += 1024) room[at] = 1;
}

// As under `ulimit -v`.
bool WithoutAddresses(Sweep& sweep, int points) {
  constexpr std::uint64_t kMost = std::uint64_t{160} << 20;
  bool good = true;
  for (int i = 0; i < points; ++i) {
    const std::uint64_t more =
        kMost / static_cast<std::uint64_t>(points) * static_cast<std::uint64_t>(i);
    good &= sweep.Child(std::to_string(more >> 20) + " MiB of addresses", [&] {
      GrowStack();
      const rlim_t limit = (StatusKiB("VmSize") << 10) + more;
      const rlimit addresses = {limit, limit};
      setrlimit(RLIMIT_AS, &addresses);
    });
  }
  return good;
}

int Run(int points) {
  Sweep sweep;
  bool good = WithoutAllocations(sweep, points);
  good &= WithoutThreads(sweep);
  good &= WithoutAddresses(sweep, points);
  std::printf("memory: %d lives, a session in %d of them: %s\n", sweep.lives(), sweep.started(),
              good ? "good" : "FAILED");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace sonde::torture

int main(int argc, char** argv) { return sonde::torture::Run(argc > 1 ? std::atoi(argv[1]) : 20); }
