// RunAccount: see run_account.h.

#include "sampler/run_account.h"

#include <algorithm>
#include <atomic>

#include "sampler/cpu_clock.h"
#include "sampler/sigprof.h"

namespace sonde {

RunAccount::SharedTotals RunAccount::SharedNow() {
  const SignalState& state = Signals();
  const auto of = [](const SharedCounter& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  return {.foreign = of(state.foreign),
          .stale = of(state.stale),
          .signals = of(state.catch_all_signals),
          .taken = of(state.catch_all_taken),
          .dropped = of(state.catch_all_dropped),
          .blocked = of(state.catch_all_blocked)};
}

RunAccount::SharedTotals RunAccount::SharedSinceOpen() const {
  SharedTotals totals = SharedNow();
  for (const auto count : {&SharedTotals::foreign, &SharedTotals::stale, &SharedTotals::signals,
                           &SharedTotals::taken, &SharedTotals::dropped, &SharedTotals::blocked}) {
    totals.*count -= shared_at_open_.*count;
  }
  return totals;
}

void RunAccount::Open() {
  threads_at_open_ = ThreadRegistry::Get().Totals();
  shared_at_open_ = SharedNow();
  cpu_at_open_ns_ = ProcessCpuNs();
  profiler_at_open_ns_ = ThreadRegistry::Get().ProfilerCpuNs();
}

void RunAccount::AddWritten(const RawSample& sample) {
  ++truncated_[static_cast<std::size_t>(sample.truncation)];
  (sample.source == SampleSource::kCatchAll ? written_by_process_ : written_by_threads_) +=
      sample.weight;
}

void RunAccount::AddRefused(const RawSample& sample) {
  ++truncated_[static_cast<std::size_t>(sample.truncation)];
  refused_ += sample.weight;
}

std::int64_t RunAccount::UnknownCpuNs(const ProcessTimer& process_timer) const {
  const ThreadTotals threads = ThreadRegistry::Get().Totals();
  const SharedTotals shared = SharedSinceOpen();
  const std::uint64_t known =
      (threads.taken - threads_at_open_.taken + threads.blocked - threads_at_open_.blocked +
       process_timer.given() + shared.dropped + shared.blocked) *
          period_ns_ +
      threads.late_ns - threads_at_open_.late_ns + threads.lost_ns - threads_at_open_.lost_ns +
      threads.waiting_ns + ThreadRegistry::Get().ProfilerCpuNs() - profiler_at_open_ns_;
  return static_cast<std::int64_t>(ProcessCpuNs() - cpu_at_open_ns_) -
         static_cast<std::int64_t>(known);
}

std::int64_t RunAccount::ExplainedCpuNs(const ProcessTimer& process_timer) {
  ThreadRegistry& threads = ThreadRegistry::Get();
  threads.LookAtBlocked();
  std::int64_t unknown_ns = UnknownCpuNs(process_timer);
  if (unknown_ns - unknown_at_look_ns_ > MostUnknownByChanceNs(period_ns_, threads.LiveThreads())) {
    threads.LookForBlocked();
    unknown_at_look_ns_ = unknown_ns = UnknownCpuNs(process_timer);
  }
  unknown_at_look_ns_ = std::min(unknown_at_look_ns_, unknown_ns);
  return unknown_ns;
}

SamplerStats RunAccount::Now(const ProcessTimer& process_timer) const {
  SamplerStats stats;
  const ThreadTotals threads = ThreadRegistry::Get().Totals();
  const SharedTotals shared = SharedSinceOpen();

  stats.signals = threads.signals - threads_at_open_.signals + shared.signals;
  stats.taken = threads.taken - threads_at_open_.taken + shared.taken +
                static_cast<std::uint64_t>(process_timer.added());
  stats.written = written_by_threads_ + written_by_process_;
  stats.dropped = threads.dropped - threads_at_open_.dropped + shared.dropped + refused_;
  stats.foreign = shared.foreign;
  stats.stale = shared.stale;

  stats.truncated_depth = Truncated(Truncation::kDepth);
  stats.truncated_no_module = Truncated(Truncation::kNoModule);
  stats.truncated_no_rule = Truncated(Truncation::kNoRule);
  stats.truncated_bad_read = Truncated(Truncation::kBadRead);
  stats.truncated_order = Truncated(Truncation::kOrder);

  stats.process_cpu_ns = ProcessCpuNs() - cpu_at_open_ns_;
  stats.sampled_ns = written_by_threads_ * period_ns_;
  stats.catch_all_ns = written_by_process_ * period_ns_;
  stats.lost_ring_ns = stats.dropped * period_ns_;
  stats.lost_blocked_ns =
      (threads.blocked - threads_at_open_.blocked + shared.blocked) * period_ns_ + threads.lost_ns -
      threads_at_open_.lost_ns;
  stats.lost_late_ns = threads.late_ns - threads_at_open_.late_ns;
  stats.profiler_ns = ThreadRegistry::Get().ProfilerCpuNs() - profiler_at_open_ns_;

  stats.threads_seen = threads.threads_seen - threads_at_open_.threads_seen;
  stats.timers_refused = threads.timers_refused - threads_at_open_.timers_refused;
  stats.handler_replaced = handler_replaced_;
  return stats;
}

}  // namespace sonde
