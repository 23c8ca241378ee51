// ingestd: a daemon that takes in log lines, profiled while it works.
//
//   ingestd [--seconds N] [--interval S] [--directory D] [--threads N] [--report FILE]
//
// Ends after N seconds (0 = never) or at SIGTERM; the last snapshot is written on the way out.

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "batch.h"
#include "phase_clock.h"
#include "sonde/label.h"
#include "sonde/session.h"
#include "sonde/task.h"
#include "work_queue.h"

namespace {

using ingest::Phase;
using ingest::PhaseClock;
using Score = double (*)(const std::uint32_t*, std::size_t);

// Phases of a batch take many scheduler ticks, since samples are taken at ticks: a phase that is
// shorter and starts with the thread's turn on the processor would be seen too seldom.
constexpr std::size_t kLinesInBatch = 50'000;
constexpr std::size_t kDistinctBatches = 4;
constexpr std::size_t kQueueCapacity = 4;

struct Arguments {
  double seconds = 10;
  double interval = 2;
  unsigned threads = 2;
  std::string directory = "run/ingestd";
  std::string report;
};

constexpr char kUsage[] =
    "usage: ingestd [--seconds N] [--interval S] [--directory D] [--threads N] [--report FILE]";

[[noreturn]] void Usage(const char* what) {
  std::fprintf(stderr, "ingestd: %s\n%s\n", what, kUsage);
  std::exit(2);
}

Arguments ParseArguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--help") {
      std::puts(kUsage);
      std::exit(0);
    }
    if (i + 1 == argc) Usage((option + " needs a value").c_str());
    const std::string value = argv[i + 1];
    if (option == "--directory") {
      arguments.directory = value;
    } else if (option == "--report") {
      arguments.report = value;
    } else {
      double number = 0;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (error != std::errc() || end != value.data() + value.size() ||
          !(number >= 0 && number <= 1e9)) {
        Usage((option + " needs a number").c_str());
      }
      if (option == "--seconds") {
        arguments.seconds = number;
      } else if (option == "--interval") {
        arguments.interval = number;
      } else if (option == "--threads" && number >= 1 && number <= 256) {
        arguments.threads = static_cast<unsigned>(number);
      } else {
        Usage(("what is " + option + ' ' + value + '?').c_str());
      }
    }
  }
  return arguments;
}

// The plugin lies beside the program.
Score LoadPlugin(const char* program) {
  std::string path = program;
  const std::size_t slash = path.rfind('/');
  path = (slash == std::string::npos ? "./" : path.substr(0, slash + 1)) + "libingest-score.so";
  void* const plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = plugin == nullptr ? nullptr : dlsym(plugin, "ScoreBatch");
  if (function == nullptr) {
    std::fprintf(stderr, "ingestd: %s\n", dlerror());
    std::exit(1);
  }
  return reinterpret_cast<Score>(function);
}

struct Daemon {
  explicit Daemon(Score plugin) : score(plugin) {}

  ingest::WorkQueue queue{kQueueCapacity};
  ingest::Index index;
  PhaseClock clock;
  Score score;
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_stored{0};
  std::atomic<std::uint64_t> checksum{0};
};

// One phase of a batch: a poll of its task whose samples have a label, and whose time is kept.
class Step {
 public:
  Step(Daemon& daemon, ingest::Batch& batch, Phase phase)
      : poll_(batch.task.Poll()),
        label_("phase", ingest::kPhases[static_cast<std::size_t>(phase)].phase),
        time_(daemon.clock, phase) {}

 private:
  sonde::PollGuard poll_;
  sonde::ScopedLabel label_;
  PhaseClock::Scope time_;
};

void Handle(Daemon& daemon, ingest::Batch& batch) {
  const std::string& text = batch.text;
  std::vector<ingest::Record> records;
  {
    const Step step(daemon, batch, Phase::kParse);
    records = ingest::ParseBatch(text);
  }
  {
    const Step step(daemon, batch, Phase::kCompress);
    daemon.bytes_stored += ingest::CompressBatch(text).size();
  }
  {
    const Step step(daemon, batch, Phase::kHash);
    daemon.checksum ^= ingest::HashBatch(text);
  }
  {
    const Step step(daemon, batch, Phase::kIndex);
    ingest::UpdateIndex(records, daemon.index);
  }
  {
    const Step step(daemon, batch, Phase::kScore);
    std::vector<std::uint32_t> micros;
    for (const ingest::Record& record : records) micros.push_back(record.micros);
    daemon.checksum += static_cast<std::uint64_t>(daemon.score(micros.data(), micros.size()));
  }
  ++daemon.batches;
  daemon.bytes_in += text.size();
}

