// SampleTypes: what the samples of a recording count, and in which column.

#include "export/perf_data/sample_types.h"

#include <algorithm>
#include <string>
#include <utility>

#include "export/event_name.h"

namespace sonde::perf_data {

SampleTypes::SampleTypes(const Header& header, const ReadOptions& options, bool has_off_cpu,
                         bool has_lock_waits)
    : header_(header), options_(options) {
  for (const Event& event : header.events()) {
    std::optional<std::size_t>& type = of_event_.emplace_back();
    if (event.is_dummy()) continue;
    if (!options.event.empty() && !IsEventNamed(event.name, options.event)) continue;
    type = Add(TypeOfEvent(event.name, options.count_samples));
  }
  if (has_off_cpu) off_cpu_ = Add({std::string(kOffCpu), "nanoseconds"});
  if (has_lock_waits) lock_wait_ = Add({std::string(kLockWait), "nanoseconds"});
  if (types_.empty()) Add(TypeOfEvent(options.event, options.count_samples));
  weighed_ = types_.size();
  records_.assign(weighed_, 0);
  if (options.count_records) {
    for (std::size_t i = 0; i < weighed_; ++i) types_.push_back({"records", types_[i].type});
  }
  row_.assign(types_.size(), 0);
}

std::size_t SampleTypes::Add(ValueType type) {
  const auto known = std::ranges::find(types_, type);
  const auto number = static_cast<std::size_t>(known - types_.begin());
  if (known == types_.end()) types_.push_back(std::move(type));
  return number;
}

std::optional<std::size_t> SampleTypes::Of(const Event& event) const noexcept {
  return Knows(event) ? of_event_[event.number] : std::nullopt;
}

std::span<const std::int64_t> SampleTypes::RowOf(std::size_t type, std::int64_t value) {
  ++records_[type];
  std::ranges::fill(row_, 0);
  row_[type] = value;
  if (options_.count_records) row_[weighed_ + type] = 1;
  return row_;
}

void SampleTypes::Describe(ProfileBuilder& builder) const {
  const auto first = std::ranges::find_if(records_, [](auto count) { return count > 0; });
  std::size_t shown =
      first == records_.end() ? 0 : static_cast<std::size_t>(first - records_.begin());
  for (const std::optional<std::size_t>& times : {lock_wait_, off_cpu_}) {
    if (times.has_value() && records_[*times] > 0) shown = *times;
  }
  builder.SetDefaultSampleType(shown);

  const auto weighed = std::ranges::find_if(
      header_.events(), [&](const Event& event) { return Of(event).has_value(); });
  if (weighed == header_.events().end() || options_.count_samples) return;
  // Members of a group are sampled whenever their leader is.
  if (weighed->period_or_frequency == 0) return;
  ValueType type = TypeOfEvent(weighed->name, false);
  if (!weighed->uses_frequency()) {
    builder.SetPeriod(std::move(type), static_cast<std::int64_t>(weighed->period_or_frequency));
  } else if (type.unit == "nanoseconds") {
    builder.SetPeriod(std::move(type),
                      static_cast<std::int64_t>(1'000'000'000 / weighed->period_or_frequency));
  }
}

}  // namespace sonde::perf_data
