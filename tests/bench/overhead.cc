// overhead: what the sampler costs the threads that it samples.
//
//   overhead pairs own|empty|gperftools HZ PAIRS   the same work with and without, in turn
//   overhead instructions DEPTH                    for callgrind, which counts MeasuredSamples
//   overhead latency DEPTH SECONDS                 how long the handler takes, in a live run
//   overhead steady SECONDS                        for strace: calls getpriority around the work

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sampler/cpu_clock.h"
#include "sampler/interval.h"
#include "sampler/kernel_timer.h"
#include "sampler/sigprof.h"
#include "sampler/timer_value.h"
#include "sonde/sampler.h"
#include "sonde/thread_context.h"
#include "tests/bench/paired_ratio.h"
#include "tests/bench/virtual_calls.h"

namespace sonde {
namespace {

using std::chrono::duration;
using Clock = std::chrono::steady_clock;

std::unique_ptr<Sampler> StartOrExit(const SamplerOptions& options) {
  auto sampler = Sampler::Start(options);
  if (!sampler.ok()) {
    std::printf("overhead: %s\n", Describe(sampler.error()).c_str());
    std::exit(1);
  }
  return std::move(sampler).value();
}

class Profiler {
 public:
  virtual ~Profiler() = default;
  virtual void Begin() = 0;
  virtual void End() = 0;
  virtual std::uint64_t samples() const = 0;
};

class Own : public Profiler {
 public:
  explicit Own(int hz) : hz_(hz) {}
  void Begin() override { sampler_ = StartOrExit({.hz = hz_}); }
  void End() override {
    sampler_->Stop();
    samples_ += sampler_->stats().signals;
    sampler_.reset();
  }
  std::uint64_t samples() const override { return samples_; }

 private:
  const int hz_;
  std::uint64_t samples_ = 0;
  std::unique_ptr<Sampler> sampler_;
};

// The price of a signal alone.
class Empty : public Profiler {
 public:
  explicit Empty(int hz) : period_ns_(1'000'000'000 / static_cast<std::uint64_t>(hz)) {}
  void Begin() override {
    struct sigaction action {};
    action.sa_sigaction = [](int, siginfo_t*, void*) { count_ = count_ + 1; };
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    timer_.CreateForThread(gettid(), TimerValue(TimerValue::kThread, 0, 0));
    timer_.Arm(period_ns_, period_ns_);
  }
  void End() override { timer_.Delete(); }
  std::uint64_t samples() const override { return count_; }

 private:
  static volatile std::uint64_t count_;
  const std::uint64_t period_ns_;
  KernelTimer timer_;
};
volatile std::uint64_t Empty::count_ = 0;

class Gperftools : public Profiler {
 public:
  explicit Gperftools(int hz) {
    setenv("CPUPROFILE_FREQUENCY", std::to_string(hz).c_str(), 1);
    void* library = dlopen("libprofiler.so.0", RTLD_NOW);
    if (library == nullptr) {
      std::printf("gperftools is not here\n");
      std::exit(77);
    }
    start_ = reinterpret_cast<int (*)(const char*)>(dlsym(library, "ProfilerStart"));
    stop_ = reinterpret_cast<void (*)()>(dlsym(library, "ProfilerStop"));
    state_ = reinterpret_cast<void (*)(State*)>(dlsym(library, "ProfilerGetCurrentState"));
  }
  void Begin() override { start_("/dev/null"); }
  void End() override {
    State state{};
    state_(&state);
    samples_ += static_cast<std::uint64_t>(state.samples_gathered);
    stop_();
  }
  std::uint64_t samples() const override { return samples_; }

 private:
  // As gperftools declares it.
  struct State {
    int enabled;
    time_t start_time;
    char profile_name[1024];
    int samples_gathered;
  };
  int (*start_)(const char*);
  void (*stop_)();
  void (*state_)(State*);
  std::uint64_t samples_ = 0;
};

int Pairs(const std::string& name, int hz, int pairs) {
  std::unique_ptr<Profiler> profiler;
  if (name == "own") profiler = std::make_unique<Own>(hz);
  if (name == "empty") profiler = std::make_unique<Empty>(hz);
  if (name == "gperftools") profiler = std::make_unique<Gperftools>(hz);
  if (profiler == nullptr) return 2;

  VirtualCalls work;
  work.Run(50);
  const int rounds = std::max(1, static_cast<int>(0.2 / (work.Run(50) / 50)));
  std::vector<double> ratios;
  double sampled_cpu = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    double cpu[2];
    for (int half = 0; half < 2; ++half) {
      const int on = half ^ (pair & 1);
      if (on != 0) profiler->Begin();
      work.Run(rounds / 10 + 1);  // What starting left in the caches is not what is measured.
      cpu[on] = work.Run(rounds);
      if (on != 0) profiler->End();
    }
    ratios.push_back(cpu[1] / cpu[0]);
    sampled_cpu += cpu[1] * 1.1;
  }
  const PairedRatio overhead(std::move(ratios));
  const double rate = static_cast<double>(profiler->samples()) / sampled_cpu;
  std::printf("%-10s %4d Hz, %5.1f samples/CPU-s, %d pairs: overhead %s, %.1f us a sample\n",
              name.c_str(), hz, rate, pairs, overhead.Describe().c_str(),
              (overhead.median() - 1) / rate * 1e6);
  return 0;
}

// Calls the handler as the kernel would, with the stack that it was called from.
class HandlerCall {
 public:
  HandlerCall() {
    RegisterCurrentThread();
    const ThreadSlots& slots = Signals().slots;
    const ThreadSlot* slot = slots.Of(gettid());
    std::uint32_t index = 0;
    while (slots.At(index) != slot) ++index;
    info_.si_code = SI_TIMER;
    info_.si_value.sival_ptr =
        TimerValue(TimerValue::kThread, index, slot->generation.load()).pointer();
  }
  void operator()(ucontext_t& context) { OnSigprof(SIGPROF, &info_, &context); }

