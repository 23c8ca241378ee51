// PerfStat: the counters that `perf stat -x` writes.

#ifndef SONDE_EVIDENCE_PERF_STAT_H_
#define SONDE_EVIDENCE_PERF_STAT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/benchmark.h"
#include "sonde/result.h"

namespace sonde {

struct PerfStatMetric {
  std::string event;
  std::optional<double> value;  // Missing when not counted or not supported.
  std::string unit;
  std::optional<std::uint64_t> run_time_ns;
  std::optional<double> running_percent;
  std::string status;  // "measured", "not_counted", "not_supported", "derived".
};

struct PerfStatReport {
  std::vector<PerfStatMetric> metrics;
  std::vector<std::string> warnings;  // At most kPerfStatWarnings.
};

inline constexpr std::size_t kPerfStatMetrics = 256;
inline constexpr std::size_t kPerfStatWarnings = 32;

// Reads fields separated by ';' (value, unit, event[, variance], run time, running share).
// Rows that cannot be read are warned about. instructions-per-cycle is derived from
// cycles and instructions, also under their hybrid names and with modifiers.
// kLimit past `max_metrics`, kMalformed when no metric is there.
Result<PerfStatReport> ParsePerfStat(std::string_view text,
                                     std::size_t max_metrics = kPerfStatMetrics);

// Whether the text starts like the output of `perf stat -x ';'`.
bool LooksLikePerfStat(std::string_view text);

// Each counter as a metric with one value.
Result<Benchmark> BenchmarkFromPerfStat(std::string_view text, const BenchmarkOptions& options);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_PERF_STAT_H_
