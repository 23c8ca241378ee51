// ConsoleHooks: what a session lends to the console that it runs.

#ifndef SONDE_CONSOLE_CONSOLE_HOOKS_H_
#define SONDE_CONSOLE_CONSOLE_HOOKS_H_

#include <functional>
#include <string>

#include "console/interval_hub.h"
#include "sampler/symbolizer.h"
#include "sonde/heap.h"
#include "sonde/push.h"
#include "sonde/result.h"
#include "sonde/sampler_stats.h"
#include "sonde/snapshot_stats.h"

namespace sonde {

// All of it may be missing: a console without a session shows tasks and no samples. What is
// lent outlives the console. Functions may be called on a thread of the console.
struct ConsoleHooks {
  std::string role = "daemon";
  IntervalHub* samples = nullptr;  // Null: the process is not sampled.
  IntervalHub* wall = nullptr;     // Of wall-clock time, sampled while it has a span.
  SnapshotPrivacy privacy{};
  std::string snapshot_folder{};  // Empty: no snapshots.
  std::function<Result<std::string>()> write_snapshot{};
  std::function<SnapshotStats()> snapshot_stats{};
  std::function<SamplerStats()> sampler_stats{};
  HeapSource heap{};          // Empty: none.
  std::string push_engine{};  // Where profiles are pushed; empty: nowhere.
  std::function<PushStats()> push_stats{};
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_CONSOLE_HOOKS_H_
