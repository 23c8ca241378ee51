// EncodeHdrHistogram: durations as the compressed-free V2 form of HdrHistogram.

#include "console/wire/hdr_histogram.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace sonde {
namespace {

constexpr std::uint32_t kCookie = 0x1c84'9313;
constexpr std::uint32_t kSignificantDigits = 2;
// The smallest power of two that tells 2 * 10^digits values apart.
constexpr int kSubBucketBits = 8;
static_assert(1 << kSubBucketBits >= 2 * 100);

std::size_t IndexOf(std::uint64_t value) {
  const std::uint64_t mask = (std::uint64_t{1} << kSubBucketBits) - 1;
  const int bucket = static_cast<int>(std::bit_width(value | mask)) - kSubBucketBits;
  const std::size_t half = std::size_t{1} << (kSubBucketBits - 1);
  return static_cast<std::size_t>(bucket + 1) * half + static_cast<std::size_t>(value >> bucket) -
         half;
}

void AppendBigEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift & 0xff));
  }
}

// Zigzag, then seven bits a byte; a ninth byte carries eight.
void AppendCount(std::string& out, std::int64_t count) {
  std::uint64_t left =
      static_cast<std::uint64_t>(count) << 1 ^ static_cast<std::uint64_t>(count >> 63);
  for (int i = 0; i < 8 && left >= 0x80; ++i) {
    out.push_back(static_cast<char>(left | 0x80));
    left >>= 7;
  }
  out.push_back(static_cast<char>(left));
}

// A run of n > 1 zero counts is written as the one number -n.
std::string EncodeCounts(const std::vector<std::int64_t>& counts) {
  std::string out;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t run = i;
    while (run < counts.size() && counts[run] == 0) ++run;
    if (run == i) {
      AppendCount(out, counts[i++]);
    } else {
      AppendCount(out, run - i > 1 ? -static_cast<std::int64_t>(run - i) : 0);
      i = run;
    }
  }
  return out;
}

}  // namespace

HdrHistogram EncodeHdrHistogram(const Log2Histogram& durations) {
  HdrHistogram histogram;
  const std::uint64_t max_ns = durations.max_ns();
  std::vector<std::int64_t> counts(1, 0);
  for (std::size_t bucket = 0; bucket < Log2Histogram::kBuckets; ++bucket) {
    const std::uint64_t count = durations.count(bucket);
    if (count == 0) continue;
    const std::uint64_t floor = bucket == 0 ? 0 : std::uint64_t{1} << bucket;
    std::uint64_t value = std::max(floor, std::min(floor + floor / 2, max_ns));
    if (value > HdrHistogram::kHighest) {
      histogram.outliers += count;
      histogram.highest_outlier = std::max(value, max_ns);
      value = HdrHistogram::kHighest;
    }
    const std::size_t index = IndexOf(value);
    if (index >= counts.size()) counts.resize(index + 1);
    counts[index] += static_cast<std::int64_t>(count);
  }

  const std::string payload = EncodeCounts(counts);
  std::string& out = histogram.bytes;
  AppendBigEndian(out, kCookie, 4);
  AppendBigEndian(out, payload.size(), 4);
  AppendBigEndian(out, 0, 4);  // Normalizing offset.
  AppendBigEndian(out, kSignificantDigits, 4);
  AppendBigEndian(out, 1, 8);  // Lowest value.
  AppendBigEndian(out, HdrHistogram::kHighest, 8);
  AppendBigEndian(out, std::bit_cast<std::uint64_t>(1.0), 8);  // Conversion ratio.
  out += payload;
  return histogram;
}

}  // namespace sonde
