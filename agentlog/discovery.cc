// FindAgentLogs: where the logs of the agents lie.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <tuple>
#include <utility>

#include "agentlog/frame_namer.h"
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

// The whole name, each part of it shown as a log's would be.
std::string NameOfFolder(const fs::path& folder) {
  std::string name;
  for (const fs::path& part : folder.lexically_normal()) {
    if (part.empty()) continue;
    name += part == "/" ? "/" : agentlog::NameOfLog(part.string()) + '/';
  }
  return name;
}

class Search {
 public:
  void Below(const std::string& root) {
    open_.emplace_back(root);
    while (!open_.empty()) {
      const fs::path folder = std::move(open_.back());
      open_.pop_back();
      Through(folder);
    }
  }

  FoundAgentLogs Take() && {
    std::sort(logs_.begin(), logs_.end(), [](const Log& a, const Log& b) {
      return std::tie(b.written, a.path) < std::tie(a.written, b.path);
    });
    FoundAgentLogs found;
    for (Log& log : logs_) found.files.push_back(std::move(log.path));
    found.losses = std::move(losses_);
    return found;
  }

 private:
  struct Log {
    fs::file_time_type written;
    std::string path;
  };

  void Through(const fs::path& folder) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) Take(*entry);
    // Those of the agents are all looked for; few machines have them all.
    if (!error || error == std::errc::no_such_file_or_directory) return;
    losses_.Add("folder that cannot be read", "folders", 1, NameOfFolder(folder));
  }

  void Take(const fs::directory_entry& entry) {
    std::error_code error;
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      open_.push_back(entry.path());
      return;
    }
    if (!IsLogName(entry.path().filename().string())) return;
    const fs::file_status status = entry.status(error);
    // What cannot be looked at is found all the same: reading it says why it is lost.
    if (!fs::is_regular_file(status) && fs::status_known(status)) return;
    const fs::file_time_type written = entry.last_write_time(error);
    logs_.push_back({error ? fs::file_time_type::min() : written, entry.path().string()});
  }

  std::vector<fs::path> open_;
  std::vector<Log> logs_;
  Losses losses_;
};

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

FoundAgentLogs FindAgentLogs(const AgentLogPlaces& places) {
  Search search;
  for (const std::string& root : places.codex_roots) search.Below(root);
  for (const std::string& root : places.claude_roots) search.Below(root);
  return std::move(search).Take();
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
