// The clocks of CPU time: of any thread of this process, and of the process.

#include "sampler/cpu_clock.h"

#include <ctime>

namespace sonde {
namespace {

// A CPU clock is its thread's id, inverted, above three bits: "of a thread" and "as scheduled".
constexpr std::int32_t kScheduledThreadClock = 6;

std::uint64_t Read(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

std::int32_t ThreadCpuClock(std::int32_t tid) noexcept {
  return static_cast<std::int32_t>(~static_cast<std::uint32_t>(tid) << 3) | kScheduledThreadClock;
}

std::uint64_t ThreadCpuNs(std::int32_t tid) noexcept { return Read(ThreadCpuClock(tid)); }

std::uint64_t ProcessCpuNs() noexcept { return Read(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace sonde
