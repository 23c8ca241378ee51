// ProfileBuilder: the one way to make a Profile.

#include "sonde/profile_builder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace sonde {
namespace {

constexpr std::size_t kFirstIndexSize = 256;

template <typename Id>
std::uint64_t Number(Id id) {
  return static_cast<std::uint64_t>(id);
}

std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) { return MixHash(hash, value); }

std::uint64_t HashOf(const Function& f) {
  const std::uint64_t names = Mix(Number(f.name), Number(f.system_name));
  return Mix(Mix(names, Number(f.file)), static_cast<std::uint64_t>(f.start_line));
}

std::uint64_t HashOf(const Mapping& m) {
  return Mix(Mix(Mix(m.start, m.limit), m.offset), Mix(Number(m.file), Number(m.build_id)));
}

std::uint64_t HashOf(const Location& l) {
  std::uint64_t hash = Mix(Mix(l.address, Number(l.mapping)), l.is_folded ? 1 : 0);
  for (const Line& line : l.lines) {
    hash = Mix(hash, Number(line.function));
    hash = Mix(hash, static_cast<std::uint64_t>(line.line));
    hash = Mix(hash, static_cast<std::uint64_t>(line.column));
  }
  return hash;
}

std::uint64_t HashOf(std::span<const Label> labels) {
  std::uint64_t hash = labels.size();
  for (const Label& label : labels) {
    hash = Mix(hash, Mix(Number(label.key), Number(label.text)));
    hash = Mix(hash, Mix(static_cast<std::uint64_t>(label.number), Number(label.unit)));
  }
  return hash;
}

std::size_t RowSlot(StackId stack, LabelSetId labels) {
  return static_cast<std::size_t>(Mix(Number(stack), Number(labels)));
}

}  // namespace

ProfileBuilder::ProfileBuilder(std::vector<ValueType> sample_types)
    : row_index_(kFirstIndexSize, 0) {
  assert(!sample_types.empty());
  profile_.default_sample_type_ = sample_types.size() - 1;
  const auto counts = std::ranges::find(sample_types, ValueType{"samples", "count"});
  if (counts != sample_types.end()) {
    profile_.record_type_ = static_cast<std::size_t>(counts - sample_types.begin());
  }
  profile_.sample_types_ = std::move(sample_types);
}

void ProfileBuilder::ReserveSamples(std::size_t count) {
  profile_.rows_.reserve(count);
  profile_.values_.reserve(count * profile_.sample_types_.size());
  const std::size_t slots = std::bit_ceil(count + count / 3 + 1);
  if (slots > row_index_.size()) IndexRows(slots);
}

FunctionId ProfileBuilder::AddFunction(const Function& function) {
  const std::uint64_t hash = HashOf(function);
  const std::uint32_t known = functions_.Find(
      hash, [&](std::uint32_t number) { return profile_.functions_[number] == function; });
  if (known != HashIndex::kNone) return FunctionId{known};
  const FunctionId id{static_cast<std::uint32_t>(profile_.functions_.size())};
  profile_.functions_.push_back(function);
  functions_.Add(hash, static_cast<std::uint32_t>(id));
  return id;
}

MappingId ProfileBuilder::AddMapping(const Mapping& mapping) {
  const std::uint64_t hash = HashOf(mapping);
  // What is known of its functions is no part of which mapping it is.
  const std::uint32_t known = mappings_.Find(hash, [&](std::uint32_t number) {
    const Mapping& other = profile_.mappings_[number];
    return other.start == mapping.start && other.limit == mapping.limit &&
           other.offset == mapping.offset && other.file == mapping.file &&
           other.build_id == mapping.build_id;
  });
  if (known != HashIndex::kNone) {
    Mapping& same = profile_.mappings_[known];
    same.has_functions |= mapping.has_functions;
    same.has_filenames |= mapping.has_filenames;
    same.has_line_numbers |= mapping.has_line_numbers;
    same.has_inline_frames |= mapping.has_inline_frames;
    return MappingId{known};
  }
  const MappingId id{static_cast<std::uint32_t>(profile_.mappings_.size())};
  profile_.mappings_.push_back(mapping);
  mappings_.Add(hash, static_cast<std::uint32_t>(id));
  return id;
}

