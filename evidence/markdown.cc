// Markdown: tables and text that stay what they are whatever stands in a symbol name.

#include "evidence/markdown.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace sonde {
namespace {

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

// The characters that turn the direction of what follows, spelt out: with them a name could be
// shown as another, or move the text around it.
std::string WithoutTurns(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTurns{
      {{"\u061c", "\\u061c"},
       {"\u200e", "\\u200e"},
       {"\u200f", "\\u200f"},
       {"\u202a", "\\u202a"},
       {"\u202b", "\\u202b"},
       {"\u202c", "\\u202c"},
       {"\u202d", "\\u202d"},
       {"\u202e", "\\u202e"},
       {"\u2066", "\\u2066"},
       {"\u2067", "\\u2067"},
       {"\u2068", "\\u2068"},
       {"\u2069", "\\u2069"}}};
  std::string shown;
  while (!text.empty()) {
    const auto turn = std::ranges::find_if(
        kTurns, [&](const auto& known) { return text.starts_with(known.first); });
    if (turn != kTurns.end()) {
      shown += turn->second;
      text.remove_prefix(turn->first.size());
    } else {
      shown += text.front();
      text.remove_prefix(1);
    }
  }
  return shown;
}

}  // namespace

std::string MarkdownText(std::string_view given) {
  const std::string text = WithoutTurns(given);
  constexpr std::string_view kSpecial = "\\`*_[]#|~";
  // Only in front could these start a list: "- x", "1. x".
  constexpr std::string_view kSpecialInFront = "+-=";
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (IsControl(c)) {
      escaped += ' ';
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      const bool in_front = i == 0 && kSpecialInFront.find(c) != std::string_view::npos;
      const bool numbers = digits > 0 && i == digits && (c == '.' || c == ')');
      if (in_front || numbers || kSpecial.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string MarkdownCode(std::string_view given) {
  const std::string text = WithoutTurns(given);
  std::size_t longest = 0;
  std::size_t run = 0;
  std::string body;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
    if (c == '|') body += '\\';
    body += IsControl(c) ? ' ' : c;
  }
  if (body.empty()) body = " ";
  const std::string fence(longest + 1, '`');
  // A space keeps a backtick of the text apart from the fence; readers strip one on each side.
  const bool spaced = body.front() == '`' || body.back() == '`';
  return fence + (spaced ? " " : "") + body + (spaced ? " " : "") + fence;
}

MarkdownTable::MarkdownTable(std::initializer_list<std::string_view> columns) {
  std::string rule = "|";
  text_ = "|";
  for (std::string_view column : columns) {
    const bool right = column.starts_with('>');
    if (right) column.remove_prefix(1);
    text_ += ' ' + std::string(column) + " |";
    rule += right ? " ---: |" : " --- |";
  }
  text_ += '\n' + rule + '\n';
}

void MarkdownTable::AddRow(const std::vector<std::string>& cells) {
  text_ += '|';
  for (const std::string& cell : cells) text_ += ' ' + cell + " |";
  text_ += '\n';
}

std::string FixedText(double value, int decimals) {
  std::array<char, 64> text{};
  // Of larger numbers a double does not hold the decimals, nor people the digits.
  constexpr double kLargestFixed = 1e15;
  const char* const format = std::abs(value) < kLargestFixed ? "%.*f" : "%.*e";
  const int length = std::snprintf(text.data(), text.size(), format, decimals, value);
  return {text.data(), static_cast<std::size_t>(std::max(0, length))};
}

std::string SignedText(double value, int decimals) {
  return (value >= 0 ? "+" : "") + FixedText(value, decimals);
}

}  // namespace sonde
