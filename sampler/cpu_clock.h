// The clocks of CPU time: of any thread of this process, and of the process.

#ifndef SONDE_SAMPLER_CPU_CLOCK_H_
#define SONDE_SAMPLER_CPU_CLOCK_H_

#include <cstdint>

namespace sonde {

// The kernel's name of the clock of a thread's CPU time.
std::int32_t ThreadCpuClock(std::int32_t tid) noexcept;
// Nanoseconds; 0 when the thread is gone.
std::uint64_t ThreadCpuNs(std::int32_t tid) noexcept;
std::uint64_t ProcessCpuNs() noexcept;

}  // namespace sonde

#endif  // SONDE_SAMPLER_CPU_CLOCK_H_
