// torture [--seconds N] [--hz N] [--peer LIBPROFILER] [--unwinder tables|deferred]
// [--stack-bytes N]: samples threads that do what breaks profilers. Exits 0 when all of them made
// progress, every sample is accounted for, and at least 99.5 % of the stacks are complete.

#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "sampler/interval.h"
#include "sonde/sampler.h"
#include "tests/torture/fast_timer.h"
#include "tests/torture/victims.h"

namespace sonde::torture {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

struct Options {
  int seconds = 5;
  int hz = 4000;
  std::string peer;
  Unwinder unwinder = Unwinder::kTables;
  std::size_t stack_bytes = SamplerOptions().stack_bytes;
};

// Takes SIGPROF away for a moment, now and then, as a host might.
void SwapHandler() {
  struct sigaction ours {};
  struct sigaction hosts {};
  hosts.sa_handler = [](int) {};
  hosts.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &hosts, &ours);
  std::this_thread::sleep_for(milliseconds(1));
  sigaction(SIGPROF, &ours, nullptr);
}

// Runs the victims for `length`, calling `each_tenth` ten times a second. False when one hangs.
template <typename EachTenth>
bool Torment(Victims& victims, seconds length, EachTenth&& each_tenth) {
  const auto end = Clock::now() + length;
  int tenths_stuck = 0;
  while (Clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(100));
    each_tenth();
    const char* stuck = victims.FindStuck();
    tenths_stuck = stuck != nullptr ? tenths_stuck + 1 : 0;
    if (tenths_stuck == 200) {
      std::printf("hang: the %s thread got nowhere for 20 s\n", stuck);
      return false;
    }
  }
  return true;
}

int RunOurs(const Options& options) {
  auto started = Sampler::Start({.hz = 999,
                                 .ring_bytes = std::size_t{8} << 20,
                                 .unwinder = options.unwinder,
                                 .stack_bytes = options.stack_bytes});
  if (!started.ok()) {
    std::printf("torture: %s\n", Describe(started.error()).c_str());
    return 1;
  }
  Sampler& sampler = *started.value();
  bool good = true;
  {
    Victims victims(TORTURE_PLUGINS, [&] { thread_local const FastTimer timer(options.hz); });
    int tenths = 0;
    good = Torment(victims, seconds(options.seconds), [&] {
      if (++tenths % 5 == 0) sampler.TakeInterval();
      if (tenths % 3 == 0) SwapHandler();
    });
    std::fflush(stdout);
    if (!good) _exit(2);
    victims.Stop();
    if (victims.exec_failures() != 0) {
      std::printf("%lu children were killed\n",
                  static_cast<unsigned long>(victims.exec_failures()));
      good = false;
    }
  }
  sampler.Stop();
  const SamplerStats stats = sampler.stats();
  const double complete = 100 - 100 * static_cast<double>(stats.Truncated()) /
                                    static_cast<double>(stats.signals == 0 ? 1 : stats.signals);
  std::printf(
      "torture: %d s at %d Hz a thread: samples %lu, complete %.3f%%, taken %lu = written %lu + "
      "dropped %lu, stale %lu, foreign %lu, threads %lu\n",
      options.seconds, options.hz, stats.signals, complete, stats.taken, stats.written,
      stats.dropped, stats.stale, stats.foreign, stats.threads_seen);
  std::printf("  cut: depth %lu, no module %lu, no rule %lu, bad read %lu, order %lu\n",
              stats.truncated_depth, stats.truncated_no_module, stats.truncated_no_rule,
              stats.truncated_bad_read, stats.truncated_order);
  good &= stats.taken == stats.written + stats.dropped && complete >= 99.5 && stats.signals > 0;
  std::printf("%s\n", good ? "torture: good" : "torture: FAILED");
  return good ? 0 : 1;
}

// The same with another profiler, in a child, since it may take the process with it.
int RunPeer(const Options& options) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv("CPUPROFILE_FREQUENCY", std::to_string(options.hz).c_str(), 1);
    void* library = dlopen(options.peer.c_str(), RTLD_NOW);
    const auto start =
        library == nullptr
            ? nullptr
            : reinterpret_cast<int (*)(const char*)>(dlsym(library, "ProfilerStart"));
    if (start == nullptr || start("/dev/null") == 0) _exit(77);
    Victims victims(TORTURE_PLUGINS, [] {});
    if (!Torment(victims, seconds(options.seconds), [] {})) {
      std::fflush(stdout);
      _exit(2);
    }
    _exit(0);
  }
  const auto end = Clock::now() + seconds(options.seconds + 40);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      std::printf("%s at %d Hz: hang, killed\n", options.peer.c_str(), options.hz);
      return 0;
    }
    std::this_thread::sleep_for(milliseconds(50));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    std::printf("%s is not here\n", options.peer.c_str());
    return 77;
  }
  if (WIFSIGNALED(status)) {
    std::printf("%s at %d Hz: killed by signal %d\n", options.peer.c_str(), options.hz,
                WTERMSIG(status));
  } else {
    std::printf("%s at %d Hz: %s\n", options.peer.c_str(), options.hz,
                WEXITSTATUS(status) == 0 ? "survived" : "hang");
  }
  return 0;
}

}  // namespace
}  // namespace sonde::torture

int main(int argc, char** argv) {
  sonde::torture::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--seconds") options.seconds = std::atoi(value);
    if (name == "--hz") options.hz = std::atoi(value);
    if (name == "--peer") options.peer = value;
    if (name == "--stack-bytes") options.stack_bytes = std::strtoul(value, nullptr, 10);
    if (name == "--unwinder" && std::strcmp(value, "deferred") == 0) {
      options.unwinder = sonde::Unwinder::kDeferred;
    }
  }
  return options.peer.empty() ? sonde::torture::RunOurs(options) : sonde::torture::RunPeer(options);
}
