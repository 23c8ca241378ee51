// Collection: a recording of one authorised target, made by perf.

#include "sonde/collection.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "evidence/bounded_process.h"
#include "evidence/collection_gates.h"
#include "evidence/iso_time.h"
#include "evidence/new_file.h"
#include "evidence/perf_command.h"
#include "evidence/perf_stat.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kStage = "collection";
constexpr std::uint64_t kKeptOfStderr = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestStat = std::uint64_t{16} << 20;
constexpr std::size_t kMostDiagnostics = 32;
constexpr std::size_t kLongestDiagnostic = 512;

constexpr std::array<std::pair<CollectionMode, std::string_view>, 5> kModes{
    {{CollectionMode::kRecord, "record"},
     {CollectionMode::kStat, "stat"},
     {CollectionMode::kSched, "sched"},
     {CollectionMode::kLock, "lock"},
     {CollectionMode::kOffCpu, "off_cpu"}}};

Error Refused(ErrorCode code, std::string message) {
  return {.code = code, .message = std::move(message), .stage = std::string(kStage)};
}

Error TooLarge(std::uint64_t most) {
  return {.code = ErrorCode::kLimit,
          .message = "the recording is larger than allowed",
          .stage = std::string(kStage),
          .details = {{"max_data_bytes", static_cast<std::int64_t>(most)}}};
}

// The recording that was written, or why it is none. perf ends with the status of the target,
// so that only what it wrote tells whether it worked.
Status CheckRecording(const std::string& path, std::uint64_t most) {
  constexpr std::size_t kHeaderBytes = 56;
  constexpr std::size_t kDataSizeAt = 48;
  std::array<char, kHeaderBytes> header{};
  std::ifstream file(path, std::ios::binary);
  std::error_code failure;
  if (fs::file_size(path, failure) > most && !failure) {
    return TooLarge(most);
  }
  const bool is_whole =
      file.read(header.data(), header.size()) && std::string_view(header.data(), 8) == "PERFILE2" &&
      std::any_of(header.begin() + kDataSizeAt, header.end(), [](char byte) { return byte != 0; });
  if (!is_whole) return Refused(ErrorCode::kMalformed, "perf left no recording");
  return {};
}

json MetricsOf(const PerfStatReport& report) {
  json metrics = json::array();
  for (const PerfStatMetric& metric : report.metrics) {
    json item = {{"event", metric.event},
                 {"unit", metric.unit},
                 {"status", metric.status},
                 {"derived", metric.status == "derived"}};
    if (metric.value) item["value"] = *metric.value;
    if (metric.run_time_ns) item["run_time_ns"] = *metric.run_time_ns;
    if (metric.running_percent) item["running_percent"] = *metric.running_percent;
    metrics.push_back(std::move(item));
  }
  return metrics;
}

struct Diagnostics {
  json lines = json::array();
  bool truncated = false;
};

Diagnostics DiagnosticsOf(const ProcessOutcome& outcome) {
  Diagnostics diagnostics;
  diagnostics.truncated = outcome.stderr_dropped > 0;
  std::string_view rest = outcome.stderr_text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (diagnostics.lines.size() == kMostDiagnostics) {
      diagnostics.truncated = true;
      break;
    }
    diagnostics.truncated = diagnostics.truncated || line.size() > kLongestDiagnostic;
    diagnostics.lines.push_back(std::string(line.substr(0, kLongestDiagnostic)));
  }
  return diagnostics;
}

// Who was recorded. Of arguments only the number and a hash, for they may be secrets.
json TargetOf(const CollectionRequest& request) {
  if (request.pid != 0) {
    return {{"target_type", "pid"}, {"target_pid", request.pid}, {"target_argument_count", 0}};
  }
  std::string joined = "command" + std::string(1, '\0') + request.executable;
  for (const std::string& argument : request.arguments) joined += '\0' + argument;
  return {{"target_type", "command"},
          {"target_executable", request.executable},
          {"target_argument_count", request.arguments.size()},
          {"target_argv_sha256", Sha256(joined)}};
}

