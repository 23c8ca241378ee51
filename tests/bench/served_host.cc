// A program with a latency of its own to lose: what scrapers of its console cost it.
//
//   bench.served_host HTTP_PORT SECONDS DIRECTORY
//
// Two threads answer made-up requests of some 200 microseconds, one every two milliseconds each;
// prints "p50 p99 cpu99 waits resident": microseconds from when a request was due to its end, the
// 99th percentile of its CPU time, how often a thread waited for anything but the time, and MiB.
// The third and the fourth say what the program does to itself, whatever else the machine does.

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "sonde/session.h"
#include "sonde/task.h"

namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t Work() {
  std::uint64_t hash = 1;
  for (int i = 0; i < 100'000; ++i)
    hash = (hash ^ static_cast<std::uint64_t>(i)) * 0x9fb21c651e98df25U;
  return hash;
}

double ThreadCpuUs() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

struct Served {
  std::vector<double> latency_us;
  std::vector<double> cpu_us;
  long waits = 0;  // Switches away from the thread that it asked for, without its sleeps.
  std::uint64_t result = 0;
};

void Serve(Clock::time_point end, Served& served) {
  long sleeps = 0;
  for (Clock::time_point due = Clock::now(); due < end; due += std::chrono::milliseconds(2)) {
    if (Clock::now() < due) {
      ++sleeps;
      std::this_thread::sleep_until(due);
    }
    const double cpu_before = ThreadCpuUs();
    {
      sonde::Task task("request");
      const sonde::PollGuard poll = task.Poll();
      served.result += Work();
    }
    served.cpu_us.push_back(ThreadCpuUs() - cpu_before);
    served.latency_us.push_back(
        std::chrono::duration<double, std::micro>(Clock::now() - due).count());
  }
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  served.waits = std::max(0L, usage.ru_nvcsw - sleeps);
}

// The value that `share` of all are smaller than.
double Percentile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * share);
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double ResidentMiB() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  sonde::SessionOptions options{.directory = argv[3]};
  options.console.console_port = 0;
  options.console.http_port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  SONDE_SESSION(options);
  constexpr std::size_t kThreads = 2;
  std::vector<Served> served(kThreads);
  std::vector<std::thread> threads;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  for (Served& one : served) threads.emplace_back([&] { Serve(end, one); });
  for (std::thread& thread : threads) thread.join();
  Served all;
  for (const Served& one : served) {
    all.latency_us.insert(all.latency_us.end(), one.latency_us.begin(), one.latency_us.end());
    all.cpu_us.insert(all.cpu_us.end(), one.cpu_us.begin(), one.cpu_us.end());
    all.waits += one.waits;
    all.result += one.result;
  }
  std::printf("%.0f %.0f %.0f %ld %.1f\n", Percentile(all.latency_us, 0.5),
              Percentile(all.latency_us, 0.99), Percentile(all.cpu_us, 0.99), all.waits,
              ResidentMiB());
  return all.result == 0 ? 1 : 0;
}
