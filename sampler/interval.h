// Interval: what the sampler took since the last one, with addresses still unnamed.

#ifndef SONDE_SAMPLER_INTERVAL_H_
#define SONDE_SAMPLER_INTERVAL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sampler/raw_sample.h"
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

enum class IntervalKind : std::uint8_t { kCpu, kWall };

// How the wall-clock time of an interval was found out. Over all threads,
//   time = weight of all samples + dropped      (in nanoseconds).
struct WallStats {
  std::uint64_t threads = 0;     // Seen; of a sum, the most in one interval.
  std::uint64_t looks = 0;       // At one thread each.
  std::uint64_t signals = 0;     // Sent: each may interrupt a blocking call.
  std::uint64_t repeated = 0;    // Looks that needed none: the thread stood where it was.
  std::uint64_t refused = 0;     // Signals that the kernel had no room for.
  std::uint64_t lost = 0;        // Stacks that found the ring full.
  std::uint64_t time_ns = 0;     // Of all threads.
  std::uint64_t dropped_ns = 0;  // That found the table full.

  WallStats& operator+=(const WallStats& more) noexcept {
    threads = threads > more.threads ? threads : more.threads;
    looks += more.looks;
    signals += more.signals;
    repeated += more.repeated;
    refused += more.refused;
    lost += more.lost;
    time_ns += more.time_ns;
    dropped_ns += more.dropped_ns;
    return *this;
  }
};

// Equal (frames, thread, labels, task, source, state) occur once in an interval.
struct IntervalSample {
  std::vector<RawFrame> frames;  // From the leaf to the root.
  std::uint32_t thread = 0;      // Index into Interval::threads.
  std::uint32_t label_set = 0;   // Index into Interval::label_sets.
  std::uint64_t task_id = 0;     // 0 = no task.
  bool truncated = false;        // The root was not reached; shown under "[truncated]".
  bool catch_all = false;        // Taken by the process-wide timer.
  ThreadState state = ThreadState::kUnknown;  // Wall-clock time only.
  std::uint64_t signals = 0;                  // Signals that took it; looks at the thread.
  std::uint64_t weight = 0;  // In sampling periods: signals and their overruns. Or nanoseconds.
};

struct Interval {
  IntervalKind kind = IntervalKind::kCpu;
  std::int64_t time_ns = 0;      // Unix time of the start.
  std::int64_t duration_ns = 0;  // By the monotonic clock.
  std::int64_t period_ns = 0;    // CPU time that a weight of 1 stands for; between two looks.
  std::vector<Module> modules;
  std::vector<ThreadName> threads;
  // Label sets by index; 0 is the empty one.
  std::vector<std::vector<std::pair<std::string, std::string>>> label_sets;
  std::vector<IntervalSample> samples;
  SamplerStats stats;  // Of this interval alone.
  // The part of stats.dropped that a sum of intervals had no room for, after it was sampled.
  std::uint64_t no_room = 0;
  WallStats wall;  // The same, where `kind` is kWall; then `stats` is empty.
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_INTERVAL_H_