LocationId ProfileBuilder::AddLocation(const Location& location) {
  const std::uint64_t hash = HashOf(location);
  const std::uint32_t same = locations_.Find(hash, [&](std::uint32_t number) {
    const Location known = profile_.location(LocationId{number});
    return known.address == location.address && known.mapping == location.mapping &&
           known.is_folded == location.is_folded && std::ranges::equal(known.lines, location.lines);
  });
  if (same != HashIndex::kNone) return LocationId{same};
  const LocationId id{static_cast<std::uint32_t>(profile_.locations_.size())};
  const auto first_line = static_cast<std::uint32_t>(profile_.lines_.size());
  const auto line_count = static_cast<std::uint32_t>(location.lines.size());
  profile_.lines_.insert(profile_.lines_.end(), location.lines.begin(), location.lines.end());
  profile_.locations_.push_back({location.address, location.mapping, first_line,
                                 line_count & 0x7fff'ffffU, location.is_folded ? 1U : 0U});
  locations_.Add(hash, static_cast<std::uint32_t>(id));
  return id;
}

LocationId ProfileBuilder::FrameNamed(std::string_view name) {
  const StringId string = Intern(name);
  const std::size_t index = Number(string);
  if (index >= named_frames_.size()) named_frames_.resize(profile_.strings_.size() + index / 2, 0);
  if (named_frames_[index] == 0) {
    const Line line{AddFunction({.name = string}), 0, 0};
    const LocationId id = AddLocation({.lines = std::span(&line, 1)});
    named_frames_[index] = static_cast<std::uint32_t>(id) + 1;
  }
  return LocationId{named_frames_[index] - 1};
}

StackId ProfileBuilder::AddStack(std::span<const LocationId> root_to_leaf) {
  StackId stack = kEmptyStack;
  for (const LocationId frame : root_to_leaf) stack = Extend(stack, frame);
  return stack;
}

LabelSetId ProfileBuilder::AddLabels(std::span<const Label> labels) {
  if (labels.empty()) return kNoLabels;
  const std::uint64_t hash = HashOf(labels);
  const std::uint32_t known = label_sets_.Find(hash, [&](std::uint32_t number) {
    return std::ranges::equal(profile_.labels(LabelSetId{number}), labels);
  });
  if (known != HashIndex::kNone) return LabelSetId{known};
  const LabelSetId id{static_cast<std::uint32_t>(profile_.label_sets_.size())};
  profile_.label_sets_.push_back({static_cast<std::uint32_t>(profile_.labels_.size()),
                                  static_cast<std::uint32_t>(labels.size())});
  profile_.labels_.insert(profile_.labels_.end(), labels.begin(), labels.end());
  label_sets_.Add(hash, static_cast<std::uint32_t>(id));
  return id;
}

Label ProfileBuilder::TextLabel(std::string_view key, std::string_view text) {
  return {Intern(key), Intern(text), 0, StringId{}};
}

Label ProfileBuilder::NumberLabel(std::string_view key, std::int64_t number,
                                  std::string_view unit) {
  return {Intern(key), StringId{}, number, Intern(unit)};
}

std::size_t ProfileBuilder::FindOrAddRow(StackId stack, LabelSetId labels) {
  if ((profile_.rows_.size() + 1) * 4 > row_index_.size() * 3) IndexRows(row_index_.size() * 2);
  const std::size_t mask = row_index_.size() - 1;
  std::size_t slot = RowSlot(stack, labels) & mask;
  while (row_index_[slot] != 0) {
    const Profile::Row& row = profile_.rows_[row_index_[slot] - 1];
    if (row.stack == stack && row.labels == labels) return row_index_[slot] - 1;
    slot = (slot + 1) & mask;
  }
  profile_.rows_.push_back({stack, labels});
  profile_.values_.resize(profile_.values_.size() + profile_.sample_types_.size(), 0);
  row_index_[slot] = static_cast<std::uint32_t>(profile_.rows_.size());
  return profile_.rows_.size() - 1;
}

void ProfileBuilder::IndexRows(std::size_t slots) {
  row_index_.assign(slots, 0);
  const std::size_t mask = slots - 1;
  for (std::uint32_t row = 0; row < profile_.rows_.size(); ++row) {
    std::size_t slot = RowSlot(profile_.rows_[row].stack, profile_.rows_[row].labels) & mask;
    while (row_index_[slot] != 0) slot = (slot + 1) & mask;
    row_index_[slot] = row + 1;
  }
}

void ProfileBuilder::PrefetchSample(StackId stack, LabelSetId labels) const noexcept {
  __builtin_prefetch(&row_index_[RowSlot(stack, labels) & (row_index_.size() - 1)]);
}

void ProfileBuilder::AddSample(StackId stack, LabelSetId labels,
                               std::span<const std::int64_t> values,
                               std::optional<std::uint64_t> records) {
  assert(values.size() == profile_.sample_types_.size());
  const std::size_t row = FindOrAddRow(stack, labels);
  CountRecords(row, records);
  std::int64_t* const sums = &profile_.values_[row * profile_.sample_types_.size()];
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t exact = 0;
    if (__builtin_add_overflow(sums[i], values[i], &exact)) {
      losses().Add("value overflow", "samples", 1);
    }
    sums[i] = SaturatingAdd(sums[i], values[i]);
  }
}

void ProfileBuilder::CountRecords(std::size_t row, std::optional<std::uint64_t> records) {
  knows_records_ = knows_records_ && records.has_value();
  if (!knows_records_) {
    profile_.row_records_ = std::vector<std::uint64_t>();
    return;
  }
  if (row == profile_.row_records_.size()) profile_.row_records_.push_back(0);
  profile_.row_records_[row] += *records;
}

std::optional<std::uint64_t> ProfileBuilder::SumOfRecords() const noexcept {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < profile_.sample_count(); ++row) {
    const std::optional<std::uint64_t> records = profile_.records(row);
    if (!records.has_value()) return std::nullopt;
    sum = SaturatingAdd(sum, static_cast<std::int64_t>(*records));
  }
  return static_cast<std::uint64_t>(sum);
}

