// KernelTimer: sends SIGPROF after CPU time of a thread or of the process, or after real time.

#ifndef SONDE_SAMPLER_KERNEL_TIMER_H_
#define SONDE_SAMPLER_KERNEL_TIMER_H_

#include <cstdint>

#include "sampler/timer_value.h"

namespace sonde {

// Owns the kernel's timer; a forked child has none. A program that is executed in the place of this
// one gets neither the timer nor a signal of it that is on its way. Not thread-safe.
class KernelTimer {
 public:
  KernelTimer() = default;
  ~KernelTimer() { Delete(); }
  KernelTimer(KernelTimer&& other) noexcept : id_(other.id_) { other.id_ = kNoTimer; }
  KernelTimer& operator=(KernelTimer&& other) noexcept;

  // Each takes the place of what there was. 0 or an errno: EAGAIN when the user's
  // RLIMIT_SIGPENDING is used up, EINVAL when the thread is gone.
  //
  // Of the thread's CPU time; the signal goes to the thread.
  int CreateForThread(std::int32_t tid, TimerValue value) noexcept;
  // Of the process's CPU time; the signal goes to a thread that runs.
  int CreateForProcess(TimerValue value) noexcept;
  // Of real time; the signal goes to the thread.
  int CreateForWall(std::int32_t tid, TimerValue value) noexcept;

  // First after `first_ns`, then every `period_ns`; with 0 once. 0 or an errno.
  int Arm(std::uint64_t first_ns, std::uint64_t period_ns) noexcept;

  // True while the timer will fire again: not when its thread ended.
  bool IsTicking() const noexcept;

  void Delete() noexcept;
  // Forgets the timer without deleting it, for a child that did not inherit it.
  void Forget() noexcept { id_ = kNoTimer; }
  bool exists() const noexcept { return id_ != kNoTimer; }

 private:
  static constexpr int kNoTimer = -1;
  int Create(std::int32_t clock, int notify, std::int32_t tid, TimerValue value) noexcept;
  int id_ = kNoTimer;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_KERNEL_TIMER_H_
