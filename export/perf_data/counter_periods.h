// CounterPeriods: what counters that samples read out have counted since they were read last.

#ifndef SONDE_EXPORT_PERF_DATA_COUNTER_PERIODS_H_
#define SONDE_EXPORT_PERF_DATA_COUNTER_PERIODS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "export/perf_data/event.h"
#include "export/perf_data/sample.h"

namespace sonde::perf_data {

// Fed in order of time; each counter began at 0. Memory is bounded by the recording's ids, and by
// its threads where each has counters of its own. Not thread-safe.
class CounterPeriods {
 public:
  // `event` is the one that `counter` counts for. Nothing when the counter went backwards.
  std::optional<std::uint64_t> Step(const Event& event, std::uint32_t tid,
                                    const CounterValue& counter);

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> last_;  // By id and thread.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_COUNTER_PERIODS_H_
