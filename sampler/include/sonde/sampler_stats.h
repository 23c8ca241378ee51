// SamplerStats: where every nanosecond and every sample went.

#ifndef SONDE_SAMPLER_STATS_H_
#define SONDE_SAMPLER_STATS_H_

#include <cstdint>

namespace sonde {

// Two laws hold over any span between two readings once the ring is drained:
//   taken = written + dropped                              (in sampling periods)
//   process_cpu = sampled + catch_all + lost + profiler + unexplained   (in nanoseconds)
struct SamplerStats {
  std::uint64_t taken = 0;    // Weight of all valid signals.
  std::uint64_t written = 0;  // Weight that reached an interval.
  std::uint64_t dropped = 0;  // Weight that found the ring or a table full.
  std::uint64_t signals = 0;  // Valid signals.
  std::uint64_t foreign = 0;  // SIGPROF that no timer of ours sent; passed on.
  std::uint64_t stale = 0;    // Signals of a timer that is gone already.

  // Truncated stacks, in signals, by reason. Their samples are kept.
  std::uint64_t truncated_depth = 0;      // More frames than kept.
  std::uint64_t truncated_no_module = 0;  // Code outside every module.
  std::uint64_t truncated_no_rule = 0;    // No unwind rule that can be followed.
  std::uint64_t truncated_bad_read = 0;   // A stack address that cannot be read.
  std::uint64_t truncated_order = 0;      // Frames that do not move towards the root.

  // CPU time, in nanoseconds.
  std::uint64_t process_cpu_ns = 0;
  std::uint64_t sampled_ns = 0;    // Weight of the per-thread timers times the period.
  std::uint64_t catch_all_ns = 0;  // Weight of the process-wide timer times the period.
  std::uint64_t lost_ring_ns = 0;  // Found the ring or a table full.
  // Used by threads that blocked SIGPROF, beyond what one sample may stand for.
  std::uint64_t lost_blocked_ns = 0;
  std::uint64_t lost_late_ns = 0;  // Used by threads before they were found.
  std::uint64_t profiler_ns = 0;   // Our own threads, which are never sampled.

  std::uint64_t threads_seen = 0;
  // Threads that the kernel refused a timer (RLIMIT_SIGPENDING), in each interval: left to the
  // catch-all, unless that was refused as well.
  std::uint64_t timers_refused = 0;
  std::uint64_t handler_replaced = 0;  // Times our handler was found gone.

  // What is left over; may be negative by up to one period a thread, and holds up to 250 ms of each
  // thread that blocks SIGPROF: its next signal may still tell of them.
  std::int64_t UnexplainedNs() const noexcept {
    return static_cast<std::int64_t>(process_cpu_ns) -
           static_cast<std::int64_t>(sampled_ns + catch_all_ns + lost_ring_ns + lost_blocked_ns +
                                     lost_late_ns + profiler_ns);
  }
  std::uint64_t Truncated() const noexcept {
    return truncated_depth + truncated_no_module + truncated_no_rule + truncated_bad_read +
           truncated_order;
  }
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_STATS_H_
