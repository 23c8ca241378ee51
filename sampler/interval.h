// Interval: what the sampler took since the last one, with addresses still unnamed.

#ifndef SONDE_SAMPLER_INTERVAL_H_
#define SONDE_SAMPLER_INTERVAL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sonde/sampler_stats.h"

namespace sonde {

// A file that code ran from, as it was mapped when the sample was taken (it may be gone by now).
struct Module {
  std::uint64_t start = 0;   // Address of the first byte of its executable segment.
  std::uint64_t limit = 0;   // Address behind the last byte of it.
  std::uint64_t offset = 0;  // Of `start` in the file.
  std::uint64_t bias = 0;    // Runtime address minus the address in the ELF file's own terms.
  std::string path;          // "[vdso]" for the vdso; empty for memory that is no file's.
  std::string build_id;      // Lower-case hex; empty when the file has none.
};

// The interrupted pc (first), or a return address; `module` is an index into
// Interval::modules, kNoModule for code outside every file.
struct RawFrame {
  static constexpr std::uint32_t kNoModule = 0xffff'ffff;
  std::uint64_t address = 0;
  std::uint32_t module = kNoModule;

  friend bool operator==(const RawFrame&, const RawFrame&) = default;
};

struct ThreadName {
  std::int32_t tid = 0;
  std::string name;  // The kernel's comm, as last seen.
};

// Equal (frames, thread, labels, task, source) occur once in an interval.
struct IntervalSample {
  std::vector<RawFrame> frames;  // From the leaf to the root.
  std::uint32_t thread = 0;      // Index into Interval::threads.
  std::uint32_t label_set = 0;   // Index into Interval::label_sets.
  std::uint64_t task_id = 0;     // 0 = no task.
  bool truncated = false;        // The root was not reached; shown under "[truncated]".
  bool catch_all = false;        // Taken by the process-wide timer.
  std::uint64_t signals = 0;     // Signals that took it.
  std::uint64_t weight = 0;      // In sampling periods: signals and their overruns.
};

struct Interval {
  std::int64_t time_ns = 0;      // Unix time of the start.
  std::int64_t duration_ns = 0;  // By the monotonic clock.
  std::int64_t period_ns = 0;    // CPU time that a weight of 1 stands for.
  std::vector<Module> modules;
  std::vector<ThreadName> threads;
  // Label sets by index; 0 is the empty one.
  std::vector<std::vector<std::pair<std::string, std::string>>> label_sets;
  std::vector<IntervalSample> samples;
  SamplerStats stats;  // Of this interval alone.
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_INTERVAL_H_
