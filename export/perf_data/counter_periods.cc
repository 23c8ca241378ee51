// CounterPeriods: what counters that samples read out have counted since they were read last.

#include "export/perf_data/counter_periods.h"

namespace sonde::perf_data {

std::optional<std::uint64_t> CounterPeriods::Step(const Event& event, std::uint32_t tid,
                                                  const CounterValue& counter) {
  // Threads that inherit an event count apart from each other under one id.
  std::uint64_t& last = last_[{counter.id, event.is_inherited() ? tid : 0}];
  const std::uint64_t before = std::exchange(last, counter.value);
  if (counter.value < before) return std::nullopt;
  return counter.value - before;
}

}  // namespace sonde::perf_data
