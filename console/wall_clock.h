// WallClock: turns readings of the steady clock into Unix time.

#ifndef SONDE_CONSOLE_WALL_CLOCK_H_
#define SONDE_CONSOLE_WALL_CLOCK_H_

#include <chrono>
#include <cstdint>

#include "console/task_registry.h"

namespace sonde {

// Tied to the system clock once, so that differences never run backwards. Any thread.
class WallClock {
 public:
  WallClock()
      : offset_ns_(std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count() -
                   SteadyNs()) {}
  std::int64_t UnixNs(std::int64_t steady_ns) const noexcept { return offset_ns_ + steady_ns; }
  std::int64_t NowUnixNs() const noexcept { return UnixNs(SteadyNs()); }

 private:
  std::int64_t offset_ns_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_WALL_CLOCK_H_
