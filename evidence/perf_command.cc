// PerfCommand: the command line that records one target and nothing else.

#include "evidence/perf_command.h"

#include <array>
#include <cstdio>

namespace sonde {
namespace {

constexpr const char* kSleep = "/usr/bin/sleep";

void Append(std::vector<std::string>& command, std::initializer_list<std::string> words) {
  command.insert(command.end(), words);
}

// Every one of these, on the target's threads, with the CPU it happened on.
void AppendTracepoints(std::vector<std::string>& command,
                       std::initializer_list<const char*> tracepoints) {
  Append(command, {"record", "-c", "1", "--sample-cpu"});
  for (const char* tracepoint : tracepoints) Append(command, {"-e", tracepoint});
}

void AppendTarget(std::vector<std::string>& command, const CollectionRequest& request) {
  if (request.pid == 0) {
    Append(command, {"--", request.executable});
    command.insert(command.end(), request.arguments.begin(), request.arguments.end());
    return;
  }
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.3f", request.duration_seconds);
  Append(command, {"-p", std::to_string(request.pid), "--", kSleep, seconds.data()});
}

}  // namespace

const std::vector<std::string>& DefaultCounters() {
  static const std::vector<std::string> counters{
      "cycles",        "instructions",     "cache-references", "cache-misses", "branches",
      "branch-misses", "context-switches", "cpu-migrations",   "page-faults"};
  return counters;
}

std::vector<std::string> PerfCommand(const CollectionRequest& request, const std::string& perf,
                                     const std::string& output) {
  std::vector<std::string> command{perf};
  switch (request.mode) {
    case CollectionMode::kRecord:
      Append(command, {"record", "--freq", std::to_string(request.frequency_hz), "--sample-cpu",
                       "--call-graph", request.call_graph});
      break;
    case CollectionMode::kStat: {
      std::string events;
      for (const std::string& event : request.events.empty() ? DefaultCounters() : request.events) {
        events += (events.empty() ? "" : ",") + event;
      }
      Append(command, {"stat", "--no-big-num", "-x", ";", "-e", events});
      break;
    }
    case CollectionMode::kSched:
      AppendTracepoints(command,
                        {"sched:sched_switch", "sched:sched_waking", "sched:sched_migrate_task"});
      Append(command, {"--switch-events"});
      break;
    case CollectionMode::kLock:
      AppendTracepoints(command, {"lock:contention_begin", "lock:contention_end"});
      Append(command, {"--call-graph", request.call_graph});
      break;
    case CollectionMode::kOffCpu:
      AppendTracepoints(command, {"sched:sched_switch"});
      Append(command, {"--switch-events", "--call-graph", request.call_graph});
      break;
  }
  Append(command, {"-o", output});
  AppendTarget(command, request);
  return command;
}

std::vector<std::string> WarningsFor(CollectionMode mode) {
  switch (mode) {
    case CollectionMode::kSched:
      return {"wake-ups by programs other than the target were not recorded"};
    case CollectionMode::kLock:
      return {"locks of the kernel only; waits for locks of the program show as off-CPU time"};
    case CollectionMode::kOffCpu:
      return {
          "time away lasts from leaving the CPU to running again, so that it includes waiting "
          "for a CPU after being woken",
          "threads that slept through the whole recording left no switch and are not in it"};
    case CollectionMode::kRecord:
    case CollectionMode::kStat:
      break;
  }
  return {};
}

}  // namespace sonde
