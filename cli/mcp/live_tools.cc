// LiveTools: programs of this user that run right now with sonde inside, over loopback.

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <stop_token>

#include "cli/mcp/tool.h"
#include "console/client/http_client.h"
#include "evidence/iso_time.h"
#include "sonde/artifact.h"

namespace sonde::cli::mcp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kLargestAnnouncement = 64 << 10;
constexpr std::uint64_t kLargestAnswer = std::uint64_t{64} << 20;
constexpr std::uint64_t kLongestCapture = 600;
constexpr std::chrono::seconds kPatience{30};

Error LiveError(ErrorCode code, std::string message) {
  return {.code = code, .message = std::move(message), .stage = "live"};
}

std::optional<json> AnnouncementIn(const fs::path& file) {
  const std::string stem = file.stem().string();
  std::int64_t pid = 0;
  const auto [end, failure] = std::from_chars(stem.data(), stem.data() + stem.size(), pid);
  if (failure != std::errc() || end != stem.data() + stem.size() || pid < 1) return std::nullopt;
  // A file whose process is gone was left behind.
  if (::kill(static_cast<pid_t>(pid), 0) != 0) return std::nullopt;
  const Result<json> read = ReadArtifact(file.string(), kLargestAnnouncement);
  if (!read.ok() || !read.value().is_object() || read.value().value("pid", json()) != pid) {
    return std::nullopt;
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/" + stem + "/exe", ignored);
  json process = {{"pid", pid}, {"program", program.string()}};
  for (const char* key : {"role", "http_port", "console_port", "unix_socket"}) {
    if (read.value().contains(key)) process[key] = read.value()[key];
  }
  return process;
}

// By process id.
json Announced() {
  json processes = json::array();
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || runtime[0] != '/') return processes;
  std::error_code failure;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(runtime) / "sonde", failure)) {
    if (entry.path().extension() != ".json" || !entry.is_regular_file(failure)) continue;
    if (std::optional<json> process = AnnouncementIn(entry.path())) {
      processes.push_back(*std::move(process));
    }
  }
  std::sort(processes.begin(), processes.end(),
            [](const json& a, const json& b) { return a["pid"] < b["pid"]; });
  return processes;
}

// Only what a process of this user announced is asked, and only on loopback.
Result<ServerAddress> AddressOf(std::uint64_t pid) {
  for (const json& process : Announced()) {
    if (process["pid"] != pid) continue;
    const json socket = process.value("unix_socket", json());
    const json port = process.value("http_port", json());
    if (socket.is_string() && !socket.get<std::string>().empty()) {
      return ServerAddress{.host = {}, .port = {}, .unix_path = socket.get<std::string>()};
    }
    if (port.is_number_unsigned() && port > 0 && port < 65'536) {
      return ServerAddress{
          .host = "127.0.0.1", .port = std::to_string(port.get<unsigned>()), .unix_path = {}};
    }
    return LiveError(ErrorCode::kUnsupported, "the process does not answer over HTTP");
  }
  return LiveError(ErrorCode::kNotFound,
                   "no process " + std::to_string(pid) + " announces itself; see live_processes");
}

Result<std::string> Ask(std::uint64_t pid, std::string target, std::chrono::seconds span,
                        Call& call) {
  const Result<ServerAddress> address = AddressOf(pid);
  if (!address.ok()) return address.error();
  HttpQuestion question;
  question.target = std::move(target);
  question.most_bytes = kLargestAnswer;
  question.headers.emplace_back("x-sonde-request", "1");
  if (const char* token = std::getenv("SONDE_TOKEN")) {
    question.headers.emplace_back("authorization", std::string("Bearer ") + token);
  }
  Deadline deadline(span + kPatience);
  const std::stop_callback ending(call.stop, [&] { deadline.BringForward({}); });
  Result<HttpAnswer> answer = AskHttp(address.value(), question, deadline);
  if (!answer.ok()) return answer.error();
  if (answer.value().status != 200) {
    constexpr std::size_t kLongestReason = 300;
    return LiveError(answer.value().status == 404 ? ErrorCode::kNotFound : ErrorCode::kInvalid,
                     "the process answers " + std::to_string(answer.value().status) + ": " +
                         answer.value().body.substr(
                             0, std::min(answer.value().body.find('\n'), kLongestReason)));
  }
  return std::move(answer.value().body);
}

Result<json> LiveProcesses(Workspace& workspace, Arguments& arguments) {
  const std::uint64_t cursor = arguments.Count("cursor", 0, 0, UINT32_MAX);
  const std::uint64_t limit = arguments.Count("limit", 50, 1, kLargestPage);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (Status status = workspace.NeedLive(); !status.ok()) return status.error();
  return Page(Announced(), cursor, limit);
}

