// ProcessTimer: the CPU timer of the whole process, for threads that have none of their own.

#ifndef SONDE_SAMPLER_PROCESS_TIMER_H_
#define SONDE_SAMPLER_PROCESS_TIMER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sampler/kernel_timer.h"
#include "sampler/raw_sample.h"
#include "sonde/sampler.h"

namespace sonde {

// By how much the unknown time of `threads` threads, each with a timer, may grow by chance: each
// keeps less than a period for itself, and a timer is noticed by the next tick alone.
std::int64_t MostUnknownByChanceNs(std::uint64_t period_ns, std::size_t threads);

// Ticks while the process uses CPU time that no thread's timer accounts for, the unknown time.
// A tick that finds a thread without a timer says what such threads do, but not how often: when
// several threads run, the kernel's ticks come to all cores at once, and the same core may always
// be the first to notice. So what a tick weighs is the unknown time since the one before it.
//
// Unknown time is what the process used less what is accounted for, the samples given by Weigh
// included; it may fall. Reader only.
class ProcessTimer {
 public:
  ProcessTimer(int hz, CatchAll mode);

  // False, with errno, when the timer is wanted at once and cannot be had.
  bool Start(std::uint32_t run);
  bool is_on() const { return unit_ != 0; }

  // Three times a second: turns the timer on when the unknown time of `threads` threads grows
  // beyond chance.
  void Watch(std::int64_t unknown_ns, std::size_t threads);
  // Each second: how often it ticks.
  void Tune(std::int64_t unknown_ns);

  // Keeps a sample until Weigh. Bounded by the ring that it comes from.
  void Hold(const RawSample& sample, std::span<const std::uint64_t> frames);
  bool holds_samples() const { return !held_.empty(); }
  // Hands what is held to `take(sample, frames)`, weighed, when it weighs anything.
  template <typename Take>
  void Weigh(std::int64_t unknown_ns, Take&& take) {
    std::int64_t open_ns = unknown_ns - forgotten_ns_;
    std::size_t left = held_.size();
    std::size_t first = 0;
    for (RawSample& sample : held_) {
      const std::uint32_t natural = sample.weight;
      sample.weight = Share(open_ns, left--, natural);
      open_ns -= static_cast<std::int64_t>(sample.weight * period_ns_);
      given_ += sample.weight;
      added_ += static_cast<std::int64_t>(sample.weight) - natural;
      const auto frames = std::span<const std::uint64_t>(frames_).subspan(first, sample.depth);
      first += sample.depth;
      if (sample.weight != 0) take(static_cast<const RawSample&>(sample), frames);
    }
    held_.clear();
    frames_.clear();
  }

  // Weights, in sampling periods: all that Weigh gave, and by how much that is more than what the
  // handler counted.
  std::uint64_t given() const { return given_; }
  std::int64_t added() const { return added_; }

  // Ends it; a forked child, which has no such timer, forgets it.
  void Stop() { timer_.Delete(); }
  void Forget() { timer_.Forget(); }

 private:
  bool Run(std::uint32_t unit);
  std::uint32_t Share(std::int64_t open_ns, std::size_t left, std::uint32_t natural) const;

  const std::uint64_t hz_;
  const std::uint64_t period_ns_;
  const CatchAll mode_;
  bool may_run_ = false;
  std::uint32_t run_ = 0;
  KernelTimer timer_;
  std::uint32_t unit_ = 0;        // Periods between two ticks; 0 = it does not run.
  std::uint64_t seen_ = 0;        // Hits, at the last Tune.
  std::uint64_t seen_early_ = 0;  // And at the last time that unknown time was forgotten.
  std::uint64_t watches_ = 0;
  std::uint64_t idle_seconds_ = 0;  // That it ran without a hit.

  // Unknown time that no tick will be weighed by: remainders, and what no tick found in time.
  std::int64_t forgotten_ns_ = 0;

  std::vector<RawSample> held_;
  std::vector<std::uint64_t> frames_;  // Of all that is held, one after the other.
  std::uint64_t given_ = 0;
  std::int64_t added_ = 0;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_PROCESS_TIMER_H_
