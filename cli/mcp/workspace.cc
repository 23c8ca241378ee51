// Workspace: what a coding agent may read and write, and the artifacts it made.

#include "cli/mcp/workspace.h"

#include <algorithm>

#include "sonde/artifact.h"

namespace sonde::cli::mcp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kDocumentsKept = 64;

Error WorkspaceError(ErrorCode code, std::string message, const std::string& path) {
  return {.code = code, .message = std::move(message), .file = path, .stage = "mcp"};
}

bool IsInside(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

bool IsInsideAny(const fs::path& path, const std::vector<fs::path>& roots) {
  return std::ranges::any_of(roots, [&](const fs::path& root) { return IsInside(path, root); });
}

// A relative path says little without the folder that it starts from.
Error OutsideRoots(const std::string& path) {
  std::string message = "outside the allowed roots";
  std::error_code failure;
  if (fs::path(path).is_relative()) {
    message +=
        "; relative paths start at the server's folder, " + fs::current_path(failure).string();
  }
  return WorkspaceError(ErrorCode::kPathSafety, std::move(message), path);
}

bool IsPlainName(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         name.front() != '-' && name.front() != '_' && std::ranges::all_of(name, plain);
}

Status Gate(bool open, const char* what, const char* option) {
  if (open) return {};
  return Error{
      .code = ErrorCode::kDenied,
      .message = std::string(what) + " is not allowed; the server was started without " + option,
      .stage = "authorization",
      .details = {{"option", option}}};
}

// The system would see the part before it alone.
bool HasNul(const std::string& path) { return path.find('\0') != std::string::npos; }

}  // namespace

Result<Workspace> Workspace::Open(const WorkspaceOptions& options) {
  Workspace workspace;
  workspace.options_ = options;
  if (options.allow_pid_attach && !options.allow_active_collection) {
    return WorkspaceError(ErrorCode::kUsage,
                          "--allow-pid-attach goes with --allow-active-collection", "");
  }
  std::error_code failure;
  for (const std::string& root : options.allowed_roots) {
    const fs::path resolved = fs::canonical(root, failure);
    if (failure || !fs::is_directory(resolved)) {
      return WorkspaceError(ErrorCode::kInvalid, "an allowed root is not a folder", root);
    }
    workspace.roots_.push_back(resolved);
  }
  if (workspace.roots_.empty()) {
    return WorkspaceError(ErrorCode::kUsage, "at least one --allowed-root is needed", "");
  }
  const fs::path wanted = fs::weakly_canonical(options.artifact_root, failure);
  if (failure || !IsInsideAny(wanted, workspace.roots_)) {
    return WorkspaceError(ErrorCode::kPathSafety, "the artifact root is outside the allowed roots",
                          options.artifact_root);
  }
  if (options.allow_writes) fs::create_directories(wanted, failure);
  if (failure || (fs::exists(wanted) && !fs::is_directory(wanted))) {
    return WorkspaceError(ErrorCode::kOutput, "the artifact root is not a folder",
                          options.artifact_root);
  }
  workspace.artifacts_ = wanted;
  return workspace;
}

Result<std::string> Workspace::Input(const std::string& path, bool folder) const {
  if (HasNul(path)) return WorkspaceError(ErrorCode::kUsage, "a path with a NUL character", "");
  std::error_code failure;
  const fs::path resolved = fs::canonical(path, failure);
  if (failure) {
    // Whether something exists outside the roots is nobody's business.
    const fs::path wanted = fs::weakly_canonical(path, failure);
    const bool inside = !failure && IsInsideAny(wanted, roots_);
    return inside ? WorkspaceError(ErrorCode::kNotFound, "no such file", path) : OutsideRoots(path);
  }
  if (!IsInsideAny(resolved, roots_)) return OutsideRoots(path);
  if (folder ? !fs::is_directory(resolved) : !fs::is_regular_file(resolved)) {
    return WorkspaceError(ErrorCode::kInvalid, folder ? "not a folder" : "not a regular file",
                          path);
  }
  return resolved.string();
}

Result<std::string> Workspace::Output(const std::string& path, std::string_view extension) const {
  if (HasNul(path)) return WorkspaceError(ErrorCode::kUsage, "a path with a NUL character", "");
  if (!extension.empty() && !path.ends_with(extension)) {
    return WorkspaceError(ErrorCode::kPathSafety,
                          "the name has to end with " + std::string(extension), path);
  }
  if (path.ends_with(".json")) {
    return WorkspaceError(ErrorCode::kPathSafety, "a name that artifacts have", path);
  }
  std::error_code failure;
  const fs::path given(path);
  const fs::path folder =
      fs::canonical(given.has_parent_path() ? given.parent_path() : fs::path("."), failure);
  if (failure || !given.has_filename() || !IsInsideAny(folder, roots_)) return OutsideRoots(path);
  const fs::path target = folder / given.filename();
  if (fs::symlink_status(target, failure).type() != fs::file_type::not_found) {
    return WorkspaceError(ErrorCode::kPathSafety, "exists already", path);
  }
  return target.string();
}

Status Workspace::NeedWrites() const {
  return Gate(options_.allow_writes, "writing", "--allow-writes");
}
Status Workspace::NeedProcesses() const {
  return Gate(options_.allow_process_execution, "running programs", "--allow-process-execution");
}
Status Workspace::NeedAgentLogs() const {
  return Gate(options_.allow_agent_logs, "reading agent logs", "--allow-agent-logs");
}

Status Workspace::NeedLive() const {
  return Gate(options_.allow_live, "asking running programs", "--allow-live");
}

