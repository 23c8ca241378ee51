// Profile: the noun in the middle, that every reader fills and every writer drains.

#include "sonde/profile.h"

#include <limits>

namespace sonde {

std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

std::optional<std::size_t> Profile::FindSampleType(std::string_view type) const noexcept {
  for (std::size_t i = 0; i < sample_types_.size(); ++i) {
    if (sample_types_[i].type == type) return i;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Profile::records(std::size_t sample) const noexcept {
  if (!row_records_.empty()) return row_records_[sample];
  if (!record_type_.has_value()) return std::nullopt;
  const std::int64_t counted = value(sample, *record_type_);
  if (counted < 0) return std::nullopt;
  return static_cast<std::uint64_t>(counted);
}

std::optional<std::uint64_t> Profile::RecordsOf(std::size_t type) const noexcept {
  if (!counts_events_) return records_;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < sample_count(); ++i) {
    if (value(i, type) == 0) continue;
    const std::optional<std::uint64_t> of_sample = RecordsOf(type, i);
    if (!of_sample.has_value()) return std::nullopt;
    sum += *of_sample;
  }
  return sum;
}

std::optional<std::uint64_t> Profile::RecordsOf(std::size_t type,
                                                std::size_t sample) const noexcept {
  if (counts_events_) {
    for (std::size_t other = 0; other < sample_types_.size(); ++other) {
      if (other != type && value(sample, other) != 0) return std::nullopt;
    }
  }
  return records(sample);
}

std::int64_t Profile::Total(std::size_t type) const noexcept {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) total = SaturatingAdd(total, value(i, type));
  return total;
}

}  // namespace sonde
