// SplitPath: a path as its components, and whose folder it is in.

#ifndef SONDE_AGENTLOG_SPLIT_PATH_H_
#define SONDE_AGENTLOG_SPLIT_PATH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::agentlog {

using Components = std::vector<std::string>;

struct SplitPath {
  bool is_absolute = false;
  bool is_above = false;  // A relative path that leaves its start.
  Components components;
};

// Without ".", ".." and empty components; understands drives and backslashes. Any thread.
SplitPath Split(std::string_view path);

bool StartsWith(const Components& path, const Components& start);

// How many components of an absolute path are somebody's home folder: "/home/u" 2, "/root" 1.
std::size_t HomeComponents(const Components& path);

// Where an absolute path outside every project is: "external/codex", "external/claude",
// "external/home", "external/tmp" or "external/path". Any thread.
std::string_view ExternalBucket(const Components& path);

// `path` without ".", ".." and double or trailing slashes, with "/" between components.
std::string NormalizedPath(std::string_view path);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SPLIT_PATH_H_
