// BoundedProcess: runs another program within stated bounds.

#ifndef SONDE_EVIDENCE_BOUNDED_PROCESS_H_
#define SONDE_EVIDENCE_BOUNDED_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde {

struct ProcessLimits {
  std::chrono::milliseconds timeout{300'000};
  std::uint64_t stdout_bytes = std::uint64_t{1} << 30;  // Past it the process is ended: kLimit.
  std::uint64_t stderr_bytes = std::uint64_t{1} << 20;  // Past it the rest is counted, not kept.
  // Past it the rest of standard output is dropped and counted instead.
  bool drop_excess_stdout = false;
  // A file that may not grow past `watched_bytes`; empty for none.
  std::string watched_file{};
  std::uint64_t watched_bytes = 0;
  // Asked to, the process is ended as if its time were over.
  std::stop_token stop{};
};

// The error of work that somebody asked to stop: kTimeout.
Error CalledOff();

struct ProcessOutcome {
  int exit_code = 0;  // 128 + signal number when a signal ended it.
  std::string stdout_text;
  std::string stderr_text;
  std::uint64_t stdout_dropped = 0;  // In bytes.
  std::uint64_t stderr_dropped = 0;
};

// The environment of a helper program whose output is parsed: C locale, plain PATH, and
// HOME, which debug-file stores are found by.
std::vector<std::string> PlainEnvironment();
// The environment of this process: for a target that must behave as it always does.
std::vector<std::string> OwnEnvironment();

// `argv[0]` is an absolute path of an executable regular file; no shell is involved.
// Standard input is /dev/null, nothing else is inherited. The process leads a group
// of its own, which is sent SIGTERM and a second later SIGKILL when a bound is passed
// and when this returns; it is always reaped. A non-zero exit is not an error here.
//
// kPathSafety when the path is not absolute or not executable, kTool when it cannot be
// started, kTimeout, kLimit. Any thread.
Result<ProcessOutcome> RunBounded(const std::vector<std::string>& argv,
                                  const std::vector<std::string>& environment,
                                  const ProcessLimits& limits);

// Success when `path` is absolute and names an executable regular file. kPathSafety.
Status CheckExecutable(const std::string& path);

// `path` with links resolved, when it is the program called `name` or a version of it
// ("perf_6.1", "llvm-symbolizer-14"). kPathSafety for anything else.
Result<std::string> AllowedExecutable(const std::string& path, std::string_view name);

// The executable called `name` on the PATH, with links resolved. kTool when there is none.
Result<std::string> FindExecutable(const std::string& name);

// The error for an outcome that is not 0, with what the program said.
Error FailedProcess(const std::string& executable, const ProcessOutcome& outcome);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_BOUNDED_PROCESS_H_
