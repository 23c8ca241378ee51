// CpuTimer: see cpu_timer.h.

#include "sampler/cpu_timer.h"

#include <csignal>
#include <ctime>

#include "sampler/raw_syscall.h"

namespace sonde {
namespace {

// A CPU clock is its thread's id, inverted, above three bits: "of a thread" and "as scheduled".
constexpr std::int32_t kScheduledThreadClock = 6;

timespec ToTimespec(std::uint64_t ns) {
  return {static_cast<std::time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

std::uint64_t Read(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// By the kernel's own numbers, not the C library's: those cannot be kept in a word.
int Create(clockid_t clock, sigevent& event, int& id) {
  return static_cast<int>(-RawSyscall(SYS_timer_create, clock, reinterpret_cast<long>(&event),
                                      reinterpret_cast<long>(&id)));
}

}  // namespace

std::int32_t ThreadCpuClock(std::int32_t tid) noexcept {
  return static_cast<std::int32_t>(~static_cast<std::uint32_t>(tid) << 3) | kScheduledThreadClock;
}

std::uint64_t ThreadCpuNs(std::int32_t tid) noexcept { return Read(ThreadCpuClock(tid)); }

std::uint64_t ProcessCpuNs() noexcept { return Read(CLOCK_PROCESS_CPUTIME_ID); }

CpuTimer& CpuTimer::operator=(CpuTimer&& other) noexcept {
  if (this != &other) {
    Delete();
    id_ = other.id_;
    other.id_ = kNoTimer;
  }
  return *this;
}

int CpuTimer::CreateForThread(std::int32_t tid, TimerValue value) noexcept {
  Delete();
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event.sigev_value.sival_ptr = value.pointer();
  event._sigev_un._tid = tid;
  return Create(ThreadCpuClock(tid), event, id_);
}

int CpuTimer::CreateForProcess(TimerValue value) noexcept {
  Delete();
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGPROF;
  event.sigev_value.sival_ptr = value.pointer();
  return Create(CLOCK_PROCESS_CPUTIME_ID, event, id_);
}

int CpuTimer::Arm(std::uint64_t first_ns, std::uint64_t period_ns) noexcept {
  const itimerspec spec = {ToTimespec(period_ns), ToTimespec(first_ns)};
  return static_cast<int>(-RawSyscall(SYS_timer_settime, id_, 0, reinterpret_cast<long>(&spec), 0));
}

bool CpuTimer::IsTicking() const noexcept {
  itimerspec spec{};
  return RawSyscall(SYS_timer_gettime, id_, reinterpret_cast<long>(&spec)) == 0 &&
         (spec.it_value.tv_sec != 0 || spec.it_value.tv_nsec != 0);
}

void CpuTimer::Delete() noexcept {
  if (id_ != kNoTimer) RawSyscall(SYS_timer_delete, id_);
  id_ = kNoTimer;
}

}  // namespace sonde