Status Workspace::NeedCollection(bool attaches) const {
  if (Status status = NeedWrites(); !status.ok()) return status;
  if (Status status = NeedProcesses(); !status.ok()) return status;
  if (Status status =
          Gate(options_.allow_active_collection, "recording", "--allow-active-collection");
      !status.ok()) {
    return status;
  }
  if (!attaches) return {};
  return Gate(options_.allow_pid_attach, "attaching to a process", "--allow-pid-attach");
}

Result<fs::path> Workspace::PathOf(const std::string& id, const std::string& type) const {
  if (!IsPlainName(id) || !IsPlainName(type)) {
    return WorkspaceError(ErrorCode::kPathSafety, "not the name of an artifact", id + '.' + type);
  }
  return artifacts_ / (id + '.' + type + ".json");
}

// A link among the artifacts leads out of the roots no more than a path does.
Result<std::string> Workspace::StoredPath(const std::string& id, const std::string& type) const {
  const Result<fs::path> path = PathOf(id, type);
  if (!path.ok()) return path.error();
  Result<std::string> resolved = Input(path.value().string());
  if (resolved.ok() || resolved.error().code != ErrorCode::kNotFound) return resolved;
  return WorkspaceError(ErrorCode::kNotFound, "no artifact " + id + " of type " + type, "");
}

Result<nlohmann::json> Workspace::StoreAnalysis(const Analysis& analysis) {
  nlohmann::json summary = {{"status", analysis.status},
                            {"event", analysis.main.event},
                            {"total_weight", analysis.main.total_weight},
                            {"hotspot_count", analysis.main.hotspots.size()},
                            {"other_events", analysis.others.size()}};
  if (const auto samples = analysis.main.sample_count) summary["sample_count"] = *samples;
  return Store(analysis.id, "analysis", ToJson(analysis), std::move(summary));
}

Result<nlohmann::json> Workspace::Store(const std::string& id, const std::string& type,
                                        const nlohmann::json& artifact, nlohmann::json summary) {
  if (Status status = NeedWrites(); !status.ok()) return status.error();
  const Result<fs::path> path = PathOf(id, type);
  if (!path.ok()) return path.error();
  if (Status status = WriteArtifact(path.value().string(), artifact, options_.max_artifact_bytes);
      !status.ok()) {
    return status.error();
  }
  return nlohmann::json{{"schema_version", kSchemaVersion},
                        {"artifact_id", id},
                        {"artifact_type", type},
                        {"uri", "sonde://artifacts/" + type + '/' + id},
                        {"summary", std::move(summary)}};
}

Result<Workspace::Cached*> Workspace::Fresh(const std::string& id, const std::string& type) {
  const Result<std::string> path = StoredPath(id, type);
  if (!path.ok()) return path.error();
  std::error_code failure;
  const fs::file_time_type written = fs::last_write_time(path.value(), failure);
  const std::string key = id + '.' + type;
  const auto known = cache_.find(key);
  if (known != cache_.end() && known->second.written == written) return &known->second;
  Result<nlohmann::json> document = ReadArtifact(path.value(), options_.max_artifact_bytes);
  if (!document.ok()) return document.error();
  if (cache_.size() >= kDocumentsKept) cache_.clear();
  Cached& cached = cache_[key];
  cached = {written, std::make_shared<const nlohmann::json>(std::move(document).value()), nullptr};
  return &cached;
}

Result<std::shared_ptr<const nlohmann::json>> Workspace::Load(const std::string& id,
                                                              const std::string& type) {
  // What is not what it claims to be is nothing that tools can read.
  if (type == "analysis") {
    if (const auto analysis = LoadAnalysis(id); !analysis.ok()) return analysis.error();
  }
  Result<Cached*> cached = Fresh(id, type);
  if (!cached.ok()) return cached.error();
  return cached.value()->document;
}

Result<std::shared_ptr<const Analysis>> Workspace::LoadAnalysis(const std::string& id) {
  Result<Cached*> cached = Fresh(id, "analysis");
  if (!cached.ok()) return cached.error();
  if (cached.value()->analysis == nullptr) {
    Result<Analysis> analysis = AnalysisFromJson(*cached.value()->document);
    if (!analysis.ok()) return analysis.error();
    cached.value()->analysis = std::make_shared<const Analysis>(std::move(analysis).value());
  }
  return cached.value()->analysis;
}

Result<std::string> Workspace::LoadText(const std::string& id, const std::string& type) const {
  const Result<std::string> path = StoredPath(id, type);
  if (!path.ok()) return path.error();
  return ReadRegularFile(path.value(), options_.max_artifact_bytes);
}

nlohmann::json Workspace::List() const {
  std::vector<std::pair<std::string, std::string>> names;  // Type, id.
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(artifacts_, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".json") || name.front() == '.') continue;
    const std::string stem = name.substr(0, name.size() - 5);
    const std::size_t dot = stem.rfind('.');
    if (dot == std::string::npos || entry.is_symlink() || !entry.is_regular_file(failure)) continue;
    names.emplace_back(stem.substr(dot + 1), stem.substr(0, dot));
  }
  std::sort(names.begin(), names.end());
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [type, id] : names) {
    const std::uintmax_t bytes = fs::file_size(artifacts_ / (id + '.' + type + ".json"), failure);
    list.push_back({{"artifact_id", id},
                    {"artifact_type", type},
                    {"uri", "sonde://artifacts/" + type + '/' + id},
                    {"bytes", failure ? 0 : bytes}});
  }
  return list;
}

}  // namespace sonde::cli::mcp
