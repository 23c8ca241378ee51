// Sampler: samples the CPU time, and if asked the wall-clock time, of every thread of its process.

#ifndef SONDE_SAMPLER_H_
#define SONDE_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sonde/result.h"
#include "sonde/sampler_stats.h"

namespace sonde {

struct Interval;

// The process-wide timer that finds threads which have no timer of their own: those that live
// too short to be found, and those that the kernel refused one. Its signals may interrupt
// a blocking call of any thread, so it ticks only while more CPU time is used than the
// threads with timers can account for.
enum class CatchAll : std::uint8_t {
  kAuto,  // When it is needed, on kernels that prefer the running thread: Linux 6.4 and later.
  kOn,    // Always.
  kOff,
};

enum class Unwinder : std::uint8_t {
  kTables,    // In the handler, by the .eh_frame tables of the loaded modules.
  kDeferred,  // The handler copies registers and stack; libunwind walks them later.
};

struct SamplerOptions {
  // Samples a second of CPU time of each thread, 1 to 10,000. Above the kernel's
  // tick (CONFIG_HZ) signals come with the tick and carry more weight each.
  int hz = 99;
  CatchAll catch_all = CatchAll::kAuto;
  // Samples on their way out of the handler. When it is full, samples are dropped and
  // counted. Rounded up to a power of two, at least 64 KiB.
  std::size_t ring_bytes = std::size_t{1} << 20;
  std::uint32_t max_depth = 128;  // Frames kept of a stack, 1 to 256.
  // Distinct (stack, thread, labels, task) of one interval; more are dropped and counted.
  std::size_t max_stacks = std::size_t{1} << 17;
  Unwinder unwinder = Unwinder::kTables;
  std::size_t stack_bytes = std::size_t{32} << 10;  // Copied by Unwinder::kDeferred, 512 to 65,536.
  int wall_hz = 20;  // Looks at each thread a second while BeginWall is in force, 1 to 1,000.
};

// Runs from Start to Stop; at most one in a process at a time. Owns SIGPROF:
// its handler stays installed for ever, so that a late signal finds it, and
// does nothing while no Sampler runs. A child made by fork is not sampled; it
// may start a Sampler of its own.
//
// None of the functions is async-signal-safe.
class Sampler {
 public:
  // kUsage: an option out of range, or a Sampler runs already. kUnsupported: SIGPROF has
  // a handler that is not ours, or the unwinder is not available. kSystem: no memory, no
  // thread, no timer.
  static Result<std::unique_ptr<Sampler>> Start(const SamplerOptions& options = {});

  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Ends the current interval and begins the next; no sample falls between the two.
  // Empty after Stop. Any thread.
  Interval TakeInterval();

  // Samples wall-clock time as well, from now until as many EndWall. Every thread is asked by
  // a signal where it is, whether it runs or waits, unless its CPU clock shows that it stood
  // still since it was asked last. The signals may make blocking calls of the host return EINTR:
  // those that SA_RESTART does not restart, such as nanosleep, poll, epoll_wait and select. Without
  // effect after Stop. Any thread.
  void BeginWall();
  void EndWall();

  // Ends the current interval of wall-clock time and begins the next. For each thread, the weights
  // of its samples add up to the nanoseconds that it was seen to live in the interval. After Stop
  // the last one, once; empty when none is sampled. Any thread.
  Interval TakeWallInterval();

  // Since Start. Any thread.
  SamplerStats stats() const;

  // Deletes the timers, waits for handlers in flight and returns the last
  // interval. Empty when stopped before. Any thread.
  Interval Stop();

 private:
  class Impl;
  explicit Sampler(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Makes the calling thread one of the profiler's own, until it ends: it blocks all signals
// of others, gets no timer, and its CPU time counts as SamplerStats::profiler_ns. Any thread.
void ExcludeCurrentThread();

}  // namespace sonde

#endif  // SONDE_SAMPLER_H_