Result<json> LiveProfile(Workspace& workspace, Arguments& arguments) {
  const std::uint64_t pid = arguments.Count("pid", 0, 1, INT32_MAX);
  const std::string kind = arguments.Text("kind", "cpu");
  const std::uint64_t seconds = arguments.Count("seconds", 5, 1, kLongestCapture);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (Status status = workspace.NeedLive(); !status.ok()) return status.error();
  if (Status status = workspace.NeedWrites(); !status.ok()) return status.error();
  std::string target;
  if (kind == "cpu") target = "/debug/pprof/profile";
  if (kind == "wall") target = "/debug/pprof/wall";
  if (kind == "heap") target = "/debug/pprof/heap";
  if (target.empty()) return LiveError(ErrorCode::kUsage, "no kind " + kind);
  // A heap profile is of a moment.
  const std::uint64_t span = kind == "heap" ? 0 : seconds;
  if (span > 0) target += "?seconds=" + std::to_string(span);
  arguments.call().expected_ms = span * 1000;
  const Result<std::string> bytes =
      Ask(pid, target, std::chrono::seconds(static_cast<std::int64_t>(span)), arguments.call());
  if (!bytes.ok()) return bytes.error();
  Result<Analysis> analysis = AnalyzeBytes(bytes.value(), {.stop = arguments.call().stop});
  if (!analysis.ok()) return analysis.error();
  analysis.value().input_path = "process " + std::to_string(pid) + ' ' + target;
  analysis.value().created_at = IsoTimeNow();
  return workspace.StoreAnalysis(analysis.value());
}

Result<json> LiveTasks(Workspace& workspace, Arguments& arguments) {
  const std::uint64_t pid = arguments.Count("pid", 0, 1, INT32_MAX);
  const std::string state = arguments.Text("state", "");
  const std::string order = arguments.Text("sort_by", "busy_ns");
  const std::uint64_t cursor = arguments.Count("cursor", 0, 0, UINT32_MAX);
  const std::uint64_t limit = arguments.Count("limit", 30, 1, kLargestPage);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (Status status = workspace.NeedLive(); !status.ok()) return status.error();
  if (order != "busy_ns" && order != "scheduled_ns" && order != "idle_ns" && order != "polls") {
    return LiveError(ErrorCode::kUsage, "sort_by is busy_ns, scheduled_ns, idle_ns or polls");
  }
  const Result<std::string> body = Ask(pid, "/api/tasks", {}, arguments.call());
  if (!body.ok()) return body.error();
  const Result<json> answer = ParseArtifact(body.value(), "live");
  if (!answer.ok()) return answer.error();
  const json tasks = answer.value().is_object() ? answer.value().value("tasks", json()) : json();
  if (!tasks.is_array()) return LiveError(ErrorCode::kMalformed, "the answer holds no tasks");
  std::vector<json> wanted;
  for (const json& task : tasks) {
    if (!task.is_object()) continue;
    if (state.empty() || task.value("state", json()) == state) wanted.push_back(task);
  }
  std::stable_sort(wanted.begin(), wanted.end(), [&](const json& a, const json& b) {
    return a.value(order, json()) > b.value(order, json());
  });
  return Page(json(std::move(wanted)), cursor, limit);
}

}  // namespace

std::vector<Tool> LiveTools() {
  const json pid = {{"type", "integer"},
                    {"minimum", 1},
                    {"maximum", INT32_MAX},
                    {"description", "From live_processes"}};
  const json cursor = CountSchema("Index of the first item", 0, 0, UINT32_MAX);
  std::vector<Tool> tools;
  tools.push_back(
      {.name = "live_processes",
       .description = "Programs of this user that run with sonde inside.",
       .properties = {{"cursor", cursor}, {"limit", CountSchema("Items", 50, 1, kLargestPage)}},
       .output_schema = PageSchema(),
       .run = LiveProcesses});
  tools.push_back(
      {.name = "live_profile",
       .description = "Take a profile of a running program and analyse it. CPU time and wall-clock "
                      "time take as long as asked for; memory is of the moment.",
       .permission = Permission::kWritesArtifacts,
       .properties = {{"pid", pid},
                      {"kind",
                       {{"type", "string"}, {"enum", {"cpu", "wall", "heap"}}, {"default", "cpu"}}},
                      {"seconds", CountSchema("Length", 5, 1, kLongestCapture)}},
       .required = {"pid"},
       .output_schema = ReferenceSchema(),
       .run = LiveProfile});
  tools.push_back(
      {.name = "live_tasks",
       .description = "Tasks of a running program: what they do, for how long they were busy, "
                      "ready and idle.",
       .properties = {{"pid", pid},
                      {"state",
                       {{"type", "string"}, {"enum", {"running", "scheduled", "idle", "done"}}}},
                      {"sort_by",
                       {{"type", "string"},
                        {"enum", {"busy_ns", "scheduled_ns", "idle_ns", "polls"}},
                        {"default", "busy_ns"}}},
                      {"cursor", cursor},
                      {"limit", CountSchema("Items", 30, 1, kLargestPage)}},
       .required = {"pid"},
       .output_schema = PageSchema(),
       .run = LiveTasks});
  return tools;
}

}  // namespace sonde::cli::mcp
