// FindFiberRoot: where a function that makecontext started returns to.

#ifndef SONDE_SAMPLER_FIBER_ROOT_H_
#define SONDE_SAMPLER_FIBER_ROOT_H_

#include <cstdint>

namespace sonde {

// Not async-signal-safe.
std::uint64_t FindFiberRoot() noexcept;

}  // namespace sonde

#endif  // SONDE_SAMPLER_FIBER_ROOT_H_
