// UsableCores: how many threads of this process can run at a time.

#ifndef SONDE_USABLE_CORES_H_
#define SONDE_USABLE_CORES_H_

namespace sonde {

// Fewer than the machine has where a set of cores was given to the process, by taskset or by a
// container; at least 1. Any thread.
unsigned UsableCores() noexcept;

}  // namespace sonde

#endif  // SONDE_USABLE_CORES_H_
