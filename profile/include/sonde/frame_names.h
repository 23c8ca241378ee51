// FrameNames: how each location of a profile is called, worked out once.

#ifndef SONDE_FRAME_NAMES_H_
#define SONDE_FRAME_NAMES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sonde/profile.h"

namespace sonde {

// What makes two frames the same.
enum class Granularity : std::uint8_t {
  kFunctions,  // "parse"
  kLines,      // "parse (src/parse.cc:41)"
  kFiles,      // "src/parse.cc"
  kModules,    // "libparse.so.1"
  kAddresses,  // "0x401136 parse"
};

enum class FrameKind : std::uint8_t {
  kUser,
  kInlined,  // Has no frame of its own on the stack.
  kKernel,
  kJit,
  kUnknown,  // No function is known.
};

// A number of FrameNames::text.
using NameId = StringId;

struct Frame {
  NameId name{};
  FrameKind kind = FrameKind::kUser;
  MappingId mapping = kNoMapping;
  LocationId location{};
};

// Views `profile`, which outlives it. Where no function is known a frame is
// called "[module]" after its mapping, or "[unknown]". Kernel and JIT frames
// are known by their mapping or by the folded suffixes _[k] and _[j], which
// stay in the name. Any number of threads may read one.
class FrameNames {
 public:
  explicit FrameNames(const Profile& profile, Granularity granularity = Granularity::kFunctions);

  // The frames of a location, caller first: the physical function, then what was inlined into it.
  // Never empty.
  std::span<const Frame> frames(LocationId location) const noexcept {
    const Range& range = ranges_[static_cast<std::uint32_t>(location)];
    return std::span(frames_).subspan(range.first, range.count);
  }
  std::string_view text(NameId name) const noexcept { return names_.text(name); }
  std::size_t name_count() const noexcept { return names_.size(); }
  const Profile& profile() const noexcept { return *profile_; }

 private:
  struct Range {
    std::uint32_t first;
    std::uint32_t count;
  };
  const Profile* profile_;
  StringTable names_;
  std::vector<Frame> frames_;
  std::vector<Range> ranges_;  // By LocationId.
};

// "/usr/lib/libz.so.1" -> "libz.so.1". Also for "[vdso]" and names without a slash.
std::string_view BaseName(std::string_view path) noexcept;

}  // namespace sonde

#endif  // SONDE_FRAME_NAMES_H_
