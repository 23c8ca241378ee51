// Text for pictures: quoted for scripts, and weights as people read them.

#include "export/flame/markup.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "sonde/dollar_text.h"

namespace sonde {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool IsTail(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

bool IsAllowed(std::uint32_t point) {
  if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return false;  // C0, DEL, C1.
  if (point >= 0xd800 && point < 0xe000) return false;                // Surrogates.
  if ((point & 0xfffeU) == 0xfffeU || (point >= 0xfdd0 && point < 0xfdf0)) return false;
  if ((point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069)) return false;
  return point != 0x2028 && point != 0x2029 && point < 0x110000;
}

// The bytes of the character at the start of `text` if it is valid and allowed.
// Otherwise 0, and `skip` is how many bytes one replacement stands for.
std::size_t CharacterAt(std::string_view text, std::size_t& skip) {
  const auto first = static_cast<unsigned char>(text[0]);
  skip = 1;
  std::size_t length = 0;
  std::uint32_t point = 0;
  std::uint32_t least = 0;
  if (first < 0x80) {
    return IsAllowed(first) ? 1 : 0;
  } else if ((first & 0xE0U) == 0xC0U) {
    length = 2, point = first & 0x1fU, least = 0x80;
  } else if ((first & 0xF0U) == 0xE0U) {
    length = 3, point = first & 0x0fU, least = 0x800;
  } else if ((first & 0xF8U) == 0xF0U) {
    length = 4, point = first & 0x07U, least = 0x10000;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || !IsTail(text[i])) return 0;
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  if (point < least) return 0;
  skip = length;
  return IsAllowed(point) ? length : 0;
}

bool IsPlain(char c) { return c >= 0x20 && c < 0x7f; }

struct Step {
  double size;
  const char* unit;
};

// Three significant digits in the largest step that fits.
void AppendScaled(std::string& out, double value, std::initializer_list<Step> steps) {
  const Step* chosen = steps.begin();
  // A value that would be rounded up to the next step is shown in it.
  for (const Step& step : steps) {
    if (std::abs(value) >= step.size * 0.9995) chosen = &step;
  }
  const double scaled = value / chosen->size;
  const double size = std::abs(scaled);
  const int decimals = size >= 99.95 || scaled == std::floor(scaled) ? 0 : size >= 9.995 ? 1 : 2;
  AppendFixed(out, scaled, decimals);
  out += ' ';
  out += chosen->unit;
}

}  // namespace

std::string CleanText(std::string_view bytes) {
  std::string clean;
  clean.reserve(bytes.size());
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::size_t end = at;
    while (end < bytes.size() && IsPlain(bytes[end])) ++end;
    clean.append(bytes.substr(at, end - at));
    at = end;
    if (at == bytes.size()) break;
    std::size_t skip = 1;
    const std::size_t length = CharacterAt(bytes.substr(at), skip);
    clean.append(length == 0 ? kReplacement : bytes.substr(at, length));
    at += length == 0 ? skip : length;
  }
  return clean;
}

std::size_t CharacterCount(std::string_view clean) noexcept {
  std::size_t count = 0;
  for (const char byte : clean) count += IsTail(byte) ? 0 : 1;
  return count;
}

std::size_t BytesOf(std::string_view clean, std::size_t characters) noexcept {
  std::size_t at = 0;
  while (at < clean.size() && characters > 0) {
    ++at;
    while (at < clean.size() && IsTail(clean[at])) ++at;
    --characters;
  }
  return at;
}

void AppendXml(std::string& out, std::string_view clean) {
  for (const char c : clean) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

void AppendJson(std::string& out, std::string_view clean) {
  out += '"';
  for (const char c : clean) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '&':
        out += "\\u0026";
        break;
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      default:
        out += c;
    }
  }
  out += '"';
}

void AppendNumber(std::string& out, std::int64_t value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void AppendFixed(std::string& out, double value, int decimals) {
  std::array<char, 352> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::fixed, decimals)
                       .ptr;
  out.append(digits.data(), end);
}

void AppendPercent(std::string& out, std::int64_t part, std::int64_t whole) {
  AppendFixed(out, whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole),
              2);
}

void AppendWeight(std::string& out, std::int64_t weight, const ValueType& type) {
  const auto value = static_cast<double>(weight);
  double nanoseconds = 0;
  if (type.unit == "nanoseconds") nanoseconds = 1;
  if (type.unit == "microseconds") nanoseconds = 1e3;
  if (type.unit == "milliseconds") nanoseconds = 1e6;
  if (type.unit == "seconds") nanoseconds = 1e9;
  if (nanoseconds != 0) {
    AppendScaled(out, value * nanoseconds, {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}});
    return;
  }
  if (type.unit == "bytes") {
    AppendScaled(out, value,
                 {{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}});
    return;
  }
  if (type.unit == "nanodollars") {
    out += DollarText(weight);
    return;
  }
  std::string digits;
  AppendNumber(digits, weight);
  const std::size_t sign = weight < 0 ? 1 : 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > sign && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  out += ' ';
  const bool is_counted = type.unit == "count" || type.unit.empty();
  out += CleanText(!is_counted ? type.unit : type.type.empty() ? "samples" : type.type);
}

void AppendChange(std::string& out, std::int64_t change, const ValueType& type) {
  if (change > 0) out += '+';
  AppendWeight(out, change, type);
}

}  // namespace sonde
