// AnalysisFrames: the (symbol, dso) pairs of a profile, each known by a number.

#ifndef SONDE_EVIDENCE_ANALYSIS_FRAMES_H_
#define SONDE_EVIDENCE_ANALYSIS_FRAMES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sonde/analysis.h"
#include "sonde/profile.h"

namespace sonde {

// A frame of a location, and where in the source it stands ("" when not known).
struct NumberedFrame {
  std::uint32_t key = 0;
  std::uint32_t source = 0;
};

// Worked out once a profile. Symbols are normalised. Views `profile`.
class AnalysisFrames {
 public:
  explicit AnalysisFrames(const Profile& profile);

  // The frames of a location, caller first. Never empty.
  std::span<const NumberedFrame> frames(LocationId location) const noexcept {
    const Range& range = ranges_[static_cast<std::uint32_t>(location)];
    return std::span(frames_).subspan(range.first, range.count);
  }
  std::size_t key_count() const noexcept { return keys_.size(); }
  AnalysisFrame frame(std::uint32_t key) const;
  std::string_view symbol(std::uint32_t key) const { return strings_.text(keys_[key].symbol); }
  std::string_view dso(std::uint32_t key) const { return strings_.text(keys_[key].dso); }
  // "file:line"; source 0 is not known.
  std::string_view source(std::uint32_t source) const { return strings_.text(StringId{source}); }
  bool has_sources() const noexcept { return has_sources_; }

 private:
  struct Key {
    StringId symbol;
    StringId dso;
  };
  struct Range {
    std::uint32_t first;
    std::uint32_t count;
  };
  std::uint32_t KeyOf(StringId symbol, StringId dso);

  StringTable strings_;
  std::vector<Key> keys_;
  std::vector<NumberedFrame> frames_;
  std::vector<Range> ranges_;
  std::vector<std::vector<std::pair<StringId, std::uint32_t>>> keys_of_symbol_;
  bool has_sources_ = false;
};

}  // namespace sonde

#endif  // SONDE_EVIDENCE_ANALYSIS_FRAMES_H_
