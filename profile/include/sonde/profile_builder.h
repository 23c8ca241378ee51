// ProfileBuilder: the one way to make a Profile.

#ifndef SONDE_PROFILE_BUILDER_H_
#define SONDE_PROFILE_BUILDER_H_

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sonde/hash_index.h"
#include "sonde/profile.h"

namespace sonde {

// Everything handed in is interned: equal functions, mappings, locations, label
// sets and stacks get equal ids, and ids count up from 0 in order of first
// appearance (so equal input gives an equal profile). Not thread-safe.
class ProfileBuilder {
 public:
  // At least one sample type. The last one is the default until SetDefaultSampleType.
  explicit ProfileBuilder(std::vector<ValueType> sample_types);
  explicit ProfileBuilder(std::initializer_list<ValueType> sample_types)
      : ProfileBuilder(std::vector<ValueType>(sample_types)) {}

  // Memory for about that many samples at once; more may be added all the same.
  void ReserveSamples(std::size_t count);

  StringId Intern(std::string_view text) { return profile_.strings_.Intern(text); }
  std::string_view text(StringId id) const noexcept { return profile_.text(id); }

  FunctionId AddFunction(const Function& function);
  // What is known of its functions (has_*) does not tell mappings apart: one knows what any knew.
  MappingId AddMapping(const Mapping& mapping);
  // `location.lines` is copied.
  LocationId AddLocation(const Location& location);
  // A frame of which nothing is known but its name: no address, no mapping.
  LocationId FrameNamed(std::string_view name);

  StackId Extend(StackId caller, LocationId callee) {
    return profile_.stacks_.Extend(caller, callee);
  }
  // The top frame of a stack that is not empty.
  LocationId leaf(StackId stack) const noexcept { return profile_.stacks_.leaf(stack); }
  StackId AddStack(std::span<const LocationId> root_to_leaf);

  // Labels are kept in the order given; the same labels in another order are another set.
  LabelSetId AddLabels(std::span<const Label> labels);
  // Valid until the next AddLabels.
  std::span<const Label> labels(LabelSetId id) const noexcept { return profile_.labels(id); }
  Label TextLabel(std::string_view key, std::string_view text);
  Label NumberLabel(std::string_view key, std::int64_t number, std::string_view unit = {});

  // Adds to the sample with the same stack and labels, or makes it. One value a
  // sample type. A sum that would overflow stays at the limit and is counted
  // among the losses ("value overflow"). `records` is how many records of the input that was,
  // nothing when only a sample type that counts them tells, or the input does not.
  void AddSample(StackId stack, LabelSetId labels, std::span<const std::int64_t> values,
                 std::optional<std::uint64_t> records = 1);
  void AddSample(StackId stack, LabelSetId labels, std::initializer_list<std::int64_t> values,
                 std::optional<std::uint64_t> records = 1) {
    AddSample(stack, labels, std::span(values.begin(), values.size()), records);
  }

  // Fetches what AddSample of the same will look at, for callers that know it some samples ahead.
  void PrefetchSample(StackId stack, LabelSetId labels) const noexcept;

  void SetDefaultSampleType(std::size_t index) { profile_.default_sample_type_ = index; }
  void SetPeriod(ValueType type, std::int64_t period);
  void SetTime(std::int64_t unix_ns) { profile_.time_ns_ = unix_ns; }
  void SetDuration(std::int64_t ns) { profile_.duration_ns_ = ns; }
  void AddComment(std::string comment) { profile_.comments_.push_back(std::move(comment)); }
  void SetDropFrames(std::string pattern) { profile_.drop_frames_ = std::move(pattern); }
  void SetKeepFrames(std::string pattern) { profile_.keep_frames_ = std::move(pattern); }
  void SetDocUrl(std::string url) { profile_.doc_url_ = std::move(url); }
  // For producers that know more than their samples tell, such as records that no sample kept.
  void SetRecords(std::optional<std::uint64_t> records) { profile_.records_ = records; }
  // For a file that others may have changed: holds only if the totals of the sample types are still
  // these when the profile is built; else the records are not known.
  void SetRecordsOfTotals(std::uint64_t records, std::vector<std::int64_t> totals);
  // As Profile::counts_events(); false when there is one sample type.
  void SetCountsEvents(bool counts_events) {
    profile_.counts_events_ = counts_events && profile_.sample_types().size() > 1;
  }
  Losses& losses() noexcept { return profile_.losses_; }
  Mapping& mapping(MappingId id) noexcept {
    return profile_.mappings_[static_cast<std::uint32_t>(id)];
  }

  std::size_t sample_count() const noexcept { return profile_.rows_.size(); }
  std::size_t location_count() const noexcept { return profile_.locations_.size(); }
  std::size_t function_count() const noexcept { return profile_.functions_.size(); }
  std::size_t stack_count() const noexcept { return profile_.stacks_.size(); }

  // Where no records were set they are the sum over the samples.
  Profile Build() &&;
  // The same with the mapping `program` in front of the others, since readers take the first one
  // for the program. The ids of mappings that were given out are then of no use.
  Profile Build(MappingId program) &&;

 private:
  void CountTotalsThatOverflow();
  void CountRecords(std::size_t row, std::optional<std::uint64_t> records);
  std::optional<std::uint64_t> SumOfRecords() const noexcept;
  void CheckRecordsOfTotals();
  bool CountsOtherThanRecords() const noexcept;
  std::size_t FindOrAddRow(StackId stack, LabelSetId labels);
  void IndexRows(std::size_t slots);

  Profile profile_;
  bool knows_records_ = true;             // Of every sample so far.
  std::optional<std::vector<std::int64_t>> totals_of_records_;  // That they hold for.
  std::vector<std::uint32_t> row_index_;  // Open addressing: row + 1, or 0 when free.
  HashIndex functions_, mappings_, locations_, label_sets_;
  std::vector<std::uint32_t> named_frames_;  // By StringId: LocationId + 1, or 0.
};

}  // namespace sonde

#endif  // SONDE_PROFILE_BUILDER_H_
