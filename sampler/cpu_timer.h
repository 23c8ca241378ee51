// CpuTimer: a kernel timer that counts the CPU time of a thread, or of the process.

#ifndef SONDE_SAMPLER_CPU_TIMER_H_
#define SONDE_SAMPLER_CPU_TIMER_H_

#include <cstdint>

#include "sampler/timer_value.h"

namespace sonde {

// The clock of the CPU time of any thread of this process.
std::int32_t ThreadCpuClock(std::int32_t tid) noexcept;
// Nanoseconds; 0 when the thread is gone.
std::uint64_t ThreadCpuNs(std::int32_t tid) noexcept;
std::uint64_t ProcessCpuNs() noexcept;

// Sends SIGPROF to the thread whose time it counts, or for the process to one
// that runs. Owns the kernel's timer; a forked child has none. Not thread-safe.
class CpuTimer {
 public:
  CpuTimer() = default;
  ~CpuTimer() { Delete(); }
  CpuTimer(CpuTimer&& other) noexcept : id_(other.id_) { other.id_ = kNoTimer; }
  CpuTimer& operator=(CpuTimer&& other) noexcept;

  // 0 or an errno: EAGAIN when the user's RLIMIT_SIGPENDING is used up, EINVAL when the thread is
  // gone.
  int CreateForThread(std::int32_t tid, TimerValue value) noexcept;
  int CreateForProcess(TimerValue value) noexcept;

  // First after `first_ns` of CPU time, then every `period_ns`.
  int Arm(std::uint64_t first_ns, std::uint64_t period_ns) noexcept;

  // True while the timer will fire again: not when its thread ended.
  bool IsTicking() const noexcept;

  void Delete() noexcept;
  // Forgets the timer without deleting it, for a child that did not inherit it.
  void Forget() noexcept { id_ = kNoTimer; }
  bool exists() const noexcept { return id_ != kNoTimer; }

 private:
  static constexpr int kNoTimer = -1;
  int id_ = kNoTimer;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_CPU_TIMER_H_
