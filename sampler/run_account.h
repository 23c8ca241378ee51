// RunAccount: what became of every sample and every nanosecond of a run.

#ifndef SONDE_SAMPLER_RUN_ACCOUNT_H_
#define SONDE_SAMPLER_RUN_ACCOUNT_H_

#include <array>
#include <cstdint>

#include "sampler/process_timer.h"
#include "sampler/raw_sample.h"
#include "sampler/thread_registry.h"
#include "sonde/sampler_stats.h"

namespace sonde {

// Joins what the handlers and the registry of threads count for the life of the process with what
// the draining end counts for the run. Weights are in sampling periods. Not thread-safe.
class RunAccount {
 public:
  explicit RunAccount(std::uint64_t period_ns) : period_ns_(period_ns) {}

  // From here on.
  void Open();

  // A sample that reached the table, or that the table had no room for.
  void AddWritten(const RawSample& sample);
  void AddRefused(const RawSample& sample);
  void AddHandlerReplaced() { ++handler_replaced_; }

  // What the process used and nothing accounts for. When all threads have timers, it is what they
  // used since their last signals: less than a period each.
  std::int64_t UnknownCpuNs(const ProcessTimer& process_timer) const;
  // The same, when it has grown beyond chance after a look for threads that block SIGPROF.
  std::int64_t ExplainedCpuNs(const ProcessTimer& process_timer);
  SamplerStats Now(const ProcessTimer& process_timer) const;

 private:
  // What handlers count for the whole process.
  struct SharedTotals {
    std::uint64_t foreign = 0;
    std::uint64_t stale = 0;
    std::uint64_t signals = 0;
    std::uint64_t taken = 0;
    std::uint64_t dropped = 0;
    std::uint64_t blocked = 0;
  };
  static SharedTotals SharedNow();
  SharedTotals SharedSinceOpen() const;
  std::uint64_t Truncated(Truncation truncation) const {
    return truncated_[static_cast<std::size_t>(truncation)];
  }

  const std::uint64_t period_ns_;
  ThreadTotals threads_at_open_;
  SharedTotals shared_at_open_;
  std::uint64_t cpu_at_open_ns_ = 0;
  std::uint64_t profiler_at_open_ns_ = 0;

  std::uint64_t written_by_threads_ = 0;
  std::uint64_t written_by_process_ = 0;
  std::uint64_t refused_ = 0;
  std::array<std::uint64_t, kTruncations> truncated_{};
  std::uint64_t handler_replaced_ = 0;

  std::int64_t unknown_at_look_ns_ = 0;  // The least since the last look for blocked threads.
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_RUN_ACCOUNT_H_
