// AddressNames: names of stretches of memory, such as those of a JIT's map.

#include "export/symbols/address_names.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "export/symbols/elf_file.h"

namespace sonde::symbols {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

void SkipBlanks(std::string_view& line) {
  while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
}

std::string_view TakeWord(std::string_view& line) {
  SkipBlanks(line);
  std::size_t end = 0;
  while (end < line.size() && !IsBlank(line[end])) ++end;
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool ReadHex(std::string_view word, std::uint64_t& into) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into, 16);
  return error == std::errc() && end == word.data() + word.size() && !word.empty();
}

}  // namespace

void AddressNames::Add(std::uint64_t start, std::uint64_t size, std::string_view name) {
  if (!entries_.empty() && start <= entries_.back().start) sorted_ = false;
  entries_.push_back({start, size, texts_.size(), static_cast<std::uint32_t>(name.size())});
  texts_ += name;
}

void AddressNames::Sort() const {
  std::ranges::stable_sort(entries_, {}, &Entry::start);
  // Of equal starts the last one counts.
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (kept > 0 && entries_[kept - 1].start == entries_[i].start) --kept;
    entries_[kept++] = entries_[i];
  }
  entries_.resize(kept);
  sorted_ = true;
}

std::string_view AddressNames::Find(std::uint64_t address) const {
  if (!sorted_) Sort();
  const auto after = std::ranges::upper_bound(entries_, address, {}, &Entry::start);
  if (after == entries_.begin()) return {};
  const Entry& entry = *(after - 1);
  if (entry.size != 0 && address - entry.start >= entry.size) return {};
  return NameOf(entry);
}

AddressNames ReadPerfMap(std::string_view text) {
  AddressNames names;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    const std::string_view address = TakeWord(line);
    const std::string_view length = TakeWord(line);
    SkipBlanks(line);
    if (!ReadHex(address, start) || !ReadHex(length, size) || size == 0 || line.empty()) continue;
    names.Add(start, size, line);
  }
  return names;
}

std::optional<std::string> ReadWholeFile(const std::string& path, std::size_t most) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  std::string text;
  std::size_t used = 0;
  while (used <= most) {
    text.resize(used + kReadBytes);
    const ssize_t got = read(descriptor, text.data() + used, kReadBytes);
    if (got <= 0) {
      close(descriptor);
      if (got < 0) return std::nullopt;
      text.resize(used);
      return text;
    }
    used += static_cast<std::size_t>(got);
  }
  close(descriptor);
  return std::nullopt;
}

std::string RunningKernelBuildId() {
  constexpr std::uint32_t kBuildIdType = 3;
  const std::optional<std::string> notes = ReadWholeFile("/sys/kernel/notes", kReadBytes);
  if (!notes.has_value()) return {};
  std::string_view rest = *notes;
  std::uint32_t header[3];
  while (rest.size() >= sizeof(header)) {
    std::memcpy(header, rest.data(), sizeof(header));
    const std::size_t name_bytes = (std::size_t{header[0]} + 3) / 4 * 4;
    const std::size_t value_bytes = (std::size_t{header[1]} + 3) / 4 * 4;
    rest.remove_prefix(sizeof(header));
    if (name_bytes + value_bytes > rest.size()) return {};
    if (header[2] == kBuildIdType && rest.starts_with(std::string_view("GNU\0", 4))) {
      return HexOf(rest.substr(name_bytes, header[1]));
    }
    rest.remove_prefix(name_bytes + value_bytes);
  }
  return {};
}

}  // namespace sonde::symbols
