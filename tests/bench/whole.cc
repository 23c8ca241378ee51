// bench.whole THREADS PAIRS [SECONDS]: what a session with everything on costs a program: samples
// at 99 Hz, tasks and labels on every unit of work, the console and the page listening, a snapshot
// and a push every second, where a program in production has them once a minute. The same work with
// and without, in turn; the CPU time is that of the whole process, the profiler's threads included.

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sonde/label.h"
#include "sonde/push.h"
#include "sonde/session.h"
#include "sonde/task.h"
#include "tests/bench/paired_ratio.h"
#include "tests/bench/virtual_calls.h"
#include "tests/support/fake_engine.h"
#include "tests/support/free_port.h"
#include "tests/support/process_status.h"
#include "tests/support/temporary_folder.h"

namespace sonde {
namespace {

using namespace std::chrono_literals;

double ProcessCpu() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Threads that wait for work, and do the same amount of it each time.
class Workers {
 public:
  explicit Workers(int count) : begin_(count + 1), end_(count + 1) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Serve(); });
  }
  ~Workers() {
    rounds_ = 0;
    begin_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }
  // CPU seconds of the process while every thread does `rounds`.
  double Run(int rounds, bool is_watched) {
    rounds_ = rounds;
    is_watched_ = is_watched;
    const double before = ProcessCpu();
    begin_.arrive_and_wait();
    end_.arrive_and_wait();
    return ProcessCpu() - before;
  }

 private:
  void Serve() {
    VirtualCalls work;
    for (;;) {
      begin_.arrive_and_wait();
      if (rounds_ == 0) return;
      for (int done = 0; done < rounds_;) {
        const int unit = std::min(rounds_ - done, 10);
        if (is_watched_) {
          const Task task("request", {{"first round", done}});
          const PollGuard poll = task.Poll();
          const ScopedLabel label("parity", done % 20 == 0 ? "even" : "odd");
          work.Run(unit);
        } else {
          work.Run(unit);
        }
        done += unit;
      }
      end_.arrive_and_wait();
    }
  }

  int rounds_ = 1;
  bool is_watched_ = false;
  std::barrier<> begin_;
  std::barrier<> end_;
  std::vector<std::thread> threads_;
};

// Starts a session of everything, or ends the program.
class EverythingOn {
 public:
  explicit EverythingOn(const FakeEngine& engine) {
    SessionOptions options;
    options.directory = folder_ / "session";
    options.snapshots.interval = 1s;
    options.console.console_port = 0;
    options.console.http_port = FreePort();
    options.pusher = &MakeHttpPusher;
    options.push.url = engine.url();
    options.push.interval = 1s;
    Result<Session> created = Session::Create(std::move(options));
    Status started = created.ok() ? created.value().Start() : Status(created.error());
    if (!started.ok()) {
      std::printf("bench.whole: %s\n", Describe(started.error()).c_str());
      std::exit(1);
    }
    session_.emplace(std::move(created).value());
  }
  SessionStats End() {
    static_cast<void>(session_->End());
    return session_->stats();
  }

 private:
  const TemporaryFolder folder_;
  std::optional<Session> session_;
};

int Run(int threads, int pairs, double seconds) {
  const FakeEngine engine({"200 OK"}, true);
  Workers workers(threads);
  const int rounds = std::max(
      10, static_cast<int>(seconds * 2 / (workers.Run(20, false) / 20)));  // Two cores' worth.
  std::vector<double> ratios;
  SessionStats last;
  const std::uint64_t memory_before = StatusKiB("RssAnon");
  std::uint64_t memory_with = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t pushed = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    double cpu[2];
    for (int half = 0; half < 2; ++half) {
      const bool on = (half ^ (pair & 1)) != 0;
      std::optional<EverythingOn> everything;
      if (on) everything.emplace(engine);
      workers.Run(rounds / 10 + 1,
                  on);  // What starting left in the caches is not what is measured.
      cpu[on ? 1 : 0] = workers.Run(rounds, on);
      memory_with = std::max(memory_with, StatusKiB("RssAnon"));
      if (on) {
        last = everything->End();
        snapshots += last.snapshots.snapshots;
        pushed += last.push.pushed;
      }
    }
    ratios.push_back(cpu[1] / cpu[0]);
  }
  const PairedRatio overhead(std::move(ratios));
  std::printf(
      "everything on, %d threads, %d pairs: %s of CPU time; anonymous memory %.1f MiB more; %lu "
      "snapshots, %lu pushes, dropped samples in the last run %lu of %lu\n",
      threads, pairs, overhead.Describe().c_str(),
      (static_cast<double>(memory_with) - static_cast<double>(memory_before)) / 1024, snapshots,
      pushed, last.sampler.dropped, last.sampler.taken);
  return 0;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) {
  if (argc < 3) {
    std::printf("usage: bench.whole THREADS PAIRS [SECONDS]\n");
    return 2;
  }
  return sonde::Run(std::atoi(argv[1]), std::atoi(argv[2]), argc > 3 ? std::atof(argv[3]) : 2);
}
