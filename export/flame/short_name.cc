// ShortName: a function's name in the room that a frame has for it.

#include "export/flame/short_name.h"

#include <algorithm>
#include <iterator>

#include "export/flame/markup.h"

namespace sonde {
namespace {

constexpr std::string_view kEllipsis = "…";

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Behind the bracket that closes the one at `at`, or the end of the name.
std::size_t SkipBrackets(std::string_view name, std::size_t at) {
  int depth = 0;
  for (; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    const bool is_arrow = c == '>' && at > 0 && name[at - 1] == '-';
    if ((c == '>' && !is_arrow) || c == ')' || c == '}' || c == ']') {
      if (--depth == 0) return at + 1;
    }
  }
  return name.size();
}

// Behind the symbol of "operator<<", "operator()" or "operator bool" at `at`; `at` if there is
// none.
std::size_t SkipOperator(std::string_view name, std::size_t at) {
  constexpr std::string_view kWord = "operator";
  if (name.substr(at, kWord.size()) != kWord) return at;
  if (at > 0 && IsWord(name[at - 1])) return at;
  std::size_t end = at + kWord.size();
  if (end < name.size() && IsWord(name[end])) return at;
  if (name.substr(end, 2) == "()") return end + 2;
  while (end < name.size() && name[end] != '(') ++end;
  return end;
}

// The bytes of "tool: " in "tool: Bash": a word, a colon that is no scope, spaces.
std::size_t PrefixOf(std::string_view name) {
  std::size_t at = 0;
  while (at < name.size() && (IsWord(name[at]) || name[at] == '-')) ++at;
  if (at == 0 || name.substr(at, 1) != ":" || name.substr(at, 2) == "::") return 0;
  const std::size_t end = name.find_first_not_of(' ', at + 1);
  return end == std::string_view::npos ? 0 : end;
}

bool IsCode(std::string_view name) {
  if (name.find("::") != std::string_view::npos) return true;
  const std::size_t bracket = name.find_first_of("(<");
  if (bracket != std::string_view::npos && bracket > 0) {
    return IsWord(name[bracket - 1]) || name[bracket - 1] == '.';
  }
  return name.find(' ') == std::string_view::npos;
}

// The "cc" of "pool.cc" is no name of its own.
bool IsFileEnding(std::string_view text) {
  constexpr std::string_view kEndings[] = {"c",  "cc", "cpp", "go", "h",  "hpp", "java",
                                           "js", "py", "rb",  "rs", "sh", "so",  "ts"};
  return std::find(std::begin(kEndings), std::end(kEndings), text) != std::end(kEndings);
}

// ".isra.0" and ".constprop.0.cold", up to the end of the name: what a compiler made of a function.
bool IsCloneMark(std::string_view text) {
  constexpr std::string_view kMarks[] = {"isra",  "constprop", "part",    "cold",   "llvm",
                                         "clone", "lto_priv",  "resume",  "warm",   "localalias",
                                         "cfi",   "cfi_jt",    "destroy", "cleanup"};
  while (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::string_view word = text.substr(0, text.find('.'));
    const bool is_number =
        !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
    if (!is_number && std::find(std::begin(kMarks), std::end(kMarks), word) == std::end(kMarks)) {
      return false;
    }
    text.remove_prefix(word.size());
  }
  return text.empty();
}

// "_[k]": kernel, JIT or inlined, which the colour shows too.
constexpr std::size_t kMarkSize = 4;
bool HasMark(std::string_view name) {
  return name.size() > kMarkSize && name.ends_with(']') &&
         name.substr(name.size() - kMarkSize, 2) == "_[" && name[name.size() - 2] >= 'a' &&
         name[name.size() - 2] <= 'z';
}

std::string Cut(std::string_view text, std::size_t characters) {
  if (CharacterCount(text) <= characters) return std::string(text);
  return std::string(text.substr(0, BytesOf(text, characters - 1))) + std::string(kEllipsis);
}

// "std::vector<int>::" -> "std::vector<…>::".
std::string WithoutArguments(std::string_view qualifier) {
  const std::size_t open = qualifier.find_first_of("<");
  const std::size_t close = qualifier.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 4) {
    return std::string(qualifier);
  }
  return std::string(qualifier.substr(0, open + 1)) + std::string(kEllipsis) +
         std::string(qualifier.substr(close));
}

}  // namespace