json SettingsOf(const CollectionRequest& request) {
  json settings = {
      {"mode", NameOf(request.mode)}, {"events", json::array()}, {"metrics", json::array()}};
  const CollectionMode mode = request.mode;
  if (mode == CollectionMode::kRecord) settings["frequency_hz"] = request.frequency_hz;
  if (mode == CollectionMode::kStat) {
    settings["events"] = request.events.empty() ? DefaultCounters() : request.events;
  } else if (mode != CollectionMode::kSched) {
    settings["call_graph"] = request.call_graph;
  }
  return settings;
}

// `recording` is complete; both files appear, or none.
Result<json> Publish(const CollectionRequest& request, const ScratchFolder& scratch,
                     const std::string& recording, json artifact) {
  const Result<std::string> hash = Sha256OfFile(recording);
  if (!hash.ok()) return hash.error();
  artifact["schema_version"] = kSchemaVersion;
  artifact["status"] = "complete";
  artifact["authorization"] = "explicit";
  artifact["output_path"] = fs::absolute(request.data_output).lexically_normal().string();
  artifact["output_sha256"] = hash.value();
  artifact["output_bytes"] = fs::file_size(recording);
  artifact["collection_id"] =
      ArtifactId("collection",
                 {artifact["mode"].get<std::string>(), artifact["target_type"].get<std::string>(),
                  artifact.value("target_argv_sha256", std::string()), hash.value(),
                  artifact.value("call_graph", std::string())});
  const std::string text = ArtifactText(artifact);
  if (text.size() > request.max_metadata_bytes) {
    return Error{
        .code = ErrorCode::kLimit,
        .message = "the description is larger than allowed",
        .file = request.metadata_output,
        .stage = "artifact",
        .details = {{"max_metadata_bytes", static_cast<std::int64_t>(request.max_metadata_bytes)},
                    {"actual_bytes", static_cast<std::int64_t>(text.size())}}};
  }
  // What was recorded is for nobody else's eyes, whatever perf would let others read.
  std::error_code failure;
  fs::permissions(recording, fs::perms::owner_read | fs::perms::owner_write, failure);
  const std::string description = scratch / "metadata";
  if (Status status = WriteSynced(description, text); !status.ok()) return status.error();
  if (Status status = PutInPlace(recording, request.data_output); !status.ok()) {
    return status.error();
  }
  if (Status status = PutInPlace(description, request.metadata_output); !status.ok()) {
    ::unlink(request.data_output.c_str());
    return status.error();
  }
  return artifact;
}

}  // namespace

std::string_view NameOf(CollectionMode mode) noexcept {
  for (const auto& [known, name] : kModes) {
    if (known == mode) return name;
  }
  return {};
}

std::optional<CollectionMode> CollectionModeNamed(std::string_view name) noexcept {
  for (const auto& [mode, known] : kModes) {
    if (known == name) return mode;
  }
  return std::nullopt;
}