void ProfileBuilder::SetRecordsOfTotals(std::uint64_t records, std::vector<std::int64_t> totals) {
  profile_.records_ = records;
  totals_of_records_ = std::move(totals);
}

void ProfileBuilder::CheckRecordsOfTotals() {
  if (!totals_of_records_.has_value()) return;
  std::vector<std::int64_t> totals;
  for (std::size_t type = 0; type < profile_.sample_types().size(); ++type) {
    totals.push_back(profile_.Total(type));
  }
  if (totals == *totals_of_records_) return;
  profile_.records_.reset();
  profile_.record_type_.reset();
  profile_.row_records_ = std::vector<std::uint64_t>();
}

void ProfileBuilder::SetPeriod(ValueType type, std::int64_t period) {
  profile_.period_type_ = std::move(type);
  profile_.period_ = period;
}

void ProfileBuilder::CountTotalsThatOverflow() {
  for (std::size_t type = 0; type < profile_.sample_types().size(); ++type) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < profile_.sample_count(); ++i) {
      if (!__builtin_add_overflow(total, profile_.value(i, type), &total)) continue;
      losses().Add("value overflow", "totals", 1);
      break;
    }
  }
}

// A record may stand for several periods, and these be counted.
bool ProfileBuilder::CountsOtherThanRecords() const noexcept {
  if (!profile_.record_type_.has_value() || !profile_.records_.has_value()) return false;
  const std::int64_t counted = profile_.Total(*profile_.record_type_);
  return *profile_.records_ != static_cast<std::uint64_t>(counted);
}

Profile ProfileBuilder::Build(MappingId program) && {
  if (program == MappingId{0}) return std::move(*this).Build();
  std::vector<Mapping>& mappings = profile_.mappings_;
  const auto first = static_cast<std::ptrdiff_t>(Number(program));
  std::rotate(mappings.begin(), mappings.begin() + first, mappings.begin() + first + 1);
  for (Profile::StoredLocation& location : profile_.locations_) {
    if (location.mapping == program) {
      location.mapping = MappingId{0};
    } else if (location.mapping < program) {
      location.mapping = MappingId{static_cast<std::uint32_t>(location.mapping) + 1};
    }
  }
  return std::move(*this).Build();
}

Profile ProfileBuilder::Build() && {
  CheckRecordsOfTotals();
  if (!profile_.records_.has_value()) profile_.records_ = SumOfRecords();
  if (CountsOtherThanRecords()) profile_.record_type_.reset();
  CountTotalsThatOverflow();
  profile_.stacks_.Finish();
  return std::move(profile_);
}

}  // namespace sonde
