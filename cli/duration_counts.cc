// DurationCounts: how long polls, or waits for a thread, took.

#include "cli/duration_counts.h"

#include <bit>

#include "export/protobuf_reader.h"

namespace sonde::cli {
namespace {

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// The V2 form of HdrHistogram, not compressed; empty when the bytes are something else.
DurationCounts ReadHistogram(std::string_view bytes) {
  constexpr std::size_t kHead = 40;
  DurationCounts counts;
  if (bytes.size() < kHead || BigEndian(bytes.substr(0, 4)) != 0x1c84'9313) return counts;
  const std::uint64_t digits = BigEndian(bytes.substr(12, 4));
  if (digits < 1 || digits > 5) return counts;
  std::uint64_t largest = 2;
  for (std::uint64_t i = 0; i < digits; ++i) largest *= 10;
  const unsigned sub_bits = static_cast<unsigned>(std::bit_width(largest - 1));
  const std::uint64_t half = std::uint64_t{1} << (sub_bits - 1);

  std::string_view payload = bytes.substr(kHead);
  std::uint64_t index = 0;
  while (!payload.empty()) {
    std::uint64_t raw = 0;
    for (unsigned i = 0; i < 9 && !payload.empty(); ++i) {
      const auto byte = static_cast<unsigned char>(payload.front());
      payload.remove_prefix(1);
      raw |= (i == 8 ? std::uint64_t{byte} : std::uint64_t{byte & 0x7fU}) << (7 * i);
      if (byte < 0x80) break;
    }
    const std::int64_t count =
        static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
    if (count < 0) {
      index -= static_cast<std::uint64_t>(count);
      continue;
    }
    const std::uint64_t at = index++;
    if (count == 0) continue;
    const std::uint64_t bucket = at < 2 * half ? 0 : at / half - 1;
    if (bucket > 63) return counts;
    const std::uint64_t sub = at - bucket * half;
    counts.ranges.push_back(
        {sub << bucket, ((sub + 1) << bucket) - 1, static_cast<std::uint64_t>(count)});
    counts.total += static_cast<std::uint64_t>(count);
  }
  return counts;
}

}  // namespace

DurationCounts ReadDurations(std::string_view bytes) {
  DurationCounts counts;
  std::uint64_t outliers = 0;
  std::uint64_t highest = 0;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) counts = ReadHistogram(reader.bytes());
    if (reader.field() == 3) outliers = reader.number();
    if (reader.field() == 4) highest = reader.number();
  }
  counts.outliers = outliers;
  counts.highest_outlier_ns = highest;
  return counts;
}

std::uint64_t DurationCounts::PercentileNs(double share) const noexcept {
  const double wanted = share * static_cast<double>(total);
  double seen = 0;
  for (const Range& range : ranges) {
    seen += static_cast<double>(range.count);
    if (seen >= wanted) return range.to_ns;
  }
  return 0;
}

}  // namespace sonde::cli
