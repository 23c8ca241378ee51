// KernelTimer: see kernel_timer.h.

#include "sampler/kernel_timer.h"

#include <csignal>
#include <ctime>

#include "sampler/cpu_clock.h"
#include "sampler/raw_syscall.h"

namespace sonde {
namespace {

timespec ToTimespec(std::uint64_t ns) {
  return {static_cast<std::time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

KernelTimer& KernelTimer::operator=(KernelTimer&& other) noexcept {
  if (this != &other) {
    Delete();
    id_ = other.id_;
    other.id_ = kNoTimer;
  }
  return *this;
}

// By the kernel's own numbers, not the C library's: those cannot be kept in a word.
int KernelTimer::Create(std::int32_t clock, int notify, std::int32_t tid,
                        TimerValue value) noexcept {
  Delete();
  sigevent event{};
  event.sigev_notify = notify;
  event.sigev_signo = SIGPROF;
  event.sigev_value.sival_ptr = value.pointer();
  event._sigev_un._tid = tid;
  return static_cast<int>(-RawSyscall(SYS_timer_create, clock, reinterpret_cast<long>(&event),
                                      reinterpret_cast<long>(&id_)));
}

int KernelTimer::CreateForThread(std::int32_t tid, TimerValue value) noexcept {
  return Create(ThreadCpuClock(tid), SIGEV_THREAD_ID, tid, value);
}

int KernelTimer::CreateForProcess(TimerValue value) noexcept {
  return Create(CLOCK_PROCESS_CPUTIME_ID, SIGEV_SIGNAL, 0, value);
}

int KernelTimer::CreateForWall(std::int32_t tid, TimerValue value) noexcept {
  return Create(CLOCK_MONOTONIC, SIGEV_THREAD_ID, tid, value);
}

int KernelTimer::Arm(std::uint64_t first_ns, std::uint64_t period_ns) noexcept {
  const itimerspec spec = {ToTimespec(period_ns), ToTimespec(first_ns)};
  return static_cast<int>(-RawSyscall(SYS_timer_settime, id_, 0, reinterpret_cast<long>(&spec), 0));
}

bool KernelTimer::IsTicking() const noexcept {
  itimerspec spec{};
  return RawSyscall(SYS_timer_gettime, id_, reinterpret_cast<long>(&spec)) == 0 &&
         (spec.it_value.tv_sec != 0 || spec.it_value.tv_nsec != 0);
}

void KernelTimer::Delete() noexcept {
  if (id_ != kNoTimer) RawSyscall(SYS_timer_delete, id_);
  id_ = kNoTimer;
}

}  // namespace sonde
