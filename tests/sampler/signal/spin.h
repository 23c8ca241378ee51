// Spin: functions that use a known amount of CPU time.

#ifndef SONDE_TESTS_SAMPLER_SPIN_H_
#define SONDE_TESTS_SAMPLER_SPIN_H_

#include <chrono>
#include <ctime>

namespace sonde {

inline std::chrono::nanoseconds ThreadCpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Runs for `cpu` of the calling thread's CPU time, wherever it is inlined to.
[[gnu::always_inline]] inline void Burn(std::chrono::nanoseconds cpu) {
  const auto end = ThreadCpu() + cpu;
  while (ThreadCpu() < end) {
    for (int i = 0; i < 20'000; ++i) asm volatile("");
  }
}

[[gnu::noinline]] inline void Spin(std::chrono::nanoseconds cpu) {
  Burn(cpu);
  asm volatile("");
}

}  // namespace sonde

#endif  // SONDE_TESTS_SAMPLER_SPIN_H_
