// CollectionGates: what has to hold before anything is recorded.

#include "evidence/collection_gates.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "evidence/bounded_process.h"
#include "evidence/new_file.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

constexpr double kLongestSeconds = 86'400;
constexpr std::uint64_t kHighestFrequency = 10'000;
constexpr std::size_t kMostEvents = 64;
constexpr std::size_t kLongestEvent = 128;

Error Refused(ErrorCode code, std::string message, std::string_view stage = "collection") {
  return {.code = code, .message = std::move(message), .stage = std::string(stage)};
}

Error Denied(std::string message) {
  return Refused(ErrorCode::kDenied, std::move(message), "authorization");
}

Status CheckCommand(const CollectionRequest& request) {
  if (request.duration_seconds != 0) {
    return Refused(ErrorCode::kUsage, "a duration goes with a process, not with a command");
  }
  if (Status status = CheckExecutable(request.executable); !status.ok()) {
    return Refused(status.error().code, status.error().message);
  }
  for (const std::string& argument : request.arguments) {
    if (argument.find_first_of(std::string_view("\0\r\n", 3)) != std::string::npos) {
      return Refused(ErrorCode::kUsage, "an argument holds a line end or a zero byte");
    }
  }
  return {};
}

Status CheckProcess(const CollectionRequest& request) {
  if (!request.arguments.empty()) {
    return Refused(ErrorCode::kUsage, "arguments go with a command, not with a process");
  }
  if (!(request.duration_seconds >= 0.01) || request.duration_seconds > kLongestSeconds) {
    return Refused(ErrorCode::kUsage, "a process needs a duration, from 0.01 to 86400 seconds");
  }
  if (request.pid < 1 || request.pid == ::getpid()) {
    return Refused(ErrorCode::kUsage, "not the number of another process");
  }
  std::error_code failure;
  if (!fs::exists("/proc/" + std::to_string(request.pid), failure)) {
    return Refused(ErrorCode::kNotFound, "no process " + std::to_string(request.pid));
  }
  return {};
}

}  // namespace

Status CheckGates(const CollectionRequest& request) {
  if (!request.authorize_target) {
    return Denied("recording is off until --authorize-target is given");
  }
  if (request.pid != 0 && !request.authorize_pid_attach) {
    return Denied("attaching to a process is off until --authorize-pid-attach is given");
  }
  for (const std::string& output : {request.data_output, request.metadata_output}) {
    if (Status status = CheckNewFile(output); !status.ok()) return status;
  }
  if (fs::weakly_canonical(request.data_output) == fs::weakly_canonical(request.metadata_output)) {
    return Refused(ErrorCode::kPathSafety, "the two outputs have the same name", "output");
  }
  if (request.authorization != kTargetPhrase) {
    return Denied("the authorization is not the phrase " + std::string(kTargetPhrase));
  }
  if (request.pid != 0 && request.pid_authorization != kPidPhrase) {
    return Denied("the authorization to attach is not the phrase " + std::string(kPidPhrase));
  }
  return {};
}

Status CheckRanges(const CollectionRequest& request) {
  const auto usage = [](std::string message) { return Refused(ErrorCode::kUsage, message); };
  if (request.frequency_hz < 1 || request.frequency_hz > kHighestFrequency) {
    return usage("the frequency is from 1 to 10000");
  }
  if (!(request.timeout_seconds >= 0.1) || request.timeout_seconds > kLongestSeconds) {
    return usage("the timeout is from 0.1 to 86400 seconds");
  }
  constexpr std::array<std::string_view, 3> kCallGraphs{"fp", "dwarf", "lbr"};
  if (std::ranges::find(kCallGraphs, request.call_graph) == kCallGraphs.end()) {
    return usage("the call graph is fp, dwarf or lbr");
  }
  if (!request.events.empty() && request.mode != CollectionMode::kStat) {
    return usage("events are chosen in the mode stat only");
  }
  if (request.events.size() > kMostEvents) return usage("at most 64 events");
  for (const std::string& event : request.events) {
    // Braces group and commas separate: an event is one name.
    if (event.empty() || event.size() > kLongestEvent || event.front() == '-' ||
        event.find_first_of(std::string_view("\0\r\n,;{}", 7)) != std::string::npos) {
      return usage("not the name of one event: " + event);
    }
  }
  return {};
}

Status CheckTarget(const CollectionRequest& request) {
  if (request.executable.empty() == (request.pid == 0)) {
    return Refused(ErrorCode::kUsage, "give either an executable or a process");
  }
  return request.pid == 0 ? CheckCommand(request) : CheckProcess(request);
}

}  // namespace sonde
