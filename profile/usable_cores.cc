// UsableCores: how many threads of this process can run at a time.

#include "sonde/usable_cores.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace sonde {

// glibc counts the cores of the machine for std::thread.
unsigned UsableCores() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&set)));
  }
  // More cores than the set has room for.
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace sonde
