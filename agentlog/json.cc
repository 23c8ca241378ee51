// What the dialects need of simdjson: objects field by field, forgiving of types, not of damage.

#include "agentlog/json.h"

#include <charconv>
#include <cmath>

namespace sonde::agentlog::json {
namespace {

int HexDigit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The four digits behind "\u" at `at`, or -1.
int CodeUnit(std::string_view raw, std::size_t at) noexcept {
  if (at + 6 > raw.size() || raw[at] != '\\' || raw[at + 1] != 'u') return -1;
  int unit = 0;
  for (std::size_t i = at + 2; i < at + 6; ++i) {
    const int digit = HexDigit(raw[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

void AppendUtf8(std::string& out, int code) {
  const auto byte = [&](int value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | (code >> 6));
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3f));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

// Decodes the escape at `at` and returns how long it is.
std::size_t AppendEscape(std::string& out, std::string_view raw, std::size_t at) {
  if (at + 1 >= raw.size()) return 1;
  switch (raw[at + 1]) {
    case 'n':
      out += '\n';
      return 2;
    case 't':
      out += '\t';
      return 2;
    case 'r':
      out += '\r';
      return 2;
    case 'b':
      out += '\b';
      return 2;
    case 'f':
      out += '\f';
      return 2;
    case 'u':
      break;
    default:
      out += raw[at + 1];
      return 2;
  }
  const int unit = CodeUnit(raw, at);
  if (unit < 0) return 2;
  const bool is_high = unit >= 0xd800 && unit < 0xdc00;
  const bool is_low = unit >= 0xdc00 && unit < 0xe000;
  if (is_high) {
    const int low = CodeUnit(raw, at + 6);
    if (low >= 0xdc00 && low < 0xe000) {
      AppendUtf8(out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
      return 12;
    }
  }
  AppendUtf8(out, is_high || is_low ? 0xfffd : unit);
  return 6;
}

// No thread has as many tokens, and the sums of many counts below it still fit.
constexpr std::uint64_t kLargestCount = 1'000'000'000'000;

void ReadDouble(double number, std::uint64_t& out, bool& odd) {
  if (number >= 0 && number <= static_cast<double>(kLargestCount) && std::trunc(number) == number) {
    out = static_cast<std::uint64_t>(number);
  } else {
    odd = true;
  }
}

}  // namespace

std::string_view TextArena::Unescape(std::string_view raw) {
  if (next_ == texts_.size()) texts_.emplace_back();
  std::string& out = texts_[next_++];
  out.clear();
  out.reserve(raw.size());
  used_ += raw.size();
  std::size_t at = 0;
  while (at < raw.size()) {
    const std::size_t slash = std::min(raw.find('\\', at), raw.size());
    out.append(raw, at, slash - at);
    at = slash;
    if (at < raw.size()) at += AppendEscape(out, raw, at);
  }
  return out;
}

bool ReadCount(od::value value, std::uint64_t& out, bool& odd) {
  out = 0;
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  if (type == od::json_type::number) {
    od::number number;
    if (value.get_number().get(number) != simdjson::SUCCESS) {
      odd = true;  // More digits than 64 bits hold.
      return true;
    }
    if (number.is_double()) {
      ReadDouble(number.get_double(), out, odd);
    } else {
      // A number below 0 is a large one without its sign.
      const std::uint64_t count =
          number.is_uint64() ? number.get_uint64() : static_cast<std::uint64_t>(number.get_int64());
      if (count <= kLargestCount) out = count;
      odd = odd || count > kLargestCount;
    }
    return true;
  }
  if (type == od::json_type::string) {
    od::raw_json_string string;
    if (value.get_raw_json_string().get(string) != simdjson::SUCCESS) return false;
    const std::string_view raw = Raw(string);
    double number = 0;
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
    if (error == std::errc() && end == raw.data() + raw.size()) {
      ReadDouble(number, out, odd);
    } else {
      odd = true;
    }
    return true;
  }
  odd = odd || type != od::json_type::null;
  return true;
}

bool ReadNumber(od::value value, std::int64_t& out) {
  od::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return false;
  if (type != od::json_type::number) return true;
  od::number number;
  if (value.get_number().get(number) != simdjson::SUCCESS) return true;
  if (number.is_int64()) {
    out = number.get_int64();
  } else if (number.is_double() && std::abs(number.get_double()) < 1e18) {
    out = static_cast<std::int64_t>(number.get_double());
  }
  return true;
}

Outcome Parser::Start(std::string_view text, od::document& document) {
  if (text.size() > parser_.capacity()) {
    const std::size_t wanted = std::max<std::size_t>(text.size() + text.size() / 4, 16 * 1024);
    if (parser_.allocate(wanted) != simdjson::SUCCESS) return Outcome::kDamaged;
  }
  const simdjson::padded_string_view padded(text.data(), text.size(), text.size() + kLinePadding);
  if (const simdjson::error_code error = parser_.iterate(padded).get(document)) {
    return error == simdjson::UTF8_ERROR ? Outcome::kInvalidUtf8 : Outcome::kDamaged;
  }
  od::json_type type{};
  if (document.type().get(type) != simdjson::SUCCESS) return Outcome::kDamaged;
  return type == od::json_type::object ? Outcome::kRecord : Outcome::kNotObject;
}

std::size_t Parser::FirstObjectEnd(std::string_view text) noexcept {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    switch (c) {
      case '"':
        in_string = true;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return 0;
        if (--depth == 0) return i + 1;
        break;
      default:
        break;
    }
  }
  return 0;
}

}  // namespace sonde::agentlog::json
