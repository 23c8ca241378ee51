// ProcessTimer: see process_timer.h.

#include "sampler/process_timer.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <new>

#include "sampler/sigprof.h"
#include "sampler/timer_value.h"

namespace sonde {
namespace {

constexpr std::uint64_t kSlowHz = 10;
constexpr std::uint64_t kFastHz = 250;
constexpr std::uint64_t kWatchesOfMemory = 10;
constexpr double kLeastUnknownNs = 30e6;
constexpr double kKernelTickNs = 4e6;  // CONFIG_HZ=250; others are near enough.
constexpr std::uint64_t kIdleSeconds = 5;
// A tick may stand for those that other threads took from it, not for seconds that it knows
// nothing of.
constexpr std::uint64_t kMostForOne = 16;

// True from Linux 6.4 on: before, a process timer preferred the main thread to the running one.
bool TimersPreferTheRunningThread() {
  utsname name{};
  int major = 0;
  int minor = 0;
  return uname(&name) == 0 && std::sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
         (major > 6 || (major == 6 && minor >= 4));
}

std::uint64_t Hits() { return Signals().catch_all_signals.load(std::memory_order_relaxed); }

std::uint32_t SlowUnit(std::uint64_t hz) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (hz + kSlowHz / 2) / kSlowHz));
}

std::uint32_t FastUnit(std::uint64_t hz) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, hz / kFastHz));
}

}  // namespace

std::int64_t MostUnknownByChanceNs(std::uint64_t period_ns, std::size_t threads) {
  const auto period = static_cast<double>(period_ns);
  const double deviation_ns = std::sqrt(static_cast<double>(threads) *
                                        (period * period / 12 + kKernelTickNs * kKernelTickNs));
  return static_cast<std::int64_t>(kLeastUnknownNs + 5 * deviation_ns);
}

ProcessTimer::ProcessTimer(int hz, CatchAll mode)
    : hz_(static_cast<std::uint64_t>(hz)), period_ns_(1'000'000'000 / hz_), mode_(mode) {}

bool ProcessTimer::Start(std::uint32_t run) {
  run_ = run;
  seen_ = seen_early_ = Hits();
  may_run_ = mode_ == CatchAll::kOn || (mode_ == CatchAll::kAuto && TimersPreferTheRunningThread());
  return mode_ != CatchAll::kOn || Run(SlowUnit(hz_));
}

bool ProcessTimer::Run(std::uint32_t unit) {
  unit_ = unit;
  idle_seconds_ = 0;
  timer_.Delete();
  if (unit == 0) return true;
  const std::uint64_t tick_ns = unit * period_ns_;
  const int error = timer_.CreateForProcess(TimerValue(TimerValue::kCatchAll, unit, run_));
  if (error == EAGAIN) {
    unit_ = 0;  // The user's signals are used up: what it would find stays unexplained.
    return true;
  }
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  errno = error;
  return error == 0 &&
         timer_.Arm(1 + static_cast<std::uint64_t>(now.tv_nsec) % tick_ns, tick_ns) == 0;
}

void ProcessTimer::Watch(std::int64_t unknown_ns, std::size_t threads) {
  if (!may_run_) return;
  const bool remembers = ++watches_ % kWatchesOfMemory != 0;
  if (is_on()) {
    // What no tick found in three seconds is not what the next one found.
    const bool was_hit = remembers || Hits() != seen_early_;
    if (!remembers) seen_early_ = Hits();
    if (!was_hit) forgotten_ns_ = unknown_ns;
    return;
  }
  if (!remembers) forgotten_ns_ = unknown_ns;
  forgotten_ns_ = std::min(forgotten_ns_, unknown_ns);
  if (unknown_ns - forgotten_ns_ > MostUnknownByChanceNs(period_ns_, threads)) {
    seen_early_ = Hits();
    Run(FastUnit(hz_));
  }
}

// Ten ticks a second are too few to tell what a crowd of threads that live for milliseconds does.
// While they use more than a fifth of a core, it ticks as often as a thread is sampled.
void ProcessTimer::Tune(std::int64_t unknown_ns) {
  const std::uint64_t hits = Hits() - seen_;
  seen_ += hits;
  if (!is_on()) return;
  idle_seconds_ = hits == 0 ? idle_seconds_ + 1 : 0;
  if (idle_seconds_ == kIdleSeconds && mode_ != CatchAll::kOn) {
    Run(0);
    forgotten_ns_ = unknown_ns;
    return;
  }
  const std::uint64_t weight = hits * unit_;
  const std::uint32_t unit = weight * 5 >= hz_   ? FastUnit(hz_)
                             : weight * 30 < hz_ ? SlowUnit(hz_)
                                                 : unit_;
  if (unit != unit_) Run(unit);
}

void ProcessTimer::Hold(const RawSample& sample, std::span<const std::uint64_t> frames) {
  held_.push_back(sample);
  try {
    frames_.insert(frames_.end(), frames.begin(), frames.end());
  } catch (const std::bad_alloc&) {
    held_.pop_back();
    throw;
  }
}

std::uint32_t ProcessTimer::Share(std::int64_t open_ns, std::size_t left,
                                  std::uint32_t natural) const {
  if (open_ns <= 0) return 0;
  const std::uint64_t share_ns = static_cast<std::uint64_t>(open_ns) / left;
  const std::uint64_t weight = (share_ns + period_ns_ / 2) / period_ns_;
  return static_cast<std::uint32_t>(std::min(weight, kMostForOne * natural));
}

}  // namespace sonde
