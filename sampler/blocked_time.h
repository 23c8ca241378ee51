// BlockedTime: the CPU time that a thread uses while it blocks SIGPROF.

#ifndef SONDE_SAMPLER_BLOCKED_TIME_H_
#define SONDE_SAMPLER_BLOCKED_TIME_H_

#include <cstdint>

#include "sampler/thread_slot.h"

namespace sonde {

// The signal of such a thread's timer waits until the thread lets it through, and then stands for
// all that the thread used; the handler keeps `most_ns` of that and counts the rest as blocked. A
// thread that never lets it through is asked by its CPU clock instead: what it used beyond
// `most_ns` is lost already, and the handler will say so as well, if it ever runs.
//
// Not thread-safe.
class BlockedTime {
 public:
  // The timer of thread `tid` counts from here on.
  void Begin(const ThreadSlot& slot, std::uint64_t cpu_ns, std::uint64_t period_ns,
             std::uint64_t most_ns) noexcept;

  // True while the thread was last seen to block SIGPROF.
  bool is_blocked() const noexcept { return is_blocked_; }

  // Looks at the thread: one system call, and three more when signals have not told of its last
  // few periods.
  void Update(const ThreadSlot& slot, std::int32_t tid);

  // What is lost beyond what the handler counted as blocked. The sum of both never falls.
  std::uint64_t lost_ns(const ThreadSlot& slot) const noexcept;
  // What the waiting signal may still tell of.
  std::uint64_t waiting_ns(const ThreadSlot& slot) const noexcept;

 private:
  // Of the CPU time up to `cpu_ns`, what no signal has told of.
  std::uint64_t UntoldNs(const ThreadSlot& slot, std::uint64_t cpu_ns) const noexcept;
  std::uint64_t CountedByHandlerNs(const ThreadSlot& slot) const noexcept {
    return (slot.blocked.value() - blocked_at_begin_) * period_ns_;
  }

  std::uint64_t period_ns_ = 0;
  std::uint64_t most_ns_ = 0;
  std::uint64_t cpu_at_begin_ns_ = 0;
  std::uint64_t told_at_begin_ = 0;  // Weights, of the slot.
  std::uint64_t blocked_at_begin_ = 0;
  std::uint64_t lost_ns_ = 0;  // What the handler counted included.
  std::uint64_t seen_cpu_ns_ = 0;
  bool is_blocked_ = false;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_BLOCKED_TIME_H_
