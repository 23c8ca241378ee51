// PerfConversion: perf's own reading of a recording, for one that ours does not understand.

#include "evidence/perf_conversion.h"

#include <cmath>
#include <filesystem>
#include <vector>

#include "evidence/bounded_process.h"

namespace sonde {
namespace {

constexpr const char* kFields = "comm,pid,tid,cpu,time,event,period,ip,sym,dso,srcline";
constexpr const char* kFieldsWithoutCpu = "comm,pid,tid,time,event,period,ip,sym,dso,srcline";

bool LacksCpu(const ProcessOutcome& outcome) {
  return outcome.exit_code != 0 &&
         outcome.stderr_text.find("do not have CPU attribute set") != std::string::npos;
}

}  // namespace

Result<PerfConversion> ConvertRecording(const std::string& perf, const std::string& recording,
                                        double timeout_seconds, std::uint64_t max_bytes,
                                        const std::stop_token& stop) {
  const Result<std::string> program = AllowedExecutable(perf, "perf");
  if (!program.ok()) return program.error();
  ProcessLimits limits;
  limits.timeout = std::chrono::milliseconds(std::llround(timeout_seconds * 1000));
  limits.stdout_bytes = max_bytes;
  limits.stop = stop;
  const std::string input = std::filesystem::absolute(recording).string();
  const auto run = [&](const char* fields) {
    return RunBounded({program.value(), "script", "--ns", "-F", fields, "-i", input},
                      PlainEnvironment(), limits);
  };
  PerfConversion conversion;
  Result<ProcessOutcome> outcome = run(kFields);
  if (outcome.ok() && LacksCpu(outcome.value())) {
    conversion.has_cpu = false;
    outcome = run(kFieldsWithoutCpu);
  }
  if (!outcome.ok()) return outcome.error();
  if (outcome.value().exit_code != 0) return FailedProcess(program.value(), outcome.value());
  conversion.script = std::move(outcome.value().stdout_text);
  conversion.messages = std::move(outcome.value().stderr_text);
  return conversion;
}

}  // namespace sonde
