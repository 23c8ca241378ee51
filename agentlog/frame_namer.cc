// FrameNamer: the one place where content of a log becomes a name that is shown.

#include "agentlog/frame_namer.h"

#include <openssl/sha.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "agentlog/secret.h"
#include "agentlog/split_path.h"

namespace sonde::agentlog {
namespace {

constexpr std::size_t kMaxComponent = 48;
constexpr std::size_t kMaxWord = 80;
constexpr std::size_t kMaxLog = 120;
constexpr std::string_view kRedacted = "redacted";

bool IsDigit(char c) noexcept { return c >= '0' && c <= '9'; }
bool IsUpper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) noexcept { return c >= 'a' && c <= 'z'; }
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

bool IsLetter(char c) noexcept { return IsUpper(c) || IsLower(c); }

// Agents call folders after other folders: "-home-ada-work".
bool IsFlattenedHome(std::string_view component) noexcept {
  constexpr std::array<std::string_view, 4> kHomes = {"-home-", "-Users-", "-root", "-var-home-"};
  if (component.size() > 3 && IsLetter(component[0]) && component.substr(1).starts_with("--")) {
    component.remove_prefix(2);
  }
  return std::any_of(kHomes.begin(), kHomes.end(),
                     [&](std::string_view home) { return component.starts_with(home); });
}

// "file:///x", "file:/x" and "file://host/x" are all /x.
std::string_view WithoutScheme(std::string_view path) noexcept {
  if (!path.starts_with("file:")) return path;
  path.remove_prefix(5);
  if (!path.starts_with("//")) return path;
  const std::size_t start = path.find('/', 2);
  return start == std::string_view::npos ? std::string_view("/") : path.substr(start);
}

std::string ComponentName(std::string_view component) {
  // "TOKEN=value" and "user:secret@host" are no file names that anyone should see whole.
  component = component.substr(0, component.find('='));
  const std::size_t at = component.find('@');
  if (at != std::string_view::npos && component.substr(0, at).find(':') != component.npos) {
    return std::string(kRedacted);
  }
  if (IsFlattenedHome(component) || LooksSecret(component)) return std::string(kRedacted);
  const std::string name = Sanitized(component);
  return name.empty() ? "unknown" : Shortened(name, kMaxComponent);
}

}  // namespace

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
  path = WithoutScheme(path);
  if (HoldsBase64Key(path)) return std::string(kRedacted);
  const SplitPath root = Split(scope.root);
  SplitPath split;
  if (path == "~" || path.starts_with("~/") || path.starts_with("~\\")) {
    const std::size_t home = HomeComponents(root.components);
    split = Split(path.substr(1));
    split.is_absolute = true;
    if (home == 0) {
      const std::string_view bucket = ExternalBucket(split.components);
      const bool is_agents = bucket == "external/codex" || bucket == "external/claude";
      return is_agents ? std::string(bucket) : "external/home";
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
      return std::string(ExternalBucket(split.components));
    }
    // Of a session that worked above the homes.
    if (HomeComponents(split.components) > root.components.size()) return "external/home";
    named.assign(split.components.begin() + static_cast<std::ptrdiff_t>(root.components.size()),
                 split.components.end());
  } else if (split.is_above) {
    return std::string(ExternalBucket({}));
  }
  if (named.empty()) return "repo";
  std::string name;
  for (std::size_t i = 0; i < std::min(scope.depth, named.size()); ++i) {
    if (i > 0) name += '/';
    name += ComponentName(named[i]);
  }
  return name;
}

std::string WithoutSecretLabels(std::string_view host) {
  std::string shown(host);
  // Some keys have dots: every label that one of them touches goes.
  for (KeySpan key = FindVendorKey(shown); key.size != 0; key = FindVendorKey(shown)) {
    const std::size_t dot = key.begin == 0 ? std::string::npos : shown.rfind('.', key.begin - 1);
    const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
    const std::size_t end = std::min(shown.find('.', key.begin + key.size), shown.size());
    shown.replace(begin, end - begin, kRedacted);
  }
  for (std::size_t begin = 0; begin <= shown.size();) {
    const std::size_t end = std::min(shown.find('.', begin), shown.size());
    if (LooksSecret(std::string_view(shown).substr(begin, end - begin))) {
      shown.replace(begin, end - begin, kRedacted);
    }
    begin = std::min(shown.find('.', begin), shown.size()) + 1;
  }
  return shown;
}

std::string NameOfDomain(std::string_view full_host) {
  const std::string shown = WithoutSecretLabels(full_host);
  std::string_view host = shown;
  std::string name;
  while (true) {
    const std::size_t dot = std::min(host.find('.'), host.size());
    const std::string_view label = host.substr(0, dot);
    name += Sanitized(label);
    if (dot == host.size()) break;
    name += '.';
    host.remove_prefix(dot + 1);
  }
  return name.empty() ? "unknown" : Shortened(name, kMaxWord);
}

std::string NameOfModel(std::string_view model) {
  if (HoldsBase64Key(model)) return std::string(kRedacted);
  const std::size_t slash = model.rfind('/');
  return NameOfWord(slash == std::string_view::npos ? model : model.substr(slash + 1));
}

std::string NameOfWord(std::string_view text) {
  std::string name = Sanitized(text);
  if (name.empty()) return "unknown";
  if (LooksSecret(text)) return std::string(kRedacted);
  return Shortened(std::move(name), kMaxWord);
}

std::string NameOfLog(std::string_view path) {
  const std::string_view base = path.substr(path.rfind('/') + 1);
  if (LooksSecret(base)) return std::string(kRedacted);
  std::string name;
  for (const char c : base) {
    const auto byte = static_cast<unsigned char>(c);
    name += byte < 0x20 || byte == 0x7f ? '_' : c;
  }
  return Shortened(std::move(name), kMaxLog);
}

std::string NameOfId(std::string_view id) {
  return LooksSecret(id) ? HashOf(id, 16) : NameOfWord(id);
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
