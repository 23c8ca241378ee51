// FrameNamer: the one place where content of a log becomes a name that is shown.

#include "agentlog/frame_namer.h"

#include <openssl/sha.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <vector>

namespace sonde::agentlog {
namespace {

constexpr std::size_t kMaxComponent = 48;
constexpr std::size_t kMaxWord = 80;

bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
bool IsUpper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) noexcept { return c >= 'a' && c <= 'z'; }
bool IsHex(char c) noexcept {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsTokenChar(char c) noexcept { return IsDigit(c) || IsUpper(c) || IsLower(c); }
bool IsKept(char c) noexcept {
  return IsTokenChar(c) || c == '.' || c == '_' || c == ':' || c == '/' || c == '+' || c == '-';
}

// The length of the UTF-8 sequence at the start of `text`, 0 when it is damaged.
std::size_t SequenceLength(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;
  if (lead == 0xed && byte(1) >= 0xa0) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) >= 0x90) return 0;
  return length;
}

bool IsForeignLetter(std::string_view sequence) {
  static const RE2 kLetter(R"([\p{L}\p{N}\p{M}])");
  return RE2::FullMatch({sequence.data(), sequence.size()}, kLetter);
}

// Lower case for the alphabets that have one letter to one: Latin-1, Greek and Cyrillic.
std::string LowerForeign(std::string_view sequence) {
  std::string lower(sequence);
  if (sequence.size() != 2) return lower;
  const unsigned lead = static_cast<unsigned char>(sequence[0]);
  const unsigned tail = static_cast<unsigned char>(sequence[1]);
  unsigned code = (lead & 0x1fU) << 6 | (tail & 0x3fU);
  if (code >= 0xc0 && code <= 0xde && code != 0xd7) code += 0x20;
  if (code >= 0x391 && code <= 0x3a9) code += 0x20;
  if (code >= 0x410 && code <= 0x42f) code += 0x20;
  if (code >= 0x400 && code <= 0x40f) code += 0x50;
  lower[0] = static_cast<char>(0xc0U | code >> 6);
  lower[1] = static_cast<char>(0x80U | (code & 0x3fU));
  return lower;
}

std::string Sanitized(std::string_view text) {
  std::string name;
  bool gap = false;
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(sequence.size());
    const bool keep = length == 1 ? IsKept(sequence[0]) : length > 1 && IsForeignLetter(sequence);
    if (!keep) {
      gap = true;
      continue;
    }
    if (gap && !name.empty()) name += '_';
    gap = false;
    if (length > 1) {
      name += LowerForeign(sequence);
    } else {
      name += IsUpper(sequence[0]) ? static_cast<char>(sequence[0] + ('a' - 'A')) : sequence[0];
    }
  }
  const std::size_t first = name.find_first_not_of('_');
  if (first == std::string::npos) return {};
  return name.substr(first, name.find_last_not_of('_') - first + 1);
}

// At most `limit` bytes, cut between characters, with "..." in place of the rest.
std::string Shortened(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

using Components = std::vector<std::string>;

struct SplitPath {
  bool is_absolute = false;
  bool is_above = false;  // A relative path that leaves its start.
  Components components;
};

SplitPath Split(std::string_view path) {
  std::string text(path);
  const bool has_drive = text.size() >= 2 && IsTokenChar(text[0]) && !IsDigit(text[0]) &&
                         text[1] == ':' && (text.size() == 2 || text[2] == '\\' || text[2] == '/');
  if (has_drive || text.starts_with("\\\\") || text.find('/') == std::string::npos) {
    std::replace(text.begin(), text.end(), '\\', '/');
  }
  SplitPath split;
  split.is_absolute = text.starts_with('/') || has_drive;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const std::string component = text.substr(at, end - at);
    at = end + 1;
    if (component.empty() || component == ".") continue;
    if (component != "..") {
      split.components.push_back(component);
    } else if (!split.components.empty()) {
      split.components.pop_back();
    } else if (!split.is_absolute) {
      split.is_above = true;
    }
  }
  return split;
}

