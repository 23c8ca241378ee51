// Hotspots: the functions that a profile spends itself in.

#ifndef SONDE_HOTSPOTS_H_
#define SONDE_HOTSPOTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "sonde/frame_names.h"

namespace sonde {

struct Hotspot {
  NameId name{};
  Frame frame;                    // The first one seen of that name.
  std::int64_t self = 0;          // Weight of the samples whose innermost frame it is.
  std::int64_t inclusive = 0;     // Weight of the samples that it is on, each counted once.
  std::uint64_t occurrences = 0;  // Frames of it on all distinct stacks that have a sample.
};

// Heaviest self weight first (by magnitude), then inclusive, then by name. The
// self weights add up to the total of the weights of samples with a stack.
std::vector<Hotspot> FindHotspots(const FrameNames& names, std::size_t sample_type);
// The same, weighing each sample with `weights[sample index]`.
std::vector<Hotspot> FindHotspots(const FrameNames& names, std::span<const std::int64_t> weights);

}  // namespace sonde

#endif  // SONDE_HOTSPOTS_H_
