// The words and numbers of gperftools' text formats.

#ifndef SONDE_EXPORT_GPERFTOOLS_TEXT_H_
#define SONDE_EXPORT_GPERFTOOLS_TEXT_H_

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace sonde::gperftools {

inline std::string_view Trimmed(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The next line, without its end.
inline std::string_view TakeLine(std::string_view& text) noexcept {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The next word, and the blanks before it.
inline std::string_view TakeWord(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

template <typename Number>
bool TakeNumber(std::string_view& text, Number& number, int base) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (fault != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

// "1f" or "0x1f".
inline bool TakeHex(std::string_view& text, std::uint64_t& number) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.starts_with("0x")) text.remove_prefix(2);
  return TakeNumber(text, number, 16);
}

inline bool TakeDecimal(std::string_view& text, std::int64_t& number) noexcept {
  return TakeNumber(text, number, 10);
}

// One character and the blanks before it.
inline bool TakeMark(std::string_view& text, char mark) noexcept {
  std::string_view rest = Trimmed(text);
  if (!rest.starts_with(mark)) return false;
  text = rest.substr(1);
  return true;
}

}  // namespace sonde::gperftools

#endif  // SONDE_EXPORT_GPERFTOOLS_TEXT_H_
