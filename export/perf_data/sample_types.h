// SampleTypes: what the samples of a recording count, and in which column.

#ifndef SONDE_EXPORT_PERF_DATA_SAMPLE_TYPES_H_
#define SONDE_EXPORT_PERF_DATA_SAMPLE_TYPES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "export/perf_data/header.h"
#include "sonde/formats.h"
#include "sonde/profile_builder.h"

namespace sonde::perf_data {

inline constexpr std::string_view kOffCpu = "off-cpu";
inline constexpr std::string_view kLockWait = "lock-wait";

// One for each event that the options ask for, events of one name sharing it; then the times that
// are worked out from several records; then, where the options ask for them, the records of each.
// Not thread-safe.
class SampleTypes {
 public:
  // Both outlive the object. `has_*`: such times are worked out.
  SampleTypes(const Header& header, const ReadOptions& options, bool has_off_cpu,
              bool has_lock_waits);

  const std::vector<ValueType>& types() const noexcept { return types_; }
  // False for an event that was told of after the first sample, as a broken pipe may have it.
  bool Knows(const Event& event) const noexcept { return event.number < of_event_.size(); }
  // The column of an event; nothing for one that was not asked for, or is no counter.
  std::optional<std::size_t> Of(const Event& event) const noexcept;
  std::optional<std::size_t> off_cpu() const noexcept { return off_cpu_; }
  std::optional<std::size_t> lock_wait() const noexcept { return lock_wait_; }

  // Counts a record. The values of a sample that holds nothing else; valid until the next call.
  std::span<const std::int64_t> RowOf(std::size_t type, std::int64_t value);

  // Sets the period, and the type to show: whoever recorded every switch asks for the times;
  // otherwise that of the first event that was sampled at all.
  void Describe(ProfileBuilder& builder) const;

 private:
  std::size_t Add(ValueType type);

  const Header& header_;
  const ReadOptions& options_;
  std::vector<ValueType> types_;
  std::size_t weighed_ = 0;                           // Those before the ones that count records.
  std::vector<std::optional<std::size_t>> of_event_;  // By Event::number.
  std::optional<std::size_t> off_cpu_;
  std::optional<std::size_t> lock_wait_;
  std::vector<std::uint64_t> records_;  // By type.
  std::vector<std::int64_t> row_;
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_SAMPLE_TYPES_H_
