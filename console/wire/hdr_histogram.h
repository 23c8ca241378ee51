// EncodeHdrHistogram: durations as the compressed-free V2 form of HdrHistogram, which console
// clients draw.

#ifndef SONDE_CONSOLE_WIRE_HDR_HISTOGRAM_H_
#define SONDE_CONSOLE_WIRE_HDR_HISTOGRAM_H_

#include <cstdint>
#include <string>

#include "console/log2_histogram.h"

namespace sonde {

struct HdrHistogram {
  static constexpr std::uint64_t kHighest = 1'000'000'000;  // Nanoseconds; above are outliers.

  std::string bytes;
  std::uint64_t outliers = 0;         // Counted at kHighest too.
  std::uint64_t highest_outlier = 0;  // Nanoseconds; meaningful when there are outliers.
};

// Every count stands in the middle of its power of two, at most at the longest duration seen.
// Any thread.
HdrHistogram EncodeHdrHistogram(const Log2Histogram& durations);

}  // namespace sonde

#endif  // SONDE_CONSOLE_WIRE_HDR_HISTOGRAM_H_
