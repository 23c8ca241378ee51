// Hotspots: the functions that a profile spends itself in.

#include "sonde/hotspots.h"

#include <algorithm>
#include <utility>

namespace sonde {
namespace {

std::uint64_t Magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

// Works on the trie of stacks, so that a frame shared by many samples is visited once.
class HotspotFinder {
 public:
  explicit HotspotFinder(const FrameNames& names)
      : names_(names),
        stacks_(names.profile().stacks()),
        spots_(names.name_count()),
        on_path_(names.name_count(), 0),
        weight_(stacks_.size(), 0),
        stacks_above_(stacks_.size(), 0) {}

  std::vector<Hotspot> Find(std::span<const std::int64_t> weights) {
    TakeSamples(weights);
    LinkCallees();
    Walk();
    std::erase_if(spots_, [](const Hotspot& spot) { return spot.occurrences == 0; });
    std::sort(spots_.begin(), spots_.end(), [&](const Hotspot& a, const Hotspot& b) {
      if (Magnitude(a.self) != Magnitude(b.self)) return Magnitude(a.self) > Magnitude(b.self);
      if (Magnitude(a.inclusive) != Magnitude(b.inclusive)) {
        return Magnitude(a.inclusive) > Magnitude(b.inclusive);
      }
      return names_.text(a.name) < names_.text(b.name);
    });
    return std::move(spots_);
  }

 private:
  static constexpr std::uint32_t kNone = 0;  // The empty stack is nobody's callee.

  void TakeSamples(std::span<const std::int64_t> weights) {
    const Profile& profile = names_.profile();
    for (std::size_t i = 0; i < profile.sample_count(); ++i) {
      const StackId stack = profile.sample(i).stack;
      if (weights[i] == 0 || stack == kEmptyStack) continue;
      const auto index = static_cast<std::uint32_t>(stack);
      weight_[index] = SaturatingAdd(weight_[index], weights[i]);
      stacks_above_[index] = 1;
    }
    for (std::uint32_t i = 1; i < stacks_.size(); ++i) {
      if (stacks_above_[i] == 0) continue;
      const NameId innermost = names_.frames(stacks_.leaf(StackId{i})).back().name;
      Hotspot& spot = spots_[static_cast<std::uint32_t>(innermost)];
      spot.self = SaturatingAdd(spot.self, weight_[i]);
    }
  }

  // Adds each stack's sums into its caller's, and keeps the callees that lead to samples.
  void LinkCallees() {
    first_callee_.assign(stacks_.size(), kNone);
    next_callee_.assign(stacks_.size(), kNone);
    for (std::uint32_t i = static_cast<std::uint32_t>(stacks_.size()); i-- > 1;) {
      if (stacks_above_[i] == 0) continue;
      const auto caller = static_cast<std::uint32_t>(stacks_.caller(StackId{i}));
      weight_[caller] = SaturatingAdd(weight_[caller], weight_[i]);
      stacks_above_[caller] += stacks_above_[i];
      next_callee_[i] = first_callee_[caller];
      first_callee_[caller] = i;
    }
  }

  // Depth first; on_path_ tells whether a frame's function is already on the stack below it.
  void Walk() {
    std::uint32_t at = first_callee_[0];
    while (at != kNone) {
      Enter(at);
      if (first_callee_[at] != kNone) {
        at = first_callee_[at];
        continue;
      }
      while (true) {
        Leave(at);
        if (next_callee_[at] != kNone) {
          at = next_callee_[at];
          break;
        }
        at = static_cast<std::uint32_t>(stacks_.caller(StackId{at}));
        if (at == kNone) return;
      }
    }
  }

  void Enter(std::uint32_t stack) {
    for (const Frame& frame : names_.frames(stacks_.leaf(StackId{stack}))) {
      const auto index = static_cast<std::uint32_t>(frame.name);
      Hotspot& spot = spots_[index];
      if (spot.occurrences == 0) {
        spot.name = frame.name;
        spot.frame = frame;
      }
      spot.occurrences += stacks_above_[stack];
      if (on_path_[index]++ == 0) spot.inclusive = SaturatingAdd(spot.inclusive, weight_[stack]);
    }
  }
  void Leave(std::uint32_t stack) {
    for (const Frame& frame : names_.frames(stacks_.leaf(StackId{stack}))) {
      --on_path_[static_cast<std::uint32_t>(frame.name)];
    }
  }

  const FrameNames& names_;
  const StackTable& stacks_;
  std::vector<Hotspot> spots_;               // By NameId.
  std::vector<std::uint32_t> on_path_;       // By NameId.
  std::vector<std::int64_t> weight_;         // By StackId: of the samples in it and above it.
  std::vector<std::uint32_t> stacks_above_;  // By StackId: distinct stacks with a sample.
  std::vector<std::uint32_t> first_callee_, next_callee_;  // By StackId.
};

}  // namespace

std::vector<Hotspot> FindHotspots(const FrameNames& names, std::size_t sample_type) {
  const Profile& profile = names.profile();
  std::vector<std::int64_t> weights(profile.sample_count());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = profile.value(i, sample_type);
  return FindHotspots(names, weights);
}

std::vector<Hotspot> FindHotspots(const FrameNames& names, std::span<const std::int64_t> weights) {
  return HotspotFinder(names).Find(weights);
}

}  // namespace sonde
