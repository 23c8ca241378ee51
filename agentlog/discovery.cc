// FindAgentLogs: where the logs of the agents lie.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "sonde/agent_history.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// A relative folder in a variable would mean something else in every working folder.
std::string AbsoluteVariable(const char* name) {
  std::string value = Variable(name);
  return value.starts_with('/') ? value : std::string();
}

bool IsLogName(const std::string& name) {
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.zst");
}

struct Found {
  fs::file_time_type written;
  std::string path;
};

void FindBelow(const std::string& root, std::vector<Found>& found) {
  std::error_code error;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored) || !IsLogName(entry->path().filename().string())) continue;
    const fs::file_time_type written = entry->last_write_time(ignored);
    found.push_back({ignored ? fs::file_time_type::min() : written, entry->path().string()});
  }
}

}  // namespace

AgentLogPlaces DefaultAgentLogPlaces() {
  AgentLogPlaces places;
  const std::string home = Variable("HOME");
  std::string codex = AbsoluteVariable("CODEX_HOME");
  if (codex.empty() && !home.empty()) codex = home + "/.codex";
  if (!codex.empty()) places.codex_roots = {codex + "/sessions", codex + "/archived_sessions"};
  // Several folders may be named, separated by commas.
  std::string claude = Variable("CLAUDE_CONFIG_DIR");
  for (std::size_t begin = 0; begin < claude.size();) {
    const std::size_t end = std::min(claude.find(',', begin), claude.size());
    const std::string folder = claude.substr(begin, end - begin);
    if (folder.starts_with('/')) places.claude_roots.push_back(folder + "/projects");
    begin = end + 1;
  }
  if (places.claude_roots.empty() && !home.empty()) {
    std::string config = AbsoluteVariable("XDG_CONFIG_HOME");
    if (config.empty()) config = home + "/.config";
    places.claude_roots = {home + "/.claude/projects", config + "/claude/projects"};
  }
  return places;
}

std::vector<std::string> FindAgentLogs(const AgentLogPlaces& places, std::size_t limit) {
  std::vector<Found> found;
  for (const std::string& root : places.codex_roots) FindBelow(root, found);
  for (const std::string& root : places.claude_roots) FindBelow(root, found);
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(b.written, a.path) < std::tie(a.written, b.path);
  });
  if (limit != 0 && found.size() > limit) found.resize(limit);
  std::vector<std::string> paths;
  for (Found& file : found) paths.push_back(std::move(file.path));
  return paths;
}

std::string DefaultParseCache() {
  std::string cache = AbsoluteVariable("XDG_CACHE_HOME");
  if (cache.empty()) {
    const std::string home = Variable("HOME");
    if (home.empty()) return {};
    cache = home + "/.cache";
  }
  return cache + "/sonde/agentlog";
}

}  // namespace sonde