bool StartsWith(const Components& path, const Components& start) {
  return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

// How many components of an absolute path are somebody's home folder: "/home/u" 2, "/root" 1.
std::size_t HomeComponents(const Components& path) {
  if (path.empty()) return 0;
  std::size_t first = 0;
  if (path[0].size() == 2 && path[0][1] == ':') first = 1;
  if (path[0] == "mnt" && path.size() > 2 && path[1].size() == 1) first = 2;
  if (first < path.size()) {
    std::string top = path[first];
    std::transform(top.begin(), top.end(), top.begin(),
                   [](char c) { return IsUpper(c) ? static_cast<char>(c + 32) : c; });
    if (first == 0 && top == "root") return 1;
    if (top == "home" || top == "users") return std::min(path.size(), first + 2);
  }
  if (path[0] == "var" && path.size() > 1 && path[1] == "home")
    return std::min<std::size_t>(path.size(), 3);
  return 0;
}

std::string ExternalBucket(const Components& path) {
  for (const std::string& component : path) {
    if (component == ".codex") return "external/codex";
    if (component == ".claude") return "external/claude";
  }
  if (HomeComponents(path) > 0) return "external/home";
  if (!path.empty()) {
    const std::size_t first = path[0] == "private" && path.size() > 1 ? 1 : 0;
    if (path[first] == "tmp") return "external/tmp";
    if (path[first] == "var" && path.size() > first + 1 &&
        (path[first + 1] == "tmp" || path[first + 1] == "folders")) {
      return "external/tmp";
    }
  }
  return "external/path";
}

std::string ComponentName(std::string_view component) {
  // "TOKEN=value" and "user:secret@host" are no file names that anyone should see whole.
  component = component.substr(0, component.find('='));
  const std::size_t at = component.find('@');
  if (at != std::string_view::npos && component.substr(0, at).find(':') != component.npos) {
    return "redacted";
  }
  if (LooksSecret(component)) return "redacted";
  const std::string name = Sanitized(component);
  return name.empty() ? "unknown" : Shortened(name, kMaxComponent);
}

}  // namespace

std::string NormalizedPath(std::string_view path) {
  const SplitPath split = Split(path);
  std::string text;
  for (const std::string& component : split.components) {
    const bool is_drive = text.empty() && component.size() == 2 && component[1] == ':';
    if (!text.empty() || (split.is_absolute && !is_drive)) text += '/';
    text += component;
  }
  return text.empty() && split.is_absolute ? "/" : text;
}

PathScope ScopeOf(std::string_view project_root, std::string_view cwd, std::size_t depth) {
  PathScope scope{NormalizedPath(cwd), NormalizedPath(cwd), depth};
  const SplitPath root = Split(project_root);
  const SplitPath folder = Split(cwd);
  if (root.is_absolute && !root.components.empty() && folder.is_absolute &&
      StartsWith(folder.components, root.components)) {
    scope.root = NormalizedPath(project_root);
  }
  return scope;
}

std::string NameOfPath(std::string_view path, const PathScope& scope) {
  if (path.starts_with("file://")) path.remove_prefix(7);
  const SplitPath root = Split(scope.root);
  SplitPath split;
  if (path == "~" || path.starts_with("~/") || path.starts_with("~\\")) {
    const std::size_t home = HomeComponents(root.components);
    split = Split(path.substr(1));
    split.is_absolute = true;
    if (home == 0) {
      const std::string bucket = ExternalBucket(split.components);
      return bucket == "external/codex" || bucket == "external/claude" ? bucket : "external/home";
    }
    split.components.insert(split.components.begin(), root.components.begin(),
                            root.components.begin() + static_cast<std::ptrdiff_t>(home));
  } else if (path.starts_with('~')) {
    return "external/home";
  } else {
    split = Split(path);
  }
  Components named = split.components;
  if (!split.is_absolute && Split(scope.cwd).is_absolute) {
    split = Split(scope.cwd + '/' + std::string(path));
    named = split.components;
  }
  if (split.is_absolute) {
    if (!root.is_absolute || root.components.empty() ||
        !StartsWith(split.components, root.components)) {
      return ExternalBucket(split.components);
    }
    named.assign(split.components.begin() + static_cast<std::ptrdiff_t>(root.components.size()),
                 split.components.end());
  } else if (split.is_above) {
    return ExternalBucket({});
  }
  if (named.empty()) return "repo";
  std::string name;
  for (std::size_t i = 0; i < std::min(scope.depth, named.size()); ++i) {
    if (i > 0) name += '/';
    name += ComponentName(named[i]);
  }
  return name;
}