void Work(Daemon& daemon, unsigned number) {
  pthread_setname_np(pthread_self(), ("worker-" + std::to_string(number)).c_str());
  while (std::optional<ingest::Batch> batch = daemon.queue.Pop()) Handle(daemon, *batch);
}

void Feed(Daemon& daemon) {
  pthread_setname_np(pthread_self(), "feeder");
  std::vector<std::string> batches;
  for (std::size_t i = 0; i < kDistinctBatches; ++i) {
    const PhaseClock::Scope scope(daemon.clock, Phase::kMake);
    batches.push_back(ingest::MakeBatch(i, kLinesInBatch));
  }
  for (std::size_t i = 0;
       daemon.queue.Push({batches[i % batches.size()], sonde::Task("batch", {{"number", i}})});
       ++i) {
  }
}

// `work`, or the end of the daemon where there is no memory for it.
template <typename Run>
void OrEnd(const char* what, Run&& work) {
  try {
    work();
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "ingestd: cannot %s: %s\n", what, exception.what());
    std::_Exit(1);
  }
}

void StartThreads(Daemon& daemon, unsigned workers, std::vector<std::thread>& threads) {
  OrEnd("start a thread", [&] {
    threads.emplace_back([&] { OrEnd("make batches", [&] { Feed(daemon); }); });
    for (unsigned i = 1; i <= workers; ++i) {
      threads.emplace_back([&daemon, i] { OrEnd("work", [&] { Work(daemon, i); }); });
    }
  });
}

// Until the time is over (0 = never) or somebody asks the daemon to end. `signals` are blocked.
void WaitForTheEnd(double seconds, const sigset_t& signals) {
  int signal = 0;
  if (seconds == 0) {
    sigwait(&signals, &signal);
    return;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  do {
    const std::chrono::duration<double> rest = end - std::chrono::steady_clock::now();
    const auto whole = static_cast<time_t>(std::max(rest.count(), 0.0));
    const double part = std::max(rest.count() - static_cast<double>(whole), 0.0);
    const timespec time{whole, static_cast<long>(part * 1e9)};
    signal = sigtimedwait(&signals, nullptr, &time);
  } while (signal < 0 && errno == EINTR);
}

// What a profile of this run should say.
bool WriteReport(const Daemon& daemon, const std::string& path) {
  std::ofstream report(path);
  report << "{\n  \"phases\": [\n";
  for (std::size_t i = 0; i < ingest::kPhases.size(); ++i) {
    report << "    {\"cpu_ns\": " << daemon.clock.nanoseconds(i) << ", \"function\": \""
           << ingest::kPhases[i].function << "\", \"phase\": \"" << ingest::kPhases[i].phase
           << "\"}" << (i + 1 < ingest::kPhases.size() ? ",\n" : "\n");
  }
  report << "  ],\n  \"process_cpu_ns\": " << ingest::CpuNanoseconds(CLOCK_PROCESS_CPUTIME_ID)
         << "\n}\n";
  if (report.flush()) return true;
  std::fprintf(stderr, "ingestd: cannot write %s\n", path.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = ParseArguments(argc, argv);
  const Score score = LoadPlugin(argv[0]);

  // Blocked here, so in every thread: the end is waited for, not interrupted by.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  sonde::PusherFactory pusher;
#ifdef INGESTD_PUSHES
  pusher = &sonde::MakeHttpPusher;  // To where [push] in sonde.toml says, if it does.
#endif
  SONDE_SESSION(sonde::SessionOptions{
      .directory = arguments.directory,
      .snapshots = {.interval = std::chrono::milliseconds(
                        static_cast<std::int64_t>(arguments.interval * 1000))},
      .pusher = pusher,
      .on_error = [](const sonde::Error& error) {
        std::fprintf(stderr, "ingestd: profiling: %s\n", sonde::Describe(error).c_str());
      }});

  Daemon daemon(score);
  std::vector<std::thread> threads;
  StartThreads(daemon, arguments.threads, threads);
  WaitForTheEnd(arguments.seconds, signals);
  daemon.queue.Close();
  for (std::thread& thread : threads) thread.join();

  std::printf("ingestd: %llu batches, %llu bytes in, %llu bytes stored, checksum %016llx\n",
              static_cast<unsigned long long>(daemon.batches.load()),
              static_cast<unsigned long long>(daemon.bytes_in.load()),
              static_cast<unsigned long long>(daemon.bytes_stored.load()),
              static_cast<unsigned long long>(daemon.checksum.load()));
  return arguments.report.empty() || WriteReport(daemon, arguments.report) ? 0 : 1;
}
