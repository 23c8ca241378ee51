// Kallsyms: the functions of a kernel, as the text of kallsyms lists them.

#include "export/symbols/kallsyms.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "export/symbols/address_names.h"

namespace sonde::symbols {
namespace {

constexpr std::string_view kFunctionTypes = "tTwWvV";
constexpr std::string_view kPadding = "__pfx_";
constexpr std::size_t kBytesOfALine = 40;

constexpr std::array<signed char, 256> kHexDigits = [] {
  std::array<signed char, 256> values{};
  values.fill(-1);
  for (int digit = 0; digit < 10; ++digit)
    values[static_cast<std::size_t>('0' + digit)] = static_cast<signed char>(digit);
  for (int digit = 0; digit < 6; ++digit) {
    values[static_cast<std::size_t>('a' + digit)] = static_cast<signed char>(10 + digit);
    values[static_cast<std::size_t>('A' + digit)] = static_cast<signed char>(10 + digit);
  }
  return values;
}();

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::optional<Kallsyms> Kallsyms::Open(const std::string& path) {
  Result<InputBytes> file = InputBytes::Open(path, kMostBytes);
  if (!file.ok()) return std::nullopt;
  if (!file.value().bytes().empty()) {
    const auto held = std::make_shared<const InputBytes>(std::move(file).value());
    Kallsyms symbols(held->bytes());
    symbols.file_ = held;
    if (!held->CheckWhole().ok() || symbols.empty()) return std::nullopt;
    return symbols;
  }
  // Files of /proc have no size.
  std::optional<std::string> text = ReadWholeFile(path, kMostBytes);
  if (!text.has_value()) return std::nullopt;
  const auto held = std::make_shared<const std::string>(std::move(*text));
  Kallsyms symbols(*held);
  symbols.read_ = held;
  if (symbols.empty()) return std::nullopt;
  return symbols;
}

Kallsyms::Kallsyms(std::string_view text) : text_(text.substr(0, kMostBytes)) {
  entries_.reserve(text_.size() / kBytesOfALine);
  for (std::size_t line = 0; line < text_.size();) {
    std::size_t at = line;
    std::uint64_t start = 0;
    for (; at < text_.size(); ++at) {
      const signed char digit = kHexDigits[static_cast<unsigned char>(text_[at])];
      if (digit < 0) break;
      start = start << 4 | static_cast<std::uint64_t>(digit);
    }
    const bool is_symbol = at > line && at + 3 < text_.size() && IsBlank(text_[at]) &&
                           IsBlank(text_[at + 2]) && start != 0;
    if (is_symbol && kFunctionTypes.find(text_[at + 1]) != std::string_view::npos) {
      entries_.push_back({start, static_cast<std::uint32_t>(line)});
    }
    const std::size_t end = text_.find('\n', at);
    line = end == std::string_view::npos ? text_.size() : end + 1;
  }
  if (!std::ranges::is_sorted(entries_, {}, &Entry::start)) {
    std::ranges::stable_sort(entries_, {}, &Entry::start);
  }
}

std::string_view Kallsyms::NameOf(const Entry& entry) const noexcept {
  std::string_view rest = text_.substr(entry.line);
  rest.remove_prefix(rest.find_first_of(" \t") + 3);
  return rest.substr(0, rest.find_first_of(" \t\r\n"));
}

std::string_view Kallsyms::Find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(entries_, address, {}, &Entry::start);
  if (after == entries_.begin()) return {};
  std::string_view name = NameOf(*(after - 1));
  // Nothing runs in the padding in front of a function: who seems to be called from its last byte
  // was jumped to by the function itself.
  if (name.starts_with(kPadding)) name.remove_prefix(kPadding.size());
  return name;
}

std::optional<std::uint64_t> Kallsyms::StartOf(std::string_view name) const {
  const auto found =
      std::ranges::find_if(entries_, [&](const Entry& entry) { return NameOf(entry) == name; });
  if (found == entries_.end()) return std::nullopt;
  return found->start;
}

}  // namespace sonde::symbols