 private:
  siginfo_t info_{};
};

constexpr int kMeasured = 1000;
std::uint64_t warm_ns;  // Of a sample, one right after the other.

[[gnu::noinline]] void MeasuredSamples(HandlerCall& call, ucontext_t& context) {
  for (int i = 0; i < kMeasured; ++i) call(context);
  asm volatile("");
}

[[gnu::noinline]] void AtDepth(int depth, HandlerCall& call) {
  if (depth > 0) {
    AtDepth(depth - 1, call);
    asm volatile("");
    return;
  }
  ucontext_t context;
  getcontext(&context);
  for (int i = 0; i < 100; ++i) call(context);
  const std::uint64_t before = ThreadCpuNs(gettid());
  MeasuredSamples(call, context);
  warm_ns = (ThreadCpuNs(gettid()) - before) / kMeasured;
}

int Instructions(int depth) {
  auto sampler = StartOrExit({.hz = 1, .ring_bytes = std::size_t{16} << 20, .max_depth = 256});
  HandlerCall call;
  AtDepth(depth, call);
  const Interval interval = sampler->Stop();
  std::size_t frames = 0;
  for (const IntervalSample& sample : interval.samples) {
    if (sample.signals >= kMeasured) frames = sample.frames.size();
  }
  std::printf("%lu ns each when warm; measured %d samples of %zu frames\n", warm_ns, kMeasured,
              frames);
  return 0;
}

// Times OnSigprof from a handler around it.
std::vector<std::uint32_t> latencies_ns(1 << 20);
std::atomic<std::uint32_t> latency_count{0};

void TimedHandler(int signal, siginfo_t* info, void* context) {
  timespec before;
  timespec after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  OnSigprof(signal, info, context);
  clock_gettime(CLOCK_MONOTONIC, &after);
  const std::uint32_t at = latency_count.fetch_add(1, std::memory_order_relaxed);
  if (at < latencies_ns.size()) {
    latencies_ns[at] = static_cast<std::uint32_t>((after.tv_sec - before.tv_sec) * 1'000'000'000 +
                                                  after.tv_nsec - before.tv_nsec);
  }
}

[[gnu::noinline]] void WorkAtDepth(int depth, VirtualCalls& work, Clock::time_point end) {
  if (depth > 0) {
    WorkAtDepth(depth - 1, work, end);
    asm volatile("");
    return;
  }
  while (Clock::now() < end) work.Run(10);
}

int Latency(int depth, double seconds) {
  auto sampler = StartOrExit({.hz = 999});
  struct sigaction action {};
  sigaction(SIGPROF, nullptr, &action);
  action.sa_sigaction = &TimedHandler;
  sigaction(SIGPROF, &action, nullptr);
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(duration<double>(seconds));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      VirtualCalls work;
      WorkAtDepth(depth - 20, work, end);
    });
  }
  for (auto& thread : threads) thread.join();
  sampler->Stop();
  latencies_ns.resize(std::min<std::size_t>(latency_count, latencies_ns.size()));
  if (latencies_ns.empty()) {
    std::printf("latency: no samples\n");
    return 1;
  }
  std::sort(latencies_ns.begin(), latencies_ns.end());
  const auto quantile = [](double q) {
    return latencies_ns[static_cast<std::size_t>(q *
                                                 static_cast<double>(latencies_ns.size() - 1))] /
           1000.0;
  };
  std::printf(
      "handler at depth %d: %zu samples, p50 %.2f us, p99 %.2f us, most %.0f us (1.5, 30)\n", depth,
      latencies_ns.size(), quantile(0.5), quantile(0.99), quantile(1));
  return 0;
}

int Steady(double seconds) {
  auto sampler = StartOrExit({.hz = 99});
  VirtualCalls work;
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(duration<double>(seconds));
  int markers = 0;
  const double warm_until = seconds / 2;
  const auto start = Clock::now();
  // What is measured makes no call of its own, so that each one is the handler's.
  Plain plain;
  plain.next = &plain;
  while (Clock::now() < end) {
    if (markers == 0 && duration<double>(Clock::now() - start).count() > warm_until) {
      getpriority(PRIO_PROCESS, 0);
      ++markers;
    }
    for (int i = 0; i < 20; ++i) sink = plain.Go(40, i);
  }
  getpriority(PRIO_PROCESS, 0);
  std::printf("steady: %lu samples\n", static_cast<unsigned long>(sampler->stats().signals));
  return 0;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "pairs" && argc == 5)
    return sonde::Pairs(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  if (mode == "instructions" && argc == 3) return sonde::Instructions(std::atoi(argv[2]));
  if (mode == "latency" && argc == 4) return sonde::Latency(std::atoi(argv[2]), std::atof(argv[3]));
  if (mode == "steady" && argc == 3) return sonde::Steady(std::atof(argv[2]));
  std::printf(
      "usage: overhead pairs own|empty|gperftools HZ PAIRS | instructions DEPTH | "
      "latency DEPTH SECONDS | steady SECONDS\n");
  return 2;
}
