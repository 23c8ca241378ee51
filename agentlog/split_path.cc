// SplitPath: a path as its components, and whose folder it is in.

#include "agentlog/split_path.h"

#include <algorithm>

namespace sonde::agentlog {
namespace {

bool IsLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char Lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

SplitPath Split(std::string_view path) {
  std::string text(path);
  const bool has_drive = text.size() >= 2 && IsLetter(text[0]) && text[1] == ':';
  if (has_drive || text.starts_with("\\\\") || text.find('/') == std::string::npos) {
    std::replace(text.begin(), text.end(), '\\', '/');
  }
  // Relative to the folder at hand on that drive, which nobody told.
  if (has_drive && text.size() > 2 && text[2] != '/') text.insert(2, 1, '/');
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

std::size_t HomeComponents(const Components& path) {
  if (path.empty()) return 0;
  std::size_t first = 0;
  if (path[0].size() == 2 && path[0][1] == ':') first = 1;
  if (path[0] == "mnt" && path.size() > 2 && path[1].size() == 1) first = 2;
  if (first < path.size()) {
    std::string top = path[first];
    std::transform(top.begin(), top.end(), top.begin(), Lower);
    if (first == 0 && top == "root") return 1;
    if (top == "home" || top == "users") return std::min(path.size(), first + 2);
  }
  if (path[0] == "var" && path.size() > 1 && path[1] == "home")
    return std::min<std::size_t>(path.size(), 3);
  return 0;
}

std::string_view ExternalBucket(const Components& path) {
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

}  // namespace sonde::agentlog
