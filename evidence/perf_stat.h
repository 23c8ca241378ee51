// PerfStat: the counters that `perf stat` writes, in any of its forms.

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
  std::optional<double> spread_percent;  // Of a mean over several runs: the "+-" beside it.
  std::string status;                    // "measured", "not_counted", "not_supported", "derived".
};

struct PerfStatReport {
  std::vector<PerfStatMetric> metrics;
  std::uint64_t runs = 1;             // Over which each value is a mean, where the output tells.
  std::vector<std::string> warnings;  // Of lines at most kPerfStatWarnings; and what holds for all.
};

inline constexpr std::size_t kPerfStatMetrics = 256;
inline constexpr std::size_t kPerfStatWarnings = 32;

// Reads rows of fields (-x, whatever the separator), JSON (-j), or what people are shown, by their
// content; numbers may have a decimal comma. Lines that cannot be read are warned about.
// instructions-per-cycle is derived from cycles and instructions, also under their hybrid names and
// with modifiers. kLimit past `max_metrics`, kMalformed when no metric is there.
Result<PerfStatReport> ParsePerfStat(std::string_view text,
                                     std::size_t max_metrics = kPerfStatMetrics);

// Whether the text starts like the output of perf stat.
bool LooksLikePerfStat(std::string_view text);

// Each counter as a metric with one value; of several runs that is the mean, and what perf says of
// how far they spread stands in the warnings.
Result<Benchmark> BenchmarkFromPerfStat(std::string_view text, const BenchmarkOptions& options);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_PERF_STAT_H_
