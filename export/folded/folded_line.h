// FoldedLine: a line of folded stacks, cut into its frames and its weight.

#ifndef SONDE_EXPORT_FOLDED_FOLDED_LINE_H_
#define SONDE_EXPORT_FOLDED_FOLDED_LINE_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace sonde::folded {

inline bool IsBlank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

inline std::string_view Trimmed(std::string_view text) noexcept {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

struct FoldedLine {
  std::string_view frames;  // Trimmed, and perhaps empty.
  std::string_view weight;  // As written.
};

// Cuts a trimmed line before its last word; nothing when it has only one.
inline std::optional<FoldedLine> Cut(std::string_view line) noexcept {
  std::size_t at = line.size();
  while (at > 0 && !IsBlank(line[at - 1])) --at;
  if (at == 0) return std::nullopt;
  return FoldedLine{Trimmed(line.substr(0, at)), line.substr(at)};
}

// A whole number; "3.0" is one, "1.5" is not.
inline std::optional<std::int64_t> WeightOf(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t weight = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, weight);
  if (fault != std::errc()) return std::nullopt;
  std::string_view rest(stop, static_cast<std::size_t>(end - stop));
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    while (rest.starts_with('0')) rest.remove_prefix(1);
  }
  if (!rest.empty()) return std::nullopt;
  return weight;
}

}  // namespace sonde::folded

#endif  // SONDE_EXPORT_FOLDED_FOLDED_LINE_H_
