// LineTable: the distinct lines that the stacks of perf script's text are made of.

#ifndef SONDE_EXPORT_PERF_SCRIPT_LINE_TABLE_H_
#define SONDE_EXPORT_PERF_SCRIPT_LINE_TABLE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "export/perf_script/frame_line.h"
#include "export/recent_texts.h"
#include "sonde/hash_index.h"

namespace sonde::perf_script {

// A text that was seen lately is known by its bytes, and taken apart no more. Not thread-safe.
class LineTable {
 public:
  static constexpr std::uint32_t kNone = HashIndex::kNone;

  // For lines of `whole`, about `bytes` of it. Without addresses, lines that differ in nothing but
  // the lower half of theirs are one.
  LineTable(std::string_view whole, std::size_t bytes, bool keep_addresses);

  // The number of a trimmed line, or kNone for one that is no part of a stack.
  std::uint32_t NumberOf(std::string_view text);

  // Gives back the memory that only NumberOf needs, which is not called any more.
  void Finish();

  const FrameLine& operator[](std::uint32_t number) const noexcept { return lines_[number]; }
  std::size_t size() const noexcept { return lines_.size(); }
  std::span<const FrameLine> lines() const noexcept { return lines_; }

 private:
  std::uint32_t Intern(const FrameLine& line);

  bool keep_addresses_;
  std::vector<FrameLine> lines_;
  HashIndex index_;
  // Texts without an address, with one in the lower and in the upper half.
  std::array<RecentTexts, 3> recent_;
};

}  // namespace sonde::perf_script

#endif  // SONDE_EXPORT_PERF_SCRIPT_LINE_TABLE_H_