Result<json> Collect(const CollectionRequest& request) {
  if (Status status = CheckGates(request); !status.ok()) return status.error();
  if (Status status = CheckRanges(request); !status.ok()) return status.error();
  if (Status status = CheckTarget(request); !status.ok()) return status.error();
  Result<std::string> perf = request.perf_path.empty()
                                 ? FindExecutable("perf")
                                 : AllowedExecutable(request.perf_path, "perf");
  if (!perf.ok()) return perf.error();
  Result<ScratchFolder> scratch = ScratchFolder::Beside(request.data_output);
  if (!scratch.ok()) return scratch.error();
  const std::string recording = scratch.value() / "recording";

  ProcessLimits limits;
  limits.timeout = std::chrono::milliseconds(std::llround(request.timeout_seconds * 1000));
  limits.stdout_bytes = 0;
  limits.drop_excess_stdout = true;
  limits.stderr_bytes = kKeptOfStderr;
  limits.watched_file = recording;
  limits.watched_bytes = request.max_data_bytes;
  limits.stop = request.stop;
  const std::string started_at = IsoTimeNow();
  const auto start = std::chrono::steady_clock::now();
  const Result<ProcessOutcome> outcome =
      RunBounded(PerfCommand(request, perf.value(), recording), OwnEnvironment(), limits);
  if (!outcome.ok()) {
    Error error = outcome.error();
    if (error.code == ErrorCode::kLimit) error.file = request.data_output;
    return error;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;

  json artifact = TargetOf(request);
  artifact.update(SettingsOf(request));
  json warnings = WarningsFor(request.mode);
  const int exit_code = outcome.value().exit_code;
  const bool is_stat = request.mode == CollectionMode::kStat;
  if (is_stat) {
    const Result<std::string> text =
        ReadRegularFile(recording, std::min(request.max_data_bytes, kLargestStat));
    if (!text.ok() && text.error().code == ErrorCode::kLimit) return text.error();
    const Result<PerfStatReport> report = ParsePerfStat(text.ok() ? text.value() : "");
    if (!report.ok()) {
      return exit_code == 0 ? report.error() : FailedProcess(perf.value(), outcome.value());
    }
    artifact["metrics"] = MetricsOf(report.value());
    for (const std::string& warning : report.value().warnings) warnings.push_back(warning);
  } else if (Status status = CheckRecording(recording, request.max_data_bytes); !status.ok()) {
    const bool perf_failed = exit_code != 0 && status.error().code != ErrorCode::kLimit;
    return perf_failed ? FailedProcess(perf.value(), outcome.value()) : status.error();
  }
  if (request.pid != 0 && exit_code != 0) return FailedProcess(perf.value(), outcome.value());
  if (request.pid == 0) artifact["target_exit_status"] = exit_code;
  if (exit_code != 0) {
    warnings.push_back("the target ended with status " + std::to_string(exit_code));
  }

  Diagnostics diagnostics = DiagnosticsOf(outcome.value());
  artifact["diagnostics"] = std::move(diagnostics.lines);
  artifact["diagnostics_truncated"] = diagnostics.truncated;
  artifact["warnings"] = std::move(warnings);
  artifact["output_format"] = is_stat ? "perf_stat_delimited" : "perf_data";
  artifact["perf_executable"] = perf.value();
  artifact["started_at"] = started_at;
  artifact["finished_at"] = IsoTimeNow();
  artifact["duration_seconds"] = Rounded(taken.count(), 6);
  return Publish(request, scratch.value(), recording, std::move(artifact));
}

Result<json> CollectFrom(const std::string& url, const CollectionRequest& request,
                         const std::function<Result<std::string>()>& take) {
  if (Status status = CheckGates(request); !status.ok()) return status.error();
  Result<ScratchFolder> scratch = ScratchFolder::Beside(request.data_output);
  if (!scratch.ok()) return scratch.error();
  const std::string started_at = IsoTimeNow();
  const auto start = std::chrono::steady_clock::now();
  const Result<std::string> bytes = take();
  if (!bytes.ok()) return bytes.error();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (bytes.value().empty()) {
    return Refused(ErrorCode::kMalformed, "the program answered with nothing");
  }
  if (bytes.value().size() > request.max_data_bytes) {
    return TooLarge(request.max_data_bytes);
  }
  const std::string recording = scratch.value() / "recording";
  if (Status status = WriteSynced(recording, bytes.value()); !status.ok()) return status.error();
  return Publish(request, scratch.value(), recording,
                 {{"mode", "attach_console"},
                  {"target_type", "url"},
                  {"target_url", url},
                  {"target_argument_count", 0},
                  {"events", json::array()},
                  {"metrics", json::array()},
                  {"diagnostics", json::array()},
                  {"diagnostics_truncated", false},
                  {"warnings", json::array()},
                  {"output_format", "pprof"},
                  {"started_at", started_at},
                  {"finished_at", IsoTimeNow()},
                  {"duration_seconds", Rounded(taken.count(), 6)}});
}

}  // namespace sonde