NameParts TakeApart(std::string_view name) {
  NameParts parts;
  parts.own = name;
  const std::size_t prefix = PrefixOf(name);
  if (prefix > 0) parts.qualifiers.push_back(name.substr(0, prefix));
  if (!IsCode(name)) {
    parts.own = name.substr(prefix);
    return parts;
  }
  const bool has_scopes = name.find("::") != std::string_view::npos;
  // "path:docs/plan.md" is a value under a key: its dots are those of file names.
  const bool has_dots = prefix == 0;
  std::size_t start = prefix;  // Of the part that is being read.
  std::size_t own_end = std::string_view::npos;
  std::size_t at = prefix;
  while (at < name.size()) {
    if (const std::size_t end = SkipOperator(name, at); end != at) {
      at = end;
      own_end = end;
      continue;
    }
    const char c = name[at];
    if (c == '.' && at > start && IsCloneMark(name.substr(at))) {
      parts.own = name.substr(start, std::min(own_end, at) - start);
      if (own_end < at) parts.arguments = name.substr(own_end, at - own_end);
      parts.parameters = name.substr(at);
      return parts;
    }
    const bool at_scope = name.substr(at, 2) == "::";
    const bool at_slash =
        !has_scopes && (c == '/' || (c == '.' && has_dots && !IsFileEnding(name.substr(at + 1))));
    if (at_scope || at_slash) {
      const std::size_t end = at + (at_scope ? 2 : 1);
      // "a.cc" and a trailing separator do not make another part.
      if (end < name.size()) {
        parts.qualifiers.push_back(name.substr(start, end - start));
        start = end;
        own_end = std::string_view::npos;
      }
      at = end;
    } else if (c == ' ' && has_scopes && own_end == std::string_view::npos) {
      parts.result = name.substr(0, at + 1);
      parts.qualifiers.clear();
      start = ++at;
    } else if (c == '<' || c == '{' || c == '[') {
      if (c == '<' && at > start && own_end == std::string_view::npos) own_end = at;
      at = SkipBrackets(name, at);
    } else if (c == '(') {
      const std::size_t end = SkipBrackets(name, at);
      const bool is_scope = name.substr(end, 2) == "::" || (end < name.size() && name[end] == '.');
      if (!is_scope && at > start) {
        parts.own = name.substr(start, std::min(own_end, at) - start);
        if (own_end < at) parts.arguments = name.substr(own_end, at - own_end);
        parts.parameters = name.substr(at);
        return parts;
      }
      at = end;
    } else {
      ++at;
    }
  }
  parts.own = name.substr(start, own_end == std::string_view::npos ? own_end : own_end - start);
  if (own_end < name.size()) parts.arguments = name.substr(own_end);
  return parts;
}

std::string ShortName(std::string_view clean, std::size_t characters) {
  if (characters < 3) return {};
  if (clean.size() <= characters || CharacterCount(clean) <= characters) return std::string(clean);
  if (HasMark(clean)) clean.remove_suffix(kMarkSize);
  if (CharacterCount(clean) <= characters) return std::string(clean);
  const NameParts parts = TakeApart(clean);
  std::string result(parts.result);
  std::string outer;
  for (const std::string_view qualifier : parts.qualifiers) outer += qualifier;
  std::string arguments(parts.arguments);
  std::string parameters(parts.parameters);
  const auto whole = [&] {
    return result + outer + std::string(parts.own) + arguments + parameters;
  };
  const auto fits = [&] { return CharacterCount(whole()) <= characters; };

  if (parameters.starts_with('.')) parameters.clear();
  if (parameters.size() > 3) parameters = "(…)";
  if (fits()) return whole();
  result.clear();
  if (fits()) return whole();
  outer.clear();
  for (const std::string_view qualifier : parts.qualifiers) outer += WithoutArguments(qualifier);
  if (fits()) return whole();
  if (arguments.size() > 3) arguments = "<…>";
  if (fits()) return whole();
  parameters.clear();
  if (fits()) return whole();
  for (std::size_t first = 1; first < parts.qualifiers.size(); ++first) {
    outer = kEllipsis;
    for (std::size_t i = first; i < parts.qualifiers.size(); ++i) {
      outer += WithoutArguments(parts.qualifiers[i]);
    }
    if (fits()) return whole();
  }
  outer.clear();
  if (fits()) return whole();
  arguments.clear();
  if (fits()) return whole();
  return Cut(parts.own, characters);
}

}  // namespace sonde
