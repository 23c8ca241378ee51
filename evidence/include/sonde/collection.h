// Collection: a recording of one authorised target, made by perf.

#ifndef SONDE_COLLECTION_H_
#define SONDE_COLLECTION_H_

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// What a person has to say, word for word, before anything is recorded.
inline constexpr std::string_view kTargetPhrase = "I_EXPLICITLY_AUTHORIZE_TARGET_PROFILING";
inline constexpr std::string_view kPidPhrase = "I_EXPLICITLY_AUTHORIZE_PID_ATTACH";

enum class CollectionMode : std::uint8_t {
  kRecord,  // Where CPU time goes.
  kStat,    // Counters.
  kSched,   // Every switch, wake-up and migration of the target's threads.
  kLock,    // Contention on locks in the kernel.
  kOffCpu,  // Every switch with its stack, so that the time away can be worked out.
};

// "record", "stat", "sched", "lock", "off_cpu".
std::string_view NameOf(CollectionMode mode) noexcept;
std::optional<CollectionMode> CollectionModeNamed(std::string_view name) noexcept;

struct CollectionRequest {
  CollectionMode mode = CollectionMode::kRecord;
  // One of the two. The executable by its absolute path; a process needs a duration.
  std::string executable{};
  std::vector<std::string> arguments{};
  std::int64_t pid = 0;
  double duration_seconds = 0;

  std::string perf_path{};            // Absolute; empty = the perf on the PATH.
  std::uint64_t frequency_hz = 99;    // kRecord.
  std::string call_graph = "dwarf";   // "fp", "dwarf", "lbr".
  std::vector<std::string> events{};  // kStat; empty = nine common ones.
  double timeout_seconds = 300;       // At most a day.
  std::uint64_t max_data_bytes = std::uint64_t{1} << 30;
  std::uint64_t max_metadata_bytes = std::uint64_t{8} << 20;

  // Neither may exist yet; their folders must.
  std::string data_output{};
  std::string metadata_output{};

  bool authorize_target = false;
  std::string authorization{};
  bool authorize_pid_attach = false;
  std::string pid_authorization{};

  // Asked to, everything that runs is ended and nothing is kept.
  std::stop_token stop{};
};

// Records the target, and nothing but the target, and returns the artifact that was written to
// `metadata_output`. The target keeps its environment; that it exits with an error is told, not
// an error. perf runs bounded in time and output, without a shell and without more rights than
// the caller has, and no setting of the kernel is changed. Standard output of the target is
// dropped.
//
// kDenied while a gate is closed, kPathSafety for outputs that are not new and executables that
// are not perf, kUsage for values out of range, kNotFound for a process that is gone, kTool,
// kTimeout, kLimit. After an error neither output exists. Not thread-safe.
Result<nlohmann::json> Collect(const CollectionRequest& request);

// The same for a program that embeds sonde and is asked at `url`, which needs no perf: `take` asks
// it and gives the bytes of a pprof file. It is called once the gates are open. Of the request only
// the gates, the limits and the outputs matter; the mode is "attach_console".
Result<nlohmann::json> CollectFrom(const std::string& url, const CollectionRequest& request,
                                   const std::function<Result<std::string>()>& take);

}  // namespace sonde

#endif  // SONDE_COLLECTION_H_
