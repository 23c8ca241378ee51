// Demangle: the name of a symbol as a person writes it.

#include "export/symbols/demangle.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

namespace sonde::symbols {
namespace {

constexpr std::size_t kLongestName = std::size_t{16} << 10;
constexpr std::size_t kRustHashDigits = 16;
constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI;

// What the old Rust mangling writes for characters that linkers refuse.
constexpr std::array<std::pair<std::string_view, char>, 8> kRustEscapes{{
    {"$SP$", '@'},
    {"$BP$", '*'},
    {"$RF$", '&'},
    {"$LT$", '<'},
    {"$GT$", '>'},
    {"$LP$", '('},
    {"$RP$", ')'},
    {"$C$", ','},
}};

// Ends with "::h" and sixteen hexadecimal digits, of which at least five differ:
// a name that somebody wrote hardly does.
bool EndsWithRustHash(std::string_view name) {
  if (name.size() <= kRustHashDigits + 3) return false;
  const std::string_view digits = name.substr(name.size() - kRustHashDigits);
  if (!name.substr(0, name.size() - kRustHashDigits).ends_with("::h")) return false;
  std::array<bool, 16> seen{};
  for (const char c : digits) {
    if (c >= '0' && c <= '9') {
      seen[static_cast<std::size_t>(c - '0')] = true;
    } else if (c >= 'a' && c <= 'f') {
      seen[static_cast<std::size_t>(c - 'a' + 10)] = true;
    } else {
      return false;
    }
  }
  return std::ranges::count(seen, true) >= 5;
}

std::string WithoutRustEscapes(std::string_view name) {
  std::string plain;
  plain.reserve(name.size());
  std::size_t at = 0;
  // A part that starts with an escape was given an underscore to start with.
  const auto skip_underscore = [&] {
    if (name.substr(at).starts_with("_$")) ++at;
  };
  skip_underscore();
  while (at < name.size()) {
    const std::string_view rest = name.substr(at);
    if (rest.starts_with("..")) {
      plain += "::";
      at += 2;
      continue;
    }
    const auto* escape = rest.front() == '$'
                             ? std::ranges::find_if(kRustEscapes,
                                                    [&](const auto& candidate) {
                                                      return rest.starts_with(candidate.first);
                                                    })
                             : kRustEscapes.end();
    if (escape != kRustEscapes.end()) {
      plain += escape->second;
      at += escape->first.size();
      continue;
    }
    // "$u27$": the character with that hexadecimal number.
    const std::size_t end = rest.starts_with("$u") ? rest.find('$', 2) : std::string_view::npos;
    unsigned code = 0;
    if (end == 4 &&
        std::from_chars(rest.data() + 2, rest.data() + end, code, 16).ptr == rest.data() + end) {
      plain += static_cast<char>(code);
      at += end + 1;
      continue;
    }
    plain += rest.front();
    ++at;
    if (plain.ends_with("::")) skip_underscore();
  }
  return plain;
}

std::string TakeText(char* text) {
  if (text == nullptr) return {};
  std::string copy(text);
  std::free(text);
  return copy;
}

std::string DemangleBy(std::string_view symbol, int options) {
  if (!IsMangled(symbol) || symbol.size() > kLongestName) return {};
  const std::string terminated(symbol);
  std::string name = TakeText(rust_demangle(terminated.c_str(), options));
  if (name.empty()) name = TakeText(cplus_demangle_v3(terminated.c_str(), options));
  return name;
}

}  // namespace

bool IsMangled(std::string_view symbol) noexcept {
  return symbol.starts_with("_Z") || symbol.starts_with("_R") || symbol.starts_with("__Z") ||
         symbol.starts_with("___Z");
}

std::string Demangle(std::string_view symbol) { return DemangleBy(symbol, kOptions); }

std::string DemangleWithoutArguments(std::string_view symbol) {
  return DemangleBy(symbol, DMGL_NO_OPTS);
}

std::string_view WithoutVersion(std::string_view symbol) noexcept {
  const std::size_t at = symbol.find('@');
  if (at == 0 || at == std::string_view::npos) return symbol;
  const bool is_default = symbol.substr(at).starts_with("@@");
  const std::string_view version = symbol.substr(at + (is_default ? 2 : 1));
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_part = [&](char c) {
    return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  if (version.empty() || !std::ranges::all_of(version, is_part)) return symbol;
  return is_default || is_upper(version.front()) ? symbol.substr(0, at) : symbol;
}

std::string ShownName(std::string_view symbol, NameStyle style) {
  if (style == NameStyle::kSymbols) return std::string(symbol);
  constexpr std::string_view kStub = "@plt";
  const std::string_view plain = symbol.substr(0, std::max<std::size_t>(symbol.find('@'), 1));
  std::string name = style == NameStyle::kFull ? Demangle(plain) : DemangleWithoutArguments(plain);
  if (name.empty()) name = plain;
  if (symbol.ends_with(kStub)) name += kStub;
  return name;
}

std::string DemangleRust(std::string_view symbol) {
  if (symbol.size() > kLongestName) return {};
  if (EndsWithRustHash(symbol)) {
    return WithoutRustEscapes(symbol.substr(0, symbol.size() - kRustHashDigits - 3));
  }
  if (!IsMangled(symbol)) return {};
  return TakeText(rust_demangle(std::string(symbol).c_str(), kOptions));
}

}  // namespace sonde::symbols
