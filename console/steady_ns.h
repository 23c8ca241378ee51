// SteadyNs: the clock of all records.

#ifndef SONDE_CONSOLE_STEADY_NS_H_
#define SONDE_CONSOLE_STEADY_NS_H_

#include <cstdint>

namespace sonde {

// The steady clock, in nanoseconds; never 0.
std::int64_t SteadyNs() noexcept;

}  // namespace sonde

#endif  // SONDE_CONSOLE_STEADY_NS_H_