std::string NameOfDomain(std::string_view host) {
  std::string name;
  while (true) {
    const std::size_t dot = std::min(host.find('.'), host.size());
    const std::string_view label = host.substr(0, dot);
    name += LooksSecret(label) ? "redacted" : Sanitized(label);
    if (dot == host.size()) break;
    name += '.';
    host.remove_prefix(dot + 1);
  }
  return name.empty() ? "unknown" : Shortened(name, kMaxWord);
}

std::string NameOfModel(std::string_view model) {
  const std::size_t slash = model.rfind('/');
  return NameOfWord(slash == std::string_view::npos ? model : model.substr(slash + 1));
}

std::string NameOfWord(std::string_view text) {
  std::string name = Sanitized(text);
  if (name.empty()) return "unknown";
  if (LooksSecret(text)) return "redacted";
  return Shortened(std::move(name), kMaxWord);
}

bool LooksSecret(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 22> kPrefixes = {
      "sk-",  "sk_",         "pk_live", "rk_live", "ghp_",  "gho_",  "ghs_",  "ghu_",
      "ghr_", "github_pat_", "glpat-",  "xoxb-",   "xoxp-", "xoxa-", "xoxr-", "AIza",
      "hf_",  "npm_",        "pypi-",   "dop_v1_", "eyJ",   "SG."};
  for (std::size_t start = 0; start < word.size();) {
    if (start > 0 && IsTokenChar(word[start - 1])) {
      ++start;
      continue;
    }
    const std::string_view rest = word.substr(start);
    for (const std::string_view prefix : kPrefixes) {
      if (!rest.starts_with(prefix)) continue;
      const std::string_view tail = rest.substr(prefix.size());
      std::size_t length = 0;
      std::size_t digits = 0;
      while (length < tail.size() &&
             (IsTokenChar(tail[length]) || tail[length] == '-' || tail[length] == '_')) {
        digits += IsDigit(tail[length]) ? 1 : 0;
        ++length;
      }
      if (length >= 16 && digits >= 2) return true;
    }
    if ((rest.starts_with("AKIA") || rest.starts_with("ASIA")) && rest.size() >= 20 &&
        std::all_of(rest.begin(), rest.begin() + 20,
                    [](char c) { return IsUpper(c) || IsDigit(c); })) {
      return true;
    }
    ++start;
  }
  // Runs that no one would choose as a name: long hexadecimal, or letters and digits well mixed.
  for (std::size_t start = 0; start < word.size();) {
    std::size_t end = start;
    bool is_hex = true;
    bool has_upper = false;
    bool has_lower = false;
    std::size_t digits = 0;
    std::size_t changes = 0;
    while (end < word.size() && IsTokenChar(word[end])) {
      is_hex &= IsHex(word[end]);
      has_upper |= IsUpper(word[end]);
      has_lower |= IsLower(word[end]);
      digits += IsDigit(word[end]) ? 1 : 0;
      if (end > start && IsDigit(word[end]) != IsDigit(word[end - 1])) ++changes;
      ++end;
    }
    const std::size_t length = end - start;
    if (length >= 32 && is_hex && digits > 0 && (has_lower || has_upper)) return true;
    if (length >= 24 && has_upper && has_lower && changes >= 5) return true;
    if (length >= 32 && digits > 3 && changes >= 6) return true;
    start = end + 1;
  }
  return false;
}

std::string NameOfProject(std::string_view root) {
  const SplitPath split = Split(root);
  if (split.components.empty()) return "project";
  if (split.is_absolute && HomeComponents(split.components) == split.components.size()) {
    return "home";
  }
  return ComponentName(split.components.back());
}

std::string HashOf(std::string_view text, std::size_t digits) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex.substr(0, digits);
}

}  // namespace sonde::agentlog
