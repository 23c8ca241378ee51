// A program with a latency of its own to lose: what scrapers of its console cost it.
//
//   bench.served_host HTTP_PORT SECONDS DIRECTORY
//
// Two threads answer made-up requests of some 200 microseconds, one every two milliseconds each;
// prints "p50 p99 resident", microseconds from when a request was due to its end, and MiB.

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

void Serve(Clock::time_point end, std::vector<double>& latencies, std::uint64_t& result) {
  for (Clock::time_point due = Clock::now(); due < end; due += std::chrono::milliseconds(2)) {
    std::this_thread::sleep_until(due);
    {
      sonde::Task task("request");
      const sonde::PollGuard poll = task.Poll();
      result += Work();
    }
    latencies.push_back(std::chrono::duration<double, std::micro>(Clock::now() - due).count());
  }
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
  std::vector<std::vector<double>> latencies(kThreads);
  std::vector<std::uint64_t> results(kThreads);
  std::vector<std::thread> threads;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] { Serve(end, latencies[i], results[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<double> all;
  for (const std::vector<double>& some : latencies) all.insert(all.end(), some.begin(), some.end());
  std::sort(all.begin(), all.end());
  std::printf("%.0f %.0f %.1f\n", all[all.size() / 2], all[all.size() * 99 / 100], ResidentMiB());
  return results[0] == 0 ? 1 : 0;
}
