// kSamplerCounters: every member of SamplerStats, for sums and differences of two readings.

#ifndef SONDE_SAMPLER_SAMPLER_COUNTERS_H_
#define SONDE_SAMPLER_SAMPLER_COUNTERS_H_

#include <cstdint>

#include "sonde/sampler_stats.h"

namespace sonde {

inline constexpr std::uint64_t SamplerStats::*kSamplerCounters[] = {
    &SamplerStats::taken,
    &SamplerStats::written,
    &SamplerStats::dropped,
    &SamplerStats::signals,
    &SamplerStats::foreign,
    &SamplerStats::stale,
    &SamplerStats::truncated_depth,
    &SamplerStats::truncated_no_module,
    &SamplerStats::truncated_no_rule,
    &SamplerStats::truncated_bad_read,
    &SamplerStats::truncated_order,
    &SamplerStats::process_cpu_ns,
    &SamplerStats::sampled_ns,
    &SamplerStats::catch_all_ns,
    &SamplerStats::lost_ring_ns,
    &SamplerStats::lost_blocked_ns,
    &SamplerStats::lost_late_ns,
    &SamplerStats::profiler_ns,
    &SamplerStats::threads_seen,
    &SamplerStats::timers_refused,
    &SamplerStats::handler_replaced};
static_assert(sizeof(SamplerStats) ==
                  sizeof(std::uint64_t) * (sizeof(kSamplerCounters) / sizeof(kSamplerCounters[0])),
              "a new member is to be added");

}  // namespace sonde

#endif  // SONDE_SAMPLER_SAMPLER_COUNTERS_H_
