// FrameLine: a line of perf script's text that belongs to a stack.

#include "export/perf_script/frame_line.h"

#include <charconv>
#include <cstddef>

#include "export/perf_script/header_line.h"

namespace sonde::perf_script {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

bool AreHexDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

// "main+0x1f" -> "main"
std::string_view WithoutOffset(std::string_view text) {
  const std::size_t plus = text.rfind("+0x");
  if (plus == std::string_view::npos || !AreHexDigits(text.substr(plus + 3))) return text;
  return text.substr(0, plus);
}

// Where the parenthesis that `text` ends with is opened, or npos.
std::size_t OpeningOfLast(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// "main.cc:12" and "main.cc:12 (discriminator 3)"
bool ReadSourceLine(std::string_view text, FrameLine& into) {
  const std::size_t discriminator = text.rfind(" (discriminator ");
  if (discriminator != std::string_view::npos) text = text.substr(0, discriminator);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view number = text.substr(colon + 1);
  if (number == "?") {
    into.line = 0;
  } else {
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), into.line);
    if (error != std::errc() || end != number.data() + number.size() || into.line < 0) return false;
  }
  into.file = text.substr(0, colon);
  if (into.file == "??") into.file = {};
  into.kind = LineKind::kSourceLine;
  return true;
}

void SetModule(std::string_view module, FrameLine& into) {
  if (module == "inlined") {
    into.kind = LineKind::kInlinedFrame;
    return;
  }
  // "libz.so+0x1234", when perf was asked for offsets in the file.
  const std::string_view file = WithoutOffset(module);
  if (file != "[unknown]" && file != "unknown") into.module = file;
}

// A parenthesis behind a space at the end, unless it is an argument list.
bool HasModule(std::string_view text, std::size_t open) {
  return open != std::string_view::npos && open > 0 && text[open - 1] == ' ';
}

}  // namespace

AddressedText CutAddress(std::string_view text) noexcept {
  constexpr std::size_t kMostDigits = 16;
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  std::size_t digits = 0;
  while (digits < text.size() && digits <= kMostDigits && is_hex(text[digits])) ++digits;
  const bool ends_there = digits == text.size() || text[digits] == ' ';
  if (digits == 0 || digits > kMostDigits || !ends_there) return {.rest = text};
  return {.has_address = true,
          .is_upper_half = digits == kMostDigits && text.front() >= '8',
          .rest = text.substr(digits)};
}

FrameLine ParseFrame(std::string_view text) noexcept {
  FrameLine frame;
  if (text.empty()) return frame;
  const std::size_t space = text.find(' ');
  const std::string_view first = text.substr(0, space);
  const bool has_address = AreHexDigits(first) && first.size() <= 16;

  if (!has_address && ReadSourceLine(text, frame)) return frame;
  // A comm may look like an address ("cafe 12 [001] 1.5: cycles:"), and a header
  // may end with the only frame of its sample.
  const bool may_end_with_frame = !has_address && text.back() == ')';
  if (text.find(": ") != std::string_view::npos || text.back() == ':' || may_end_with_frame) {
    const auto header = ParseHeader(text);
    if (header.has_value() &&
        (header->time_ns >= 0 || header->cpu >= 0 ||
         (!has_address && !(header->event.empty() && header->rest.empty())))) {
      frame.kind = LineKind::kHeader;
      return frame;
    }
  }

  std::string_view rest = text;
  if (has_address) {
    std::from_chars(first.data(), first.data() + first.size(), frame.address, 16);
    rest = space == std::string_view::npos ? std::string_view() : Trim(text.substr(space));
  }
  frame.kind = LineKind::kFrame;
  const std::size_t open =
      !rest.empty() && rest.back() == ')' ? OpeningOfLast(rest) : std::string_view::npos;
  if (HasModule(rest, open)) {
    SetModule(rest.substr(open + 1, rest.size() - open - 2), frame);
    rest = Trim(rest.substr(0, open));
  } else if (open == 0) {
    SetModule(rest.substr(1, rest.size() - 2), frame);
    rest = {};
  } else if (!has_address) {
    frame.kind = LineKind::kUnknown;
    frame.function = text;
    return frame;
  }
  rest = WithoutOffset(rest);
  if (rest != "[unknown]") frame.function = rest;
  return frame;
}

}  // namespace sonde::perf_script
