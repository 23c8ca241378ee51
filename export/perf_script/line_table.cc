// LineTable: the distinct lines that the stacks of perf script's text are made of.

#include "export/perf_script/line_table.h"

#include <algorithm>

namespace sonde::perf_script {
namespace {

constexpr std::uint64_t kUpperHalf = std::uint64_t{1} << 63;
constexpr std::size_t kBytesOfALine = 64;
constexpr std::size_t kMostLines = std::size_t{1} << 12;

std::uint64_t HashOf(const FrameLine& line) {
  const std::uint64_t names = MixHash(HashBytes(line.function), HashBytes(line.module));
  const std::uint64_t source =
      line.kind == LineKind::kSourceLine
          ? MixHash(HashBytes(line.file), static_cast<std::uint64_t>(line.line))
          : 0;
  return MixHash(names ^ source, line.address + static_cast<std::uint64_t>(line.kind));
}

// Whether such a line is a frame may depend on its address.
bool MayBeHeader(std::string_view text) {
  return text.ends_with(':') || text.find(": ") != std::string_view::npos;
}

RecentTexts TextsFor(std::string_view whole, std::size_t bytes) {
  return {whole, std::min(bytes / kBytesOfALine, kMostLines)};
}

}  // namespace

LineTable::LineTable(std::string_view whole, std::size_t bytes, bool keep_addresses)
    : keep_addresses_(keep_addresses),
      recent_{TextsFor(whole, bytes), TextsFor(whole, bytes), TextsFor(whole, bytes)} {}

std::uint32_t LineTable::NumberOf(std::string_view text) {
  AddressedText cut{.rest = text};
  if (!keep_addresses_) cut = CutAddress(text);
  RecentTexts& recent = recent_[!cut.has_address ? 0U : cut.is_upper_half ? 2U : 1U];
  const std::uint64_t hash = HashBytes(cut.rest);
  const std::uint32_t known = recent.Find(hash, cut.rest);
  if (known != RecentTexts::kNone) return known;
  FrameLine line = ParseFrame(text);
  if (line.kind == LineKind::kHeader) return kNone;
  if (!keep_addresses_) line.address &= kUpperHalf;
  const std::uint32_t number = Intern(line);
  if (!MayBeHeader(cut.rest)) recent.Add(hash, cut.rest, number);
  return number;
}

void LineTable::Finish() {
  index_ = {};
  for (RecentTexts& texts : recent_) texts.Forget();
}

std::uint32_t LineTable::Intern(const FrameLine& line) {
  const std::uint64_t hash = HashOf(line);
  const std::uint32_t known =
      index_.Find(hash, [&](std::uint32_t number) { return lines_[number] == line; });
  if (known != HashIndex::kNone) return known;
  const auto number = static_cast<std::uint32_t>(lines_.size());
  index_.Add(hash, number);
  lines_.push_back(line);
  return number;
}

}  // namespace sonde::perf_script
