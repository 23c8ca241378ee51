// Workspace: what a coding agent may read and write, and the artifacts it made.

#ifndef SONDE_CLI_MCP_WORKSPACE_H_
#define SONDE_CLI_MCP_WORKSPACE_H_

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/analysis.h"
#include "sonde/result.h"

namespace sonde::cli::mcp {

struct WorkspaceOptions {
  std::vector<std::string> allowed_roots;  // At least one.
  std::string artifact_root;               // Inside one of them.
  bool allow_writes = false;
  bool allow_process_execution = false;
  bool allow_agent_logs = false;
  bool allow_live = false;  // Asking programs that run right now.
  bool allow_active_collection = false;
  bool allow_pid_attach = false;  // Needs the one before.
  std::string perf_path{};        // Absolute; empty = the perf on the PATH.
  std::uint64_t max_artifact_bytes = std::uint64_t{128} << 20;
};

// Not thread-safe.
class Workspace {
 public:
  // Roots must be folders; with writes allowed the artifact root is made.
  static Result<Workspace> Open(const WorkspaceOptions& options);

  // `path` with links followed, when that lies inside an allowed root and is a regular file
  // (or a folder, where one is wanted). kPathSafety outside, kNotFound, kInvalid.
  Result<std::string> Input(const std::string& path, bool folder = false) const;
  // Where a new file may be written: inside an allowed root, its folder there already. Nothing that
  // could be taken for an artifact: a name ends with `extension` where one is given, and never with
  // ".json".
  Result<std::string> Output(const std::string& path, std::string_view extension = {}) const;

  // kDenied, naming the switch that opens the gate.
  Status NeedWrites() const;
  Status NeedProcesses() const;
  Status NeedAgentLogs() const;
  Status NeedLive() const;
  // Writes, processes and collection; with `attaches` also attaching.
  Status NeedCollection(bool attaches) const;
  const WorkspaceOptions& options() const noexcept { return options_; }

  // Stores an analysis, and returns the reference to it with what it is about.
  Result<nlohmann::json> StoreAnalysis(const Analysis& analysis);
  // Stores `artifact` as <artifact root>/<id>.<type>.json and returns the reference to it.
  Result<nlohmann::json> Store(const std::string& id, const std::string& type,
                               const nlohmann::json& artifact, nlohmann::json summary);
  // Read once and kept until the file changes. An analysis is checked.
  Result<std::shared_ptr<const nlohmann::json>> Load(const std::string& id,
                                                     const std::string& type);
  Result<std::shared_ptr<const Analysis>> LoadAnalysis(const std::string& id);
  // The bytes as stored.
  Result<std::string> LoadText(const std::string& id, const std::string& type) const;
  // {artifact_id, artifact_type, uri, bytes}, sorted by type and id.
  nlohmann::json List() const;

 private:
  struct Cached {
    std::filesystem::file_time_type written;
    std::shared_ptr<const nlohmann::json> document;
    std::shared_ptr<const Analysis> analysis;
  };
  Result<std::filesystem::path> PathOf(const std::string& id, const std::string& type) const;
  Result<std::string> StoredPath(const std::string& id, const std::string& type) const;
  Result<Cached*> Fresh(const std::string& id, const std::string& type);

  WorkspaceOptions options_;
  std::vector<std::filesystem::path> roots_;
  std::filesystem::path artifacts_;
  std::map<std::string, Cached> cache_;
};

}  // namespace sonde::cli::mcp

#endif  // SONDE_CLI_MCP_WORKSPACE_H_
