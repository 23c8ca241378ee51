// WallSampler: shares out the wall-clock time of each thread among the stacks it was seen with.

#ifndef SONDE_SAMPLER_WALL_SAMPLER_H_
#define SONDE_SAMPLER_WALL_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sampler/interval.h"
#include "sampler/kernel_timer.h"
#include "sampler/module_registry.h"
#include "sampler/raw_sample.h"
#include "sampler/sample_table.h"
#include "sampler/thread_registry.h"
#include "sampler/timer_value.h"

namespace sonde {

// The samples of one interval, before they are looked up.
class WallCut {
 public:
  explicit WallCut(std::size_t max_entries) : table_(max_entries) {}
  Interval Build(const ModuleRegistry& modules) &&;

 private:
  friend class WallSampler;
  SampleTable table_;
  std::unordered_map<std::int32_t, std::string> names_;
  Interval interval_;  // All but the samples.
};

// Looks at every thread at random times. One that ran since the last look is asked for its stack,
// by a signal; the answer comes through the ring. The time since the thread's last answer belongs
// to the stack and the state of the look, which estimates without bias: how long ago that was does
// not depend on what the thread does. A thread whose CPU clock stands still is where it was, and
// gets no signal, so that it is not woken for nothing.
//
// Every nanosecond of a thread is given to some stack: the time of one that does not answer,
// because it blocks SIGPROF or has not been asked yet, to its last stack, or to the empty one.
//
// Not thread-safe: under the collector's lock.
class WallSampler {
 public:
  WallSampler(int hz, std::size_t max_entries);

  // As many times as there are readers.
  void Begin();
  void End();
  // For all of them.
  void EndAll();
  // In a forked child, which has none of its timers.
  void Forget();
  bool is_on() const { return users_ > 0; }

  // Looks at every thread of the registry once. The time of the next look, by the monotonic clock.
  std::int64_t Look();

  // A stack that was asked for.
  void Take(const RawSample& sample, std::span<const std::uint64_t> frames);

  // What belongs to the interval up to now. The next one begins.
  WallCut Cut();

 private:
  struct Seen {
    std::uint32_t index = 0;         // Of its slot.
    KernelTimer timer;               // Asks it, when armed.
    TimerValue value{nullptr};       // Of the timer.
    std::int64_t seen_ns = 0;        // When it was last known to live.
    std::int64_t counted_ns = 0;     // Its time is shared out up to here.
    std::int64_t asked_ns = 0;       // When the signal was sent that is not answered yet; 0 = none.
    std::uint64_t answers = 0;       // Of the slot, when it was asked.
    std::int64_t answered_ns = 0;    // When the stack was asked for; 0 = there is none yet.
    std::uint64_t still_cpu_ns = 0;  // Its CPU clock, while that has stood still; 0 = it has not.
    ThreadState asked_state = ThreadState::kUnknown;
    RawSample sample;  // The last answer.
    std::vector<std::uint64_t> frames;
  };

  // Leaves Seen::seen_ns alone when the thread is gone.
  void LookAt(std::int32_t tid, Seen& seen, std::int64_t now_ns);
  bool StandsStill(const ThreadSlot& slot, Seen& seen, std::uint64_t cpu_ns,
                   std::int64_t now_ns) const;
  void Ask(std::int32_t tid, const ThreadSlot& slot, Seen& seen, std::int64_t now_ns);
  // 0 or an errno.
  static int SendSignal(std::int32_t tid, const ThreadSlot& slot, Seen& seen);
  // Gives the thread's time up to `until_ns` to its last stack.
  void Count(std::int32_t tid, Seen& seen, std::int64_t until_ns);
  void ForgetGone(std::int64_t now_ns);
  std::uint64_t Random();

  const std::int64_t period_ns_;
  const std::size_t max_entries_;
  int users_ = 0;
  bool has_looked_ = false;
  std::int64_t begun_ns_ = 0;
  std::int64_t interval_start_ns_ = 0;
  std::unordered_map<std::int32_t, Seen> threads_;
  WallCut cut_;
  std::uint64_t random_;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_WALL_SAMPLER_H_
