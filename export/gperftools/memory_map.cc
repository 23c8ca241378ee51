// MemoryMap: the files a process had mapped, as gperftools profiles end with them.

#include "export/gperftools/memory_map.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "export/gperftools/text.h"

namespace sonde::gperftools {
namespace {

bool IsPermissions(std::string_view word) {
  return word.size() >= 3 && word.size() <= 5 && std::ranges::all_of(word, [](char c) {
           return c == 'r' || c == 'w' || c == 'x' || c == 'p' || c == 's' || c == '-';
         });
}

}  // namespace

bool MemoryMap::AddLine(std::string_view line) {
  std::string_view rest = Trimmed(line);
  Range range{};
  if (!TakeHex(rest, range.start) || !rest.starts_with('-')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    variables_.push_back({std::string(Trimmed(line.substr(0, equals))),
                          std::string(Trimmed(line.substr(equals + 1)))});
    return true;
  }
  rest.remove_prefix(1);
  if (!TakeHex(rest, range.limit)) return false;
  if (rest.starts_with(':')) rest.remove_prefix(1);
  rest = Trimmed(rest);

  std::string_view after = rest;
  const std::string_view permissions = TakeWord(after);
  if (IsPermissions(permissions)) {
    if (permissions.find('x') == std::string_view::npos) return true;
    rest = after;
    // Offset, device and inode.
    std::string_view numbers = rest;
    if (TakeHex(numbers, range.offset)) {
      rest = numbers;
      TakeWord(rest);
      TakeWord(rest);
    }
    rest = Trimmed(rest);
  }
  range.file = rest;
  for (const Variable& variable : variables_) {
    const std::string name = '$' + variable.name;
    for (std::size_t at = range.file.find(name); at != std::string::npos;
         at = range.file.find(name, at + variable.value.size())) {
      range.file.replace(at, name.size(), variable.value);
    }
  }
  constexpr std::string_view kDeleted = " (deleted)";
  if (range.file.ends_with(kDeleted)) range.file.resize(range.file.size() - kDeleted.size());
  if (range.limit > range.start) ranges_.push_back(std::move(range));
  return true;
}

void MemoryMap::AddTo(ProfileBuilder& builder) {
  std::vector<Range> joined;
  for (Range& range : ranges_) {
    if (!joined.empty()) {
      Range& last = joined.back();
      const bool continues = range.offset == 0 || last.offset == 0 ||
                             last.offset + (last.limit - last.start) == range.offset;
      if (last.limit == range.start && last.file == range.file && continues) {
        last.limit = range.limit;
        continue;
      }
    }
    joined.push_back(std::move(range));
  }
  for (Range& range : joined) {
    range.id = builder.AddMapping({.start = range.start,
                                   .limit = range.limit,
                                   .offset = range.offset,
                                   .file = builder.Intern(range.file)});
  }
  std::ranges::sort(joined, {}, &Range::start);
  ranges_ = std::move(joined);
}

MappingId MemoryMap::Find(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::start);
  if (next == ranges_.begin()) return kNoMapping;
  const Range& range = *std::prev(next);
  return address < range.limit ? range.id : kNoMapping;
}

}  // namespace sonde::gperftools
