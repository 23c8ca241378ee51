// Hotspots: the functions that a profile spends itself in.

#include "sonde/hotspots.h"

#include <algorithm>
#include <cstdlib>

namespace sonde {
namespace {

std::uint64_t Magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

}  // namespace

std::vector<Hotspot> FindHotspots(const FrameNames& names, std::size_t sample_type) {
  const Profile& profile = names.profile();
  std::vector<std::int64_t> weights(profile.sample_count());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = profile.value(i, sample_type);
  return FindHotspots(names, weights);
}

std::vector<Hotspot> FindHotspots(const FrameNames& names, std::span<const std::int64_t> weights) {
  const Profile& profile = names.profile();
  const StackTable& stacks = profile.stacks();
  std::vector<Hotspot> by_name(names.name_count());
  std::vector<std::uint32_t> seen_in(names.name_count(), 0);  // Sample number + 1.

  for (std::uint32_t i = 0; i < profile.sample_count(); ++i) {
    if (weights[i] == 0) continue;
    const StackId leaf = profile.sample(i).stack;
    if (leaf == kEmptyStack) continue;
    const NameId innermost = names.frames(stacks.leaf(leaf)).back().name;
    Hotspot& self = by_name[static_cast<std::uint32_t>(innermost)];
    self.self = SaturatingAdd(self.self, weights[i]);

    for (StackId stack = leaf; stack != kEmptyStack; stack = stacks.caller(stack)) {
      for (const Frame& frame : names.frames(stacks.leaf(stack))) {
        const auto index = static_cast<std::uint32_t>(frame.name);
        Hotspot& spot = by_name[index];
        if (spot.occurrences++ == 0) {
          spot.name = frame.name;
          spot.frame = frame;
        }
        if (seen_in[index] == i + 1) continue;
        seen_in[index] = i + 1;
        spot.inclusive = SaturatingAdd(spot.inclusive, weights[i]);
      }
    }
  }

  std::erase_if(by_name, [](const Hotspot& spot) { return spot.occurrences == 0; });
  std::sort(by_name.begin(), by_name.end(), [&](const Hotspot& a, const Hotspot& b) {
    if (Magnitude(a.self) != Magnitude(b.self)) return Magnitude(a.self) > Magnitude(b.self);
    if (Magnitude(a.inclusive) != Magnitude(b.inclusive)) {
      return Magnitude(a.inclusive) > Magnitude(b.inclusive);
    }
    return names.text(a.name) < names.text(b.name);
  });
  return by_name;
}

}  // namespace sonde
