// torture.whole [SECONDS]: everything at once. The victims of torture.dose at 4 kHz a thread, while
// a session writes snapshots and pushes profiles to an engine of many moods, tasks and coroutines
// come and go with labels, clients, friendly and not, ask the console, and strangers send SIGPROF.
// Exits 0 when all make progress and every sample and profile is accounted for.

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sonde/asio.h"
#include "sonde/label.h"
#include "sonde/push.h"
#include "sonde/session.h"
#include "sonde/snapshot_catalog.h"
#include "sonde/task.h"
#include "tests/support/fake_engine.h"
#include "tests/support/free_port.h"
#include "tests/support/process_status.h"
#include "tests/support/temporary_folder.h"
#include "tests/torture/fast_timer.h"
#include "tests/torture/victims.h"

namespace sonde::torture {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kHz = 4000;

int Connected(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  timeval limit = {10, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

// Sends `bytes` and reads what comes until the other side closes. True for an answer of HTTP.
bool Ask(std::uint16_t port, std::string_view bytes) {
  const int fd = Connected(port);
  if (fd < 0) return false;
  std::string answer;
  char buffer[4096];
  if (send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == std::ssize(bytes)) {
    for (ssize_t n = 0; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      if (answer.size() < 16) answer.append(buffer, static_cast<std::size_t>(n));
    }
  }
  close(fd);
  return answer.starts_with("HTTP/1.1 ");
}

// Goes away with a reset, in the middle of what it asked.
void HangUp(std::uint16_t port, std::string_view bytes) {
  const int fd = Connected(port);
  if (fd < 0) return;
  const linger reset = {1, 0};
  send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  close(fd);
}

std::string Get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
}

// Everything that works beside the victims: threads and coroutines, each a task with labels.
class Work {
 public:
  explicit Work(std::uint16_t port) : port_(port) {
    for (int i = 0; i < 2; ++i) threads_.emplace_back([this] { RunJobs(); });
    threads_.emplace_back([this] { AskForPages(); });
    threads_.emplace_back([this] { AskForProfiles(); });
    threads_.emplace_back([this] { BeHostile(); });
    threads_.emplace_back([this] { SendSignals(); });
    for (int i = 0; i < 50; ++i) {
      sonde::co_spawn(pool_.get_executor(), "coroutine", Coroutine(), asio::detached);
    }
  }
  void Stop() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    pool_.join();
  }
  std::uint64_t jobs() const { return jobs_; }
  std::uint64_t resumes() const { return resumes_; }
  std::uint64_t pages() const { return pages_; }
  std::uint64_t profiles() const { return profiles_; }

 private:
  void RunJobs() {
    const FastTimer timer(kHz);
    while (!done_) {
      const bool is_even = jobs_.fetch_add(1) % 2 == 0;
      const Task task(is_even ? "even job" : "odd job", {{"number", jobs_.load()}});
      const PollGuard poll = task.Poll();
      const ScopedLabel label("parity", is_even ? "even" : "odd");
      volatile std::uint64_t sum = 0;
      for (int i = 0; i < 200'000; ++i) sum = sum + static_cast<std::uint64_t>(i);
    }
  }
  asio::awaitable<void> Coroutine() {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (!done_) {
      timer.expires_after(200us);
      co_await timer.async_wait(asio::use_awaitable);
      ++resumes_;
    }
  }
  void AskForPages() {
    const char* const targets[] = {"/", "/metrics", "/debug/pprof/", "/api/health", "/api/tasks"};
    for (std::uint64_t i = 0; !done_; ++i) pages_ += Ask(port_, Get(targets[i % 5])) ? 1 : 0;
  }
  void AskForProfiles() {
    while (!done_) profiles_ += Ask(port_, Get("/debug/pprof/profile?seconds=1")) ? 1 : 0;
  }
  void BeHostile() {
    const std::string garbage(5000, '\xff');
    while (!done_) {
      HangUp(port_, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + garbage);
      HangUp(port_, Get("/debug/pprof/profile?seconds=30"));
      HangUp(port_, garbage);
      std::this_thread::sleep_for(5ms);
    }
  }

  void SendSignals() {
    while (!done_) {
      kill(getpid(), SIGPROF);
      std::this_thread::sleep_for(1ms);
    }
  }

  const std::uint16_t port_;
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> jobs_{0};
  std::atomic<std::uint64_t> resumes_{0};
  std::atomic<std::uint64_t> pages_{0};
  std::atomic<std::uint64_t> profiles_{0};
  asio::thread_pool pool_{2};
  std::vector<std::thread> threads_;
};

int Run(std::chrono::seconds length) {
  const TemporaryFolder folder;
  SessionOptions options;
  options.directory = folder / "session";
  options.sampler.hz = 999;
  options.sampler.ring_bytes = std::size_t{8} << 20;
  // Forty times what is usual comes in, and the threads that write share two cores with it: when
  // they fall behind, intervals grow to this and what is beyond is counted.
  options.sampler.max_stacks = 20'000;
  options.snapshots.interval = 500ms;
  options.console.console_port = 0;
  options.console.max_tasks = 10'000;
  options.console.http_port = FreePort();
  const std::uint16_t port = options.console.http_port;
  const FakeEngine engine({"200 OK", "503 Busy", ""}, true);
  options.pusher = &MakeHttpPusher;
  options.push.url = engine.url();
  options.push.interval = 1s;
  options.push.timeout = 1s;
  options.push.queue = 4;
  Result<Session> session = Session::Create(std::move(options));
  if (!session.ok() || !session.value().Start().ok()) {
    std::printf("the session does not start\n");
    return 1;
  }

  bool good = true;
  std::uint64_t resident_early = 0;
  std::uint64_t resident_late = 0;
  Victims victims(TORTURE_PLUGINS, [] { thread_local const FastTimer timer(kHz); });
  Work work(port);
  const auto end = Clock::now() + length;
  int tenths_stuck = 0;
  while (Clock::now() < end && good) {
    std::this_thread::sleep_for(100ms);
    resident_late = StatusKiB("VmRSS");
    if (end - Clock::now() > length / 2) resident_early = resident_late;
    const char* stuck = victims.FindStuck();
    tenths_stuck = stuck != nullptr ? tenths_stuck + 1 : 0;
    if (tenths_stuck == 200) {
      std::printf("hang: the %s thread got nowhere for 20 s\n", stuck);
      std::fflush(stdout);
      _exit(2);
    }
  }
  work.Stop();
  victims.Stop();
  good &= session.value().End().ok() && victims.exec_failures() == 0;

  const SessionStats stats = session.value().stats();
  const double complete = 100 - 100 * static_cast<double>(stats.sampler.Truncated()) /
                                    static_cast<double>(stats.sampler.signals + 1);
  std::printf(
      "whole: %ld s at %d Hz a thread: samples %lu, complete %.3f%%, taken %lu = written %lu + "
      "dropped %lu\n",
      static_cast<long>(length.count()), kHz, stats.sampler.signals, complete, stats.sampler.taken,
      stats.sampler.written, stats.sampler.dropped);
  std::printf("  snapshots %lu (failed %lu), jobs %lu, resumes %lu, pages %lu, profiles %lu\n",
              stats.snapshots.snapshots, stats.snapshots.failures, work.jobs(), work.resumes(),
              work.pages(), work.profiles());
  const PushStats& push = stats.push;
  std::printf("  pushed %lu profiles, dropped %lu, failed attempts %lu\n", push.pushed,
              push.dropped, push.failures);
  std::printf("  resident: %lu MiB half way, %lu MiB at the end\n", resident_early / 1024,
              resident_late / 1024);
  good &= stats.sampler.taken == stats.sampler.written + stats.sampler.dropped;
  good &= stats.sampler.written == stats.snapshots.samples + stats.snapshots.samples_lost;
  good &= stats.snapshots.failures == 0 && stats.snapshots.snapshots > 0 && complete >= 99.5;
  good &= push.taken == push.pushed + push.dropped + push.waiting && push.waiting == 0;
  good &= work.jobs() > 0 && work.resumes() > 0 && work.pages() > 0;
  // The profiler's threads have their share of the machine, no more, which a dose may be too short
  // for.
  if (length >= 30s) {
    good &= push.pushed > 0;
    good &= work.profiles() > 0 && resident_late < resident_early + resident_early / 4 + 32 * 1024;
  }
  const auto catalog = SnapshotCatalog::Read(folder / "session");
  good &= catalog.ok() && !catalog.value().entries().empty();
  if (catalog.ok()) {
    for (const SnapshotEntry& entry : catalog.value().entries()) good &= entry.readable;
  }
  std::printf("%s\n", good ? "whole: good" : "whole: FAILED");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace sonde::torture

int main(int argc, char** argv) {
  return sonde::torture::Run(std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 5));
}
