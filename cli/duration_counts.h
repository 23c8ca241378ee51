// DurationCounts: how long polls, or waits for a thread, took.

#ifndef SONDE_CLI_DURATION_COUNTS_H_
#define SONDE_CLI_DURATION_COUNTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace sonde::cli {

// Durations counted by range.
struct DurationCounts {
  struct Range {
    std::uint64_t from_ns = 0;
    std::uint64_t to_ns = 0;
    std::uint64_t count = 0;
  };
  std::vector<Range> ranges;  // Ascending; none is empty.
  std::uint64_t total = 0;
  std::uint64_t outliers = 0;  // Of these, longer than the histogram reaches.
  std::uint64_t highest_outlier_ns = 0;

  // The duration that `share` (0 to 1) of all are not longer than.
  std::uint64_t PercentileNs(double share) const noexcept;
};

// From the bytes of a DurationHistogram; empty when its histogram is none.
DurationCounts ReadDurations(std::string_view bytes);

}  // namespace sonde::cli

#endif  // SONDE_CLI_DURATION_COUNTS_H_
