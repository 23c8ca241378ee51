// Values of a profile as people read them: "1.20s", "34.50MB", "12".

#include "cli/value_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <span>

#include "sonde/dollar_text.h"

namespace sonde::cli {
namespace {

struct Scale {
  double size;
  const char* suffix;
};

constexpr std::array<Scale, 6> kTimes{
    {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "mins"}, {3600e9, "hrs"}}};
constexpr std::array<Scale, 5> kSizes{
    {{1, "B"}, {1 << 10, "kB"}, {1 << 20, "MB"}, {1 << 30, "GB"}, {1LL << 40, "TB"}}};

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

std::string Scaled(double value, std::span<const Scale> scales) {
  const Scale* scale = &scales.front();
  for (const Scale& larger : scales) {
    if (std::abs(value) >= larger.size) scale = &larger;
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value / scale->size);
  std::string result = text.data();
  if (result.ends_with(".00")) result.resize(result.size() - 3);
  return result + scale->suffix;
}

double NanosecondsIn(std::string_view unit) {
  if (unit == "nanoseconds" || unit == "ns") return 1;
  if (unit == "microseconds" || unit == "us") return 1e3;
  if (unit == "milliseconds" || unit == "ms") return 1e6;
  if (unit == "seconds" || unit == "s") return 1e9;
  return 0;
}

// The bytes of the UTF-8 character at the start of `text`; 0 when there is none.
std::size_t CharacterBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  std::size_t length = 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) length = 2;
  if (first >= 0xe0 && first < 0xf0) length = 3;
  if (first >= 0xf0 && first < 0xf5) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90)) {
    return 0;
  }
  return length;
}

}  // namespace

std::string ValueText(std::int64_t value, std::string_view unit) {
  if (const double nanoseconds = NanosecondsIn(unit); nanoseconds != 0) {
    return value == 0 ? "0" : Scaled(static_cast<double>(value) * nanoseconds, kTimes);
  }
  if (unit == "bytes") return value == 0 ? "0" : Scaled(static_cast<double>(value), kSizes);
  if (unit == "nanodollars") return DollarText(value);
  return std::to_string(value);
}

std::string PercentText(double part, double whole) {
  if (whole == 0 || part == 0) return "0%";
  std::array<char, 64> text{};
  const double percent = 100.0 * part / whole;
  std::snprintf(text.data(), text.size(),
                std::abs(std::abs(percent) - 100) < 0.005 ? "%.0f%%" : "%.2f%%", percent);
  return std::string_view(text.data()) == "-0.00%" ? "0.00%" : text.data();
}

std::string SafeText(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = CharacterBytes(text);
    const auto first = static_cast<unsigned char>(text[0]);
    const bool is_c1 = length == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (length == 0 || first < 0x20 || first == 0x7f || is_c1) {
      safe += kReplacement;
    } else {
      safe += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return safe;
}

}  // namespace sonde::cli
