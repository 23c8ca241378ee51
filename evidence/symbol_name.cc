// SymbolName: one name for a function, whatever the compiler and the recorder appended to it.

#include "evidence/symbol_name.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

constexpr std::array<std::string_view, 7> kNumberedSuffixes = {
    ".isra", ".constprop", ".part", ".cold", ".llvm", ".lto_priv", ".localalias"};
constexpr std::size_t kRustHashDigits = 16;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLowerHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f'); }
bool IsHex(char c) { return IsLowerHex(c) || (c >= 'A' && c <= 'F'); }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string_view WithoutOffset(std::string_view name) {
  const std::size_t plus = name.rfind("+0x");
  if (plus == std::string_view::npos || plus + 3 == name.size()) return name;
  return std::ranges::all_of(name.substr(plus + 3), IsHex) ? name.substr(0, plus) : name;
}

std::string_view WithoutVersion(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos || at == 0) return name;
  const std::string_view version = name.substr(at);
  const bool known = version == "@plt" || version.find("GLIBC") != std::string_view::npos ||
                     version.find("CXXABI") != std::string_view::npos ||
                     version.find("GCC_") != std::string_view::npos;
  return known ? name.substr(0, at) : name;
}

std::string_view WithoutClone(std::string_view name) {
  if (!name.ends_with(']')) return name;
  const std::size_t open = name.rfind(" [clone");
  return open == std::string_view::npos ? name : name.substr(0, open);
}

// One ".suffix" or ".suffix.123" at the end.
std::string_view WithoutCopySuffix(std::string_view name) {
  std::string_view stem = name;
  while (!stem.empty() && IsDigit(stem.back())) stem.remove_suffix(1);
  if (stem.size() != name.size()) {
    if (!stem.ends_with('.')) return name;
    stem.remove_suffix(1);
  }
  for (const std::string_view suffix : kNumberedSuffixes) {
    if (stem.ends_with(suffix)) return stem.substr(0, stem.size() - suffix.size());
  }
  return name;
}

std::string_view WithoutRustHash(std::string_view name) {
  if (name.size() < kRustHashDigits + 3) return name;
  for (const std::size_t digits : {kRustHashDigits, kRustHashDigits + 1}) {
    if (name.size() < digits + 3) continue;
    const std::string_view tail = name.substr(name.size() - digits - 3);
    if (tail.starts_with("::h") && std::ranges::all_of(tail.substr(3), IsLowerHex)) {
      return name.substr(0, name.size() - digits - 3);
    }
  }
  return name;
}

}  // namespace

std::string_view NormalizedSymbol(std::string_view symbol) {
  const std::string_view trimmed = Trimmed(symbol);
  std::string_view name = trimmed;
  while (true) {
    const std::string_view shorter = WithoutRustHash(
        WithoutCopySuffix(WithoutClone(WithoutVersion(WithoutOffset(Trimmed(name))))));
    if (shorter.empty()) return name.empty() ? trimmed : name;
    if (shorter.size() == name.size()) return name;
    name = shorter;
  }
}

bool IsUnknownSymbol(std::string_view symbol) {
  return symbol.empty() || symbol == "[unknown]" || symbol == "unknown" || symbol == "??" ||
         symbol == "0x0" || symbol == "0";
}

bool IsUnknownDso(std::string_view dso) {
  return dso.empty() || dso == "[unknown]" || dso == "unknown";
}

}  // namespace sonde
