// ProfileCopier: carries the contents of one profile into the builder of another.

#include "profile/profile_copier.h"

namespace sonde {
namespace {

template <typename Id>
std::uint32_t Index(Id id) {
  return static_cast<std::uint32_t>(id);
}

}  // namespace

ProfileCopier::ProfileCopier(const Profile& from, ProfileBuilder& to)
    : from_(from),
      to_(to),
      strings_(from.strings().size(), 0),
      functions_(from.functions().size(), 0),
      mappings_(from.mappings().size(), 0),
      locations_(from.location_count(), 0),
      stacks_(from.stacks().size(), 0),
      labels_(from.label_set_count(), 0) {}

StringId ProfileCopier::Copy(StringId id) {
  std::uint32_t& copy = strings_[Index(id)];
  if (copy == 0) copy = Index(to_.Intern(from_.text(id))) + 1;
  return StringId{copy - 1};
}

FunctionId ProfileCopier::Copy(FunctionId id) {
  std::uint32_t& copy = functions_[Index(id)];
  if (copy == 0) {
    Function function = from_.function(id);
    function.name = Copy(function.name);
    function.system_name = Copy(function.system_name);
    function.file = Copy(function.file);
    copy = Index(to_.AddFunction(function)) + 1;
  }
  return FunctionId{copy - 1};
}

MappingId ProfileCopier::Copy(MappingId id) {
  if (id == kNoMapping) return id;
  std::uint32_t& copy = mappings_[Index(id)];
  if (copy == 0) {
    Mapping mapping = from_.mapping(id);
    mapping.file = Copy(mapping.file);
    mapping.build_id = Copy(mapping.build_id);
    copy = Index(to_.AddMapping(mapping)) + 1;
  }
  return MappingId{copy - 1};
}

LocationId ProfileCopier::Copy(LocationId id) {
  std::uint32_t& copy = locations_[Index(id)];
  if (copy == 0) {
    Location location = from_.location(id);
    std::vector<Line> lines(location.lines.begin(), location.lines.end());
    for (Line& line : lines) line.function = Copy(line.function);
    location.lines = lines;
    location.mapping = Copy(location.mapping);
    copy = Index(to_.AddLocation(location)) + 1;
  }
  return LocationId{copy - 1};
}

StackId ProfileCopier::Copy(StackId id) {
  if (id == kEmptyStack) return id;
  if (stacks_[Index(id)] != 0) return StackId{stacks_[Index(id)] - 1};
  // Up to the nearest stack that is copied already, then down again.
  std::vector<StackId> missing;
  StackId stack = id;
  for (; stack != kEmptyStack && stacks_[Index(stack)] == 0; stack = from_.stacks().caller(stack)) {
    missing.push_back(stack);
  }
  StackId copy = stack == kEmptyStack ? kEmptyStack : StackId{stacks_[Index(stack)] - 1};
  for (std::size_t i = missing.size(); i-- > 0;) {
    copy = to_.Extend(copy, Copy(from_.stacks().leaf(missing[i])));
    stacks_[Index(missing[i])] = Index(copy) + 1;
  }
  return copy;
}

LabelSetId ProfileCopier::Copy(LabelSetId id) {
  std::uint32_t& copy = labels_[Index(id)];
  if (copy == 0) {
    const std::span<const Label> known = from_.labels(id);
    std::vector<Label> labels(known.begin(), known.end());
    for (Label& label : labels) {
      label.key = Copy(label.key);
      label.text = Copy(label.text);
      label.unit = Copy(label.unit);
    }
    copy = Index(to_.AddLabels(labels)) + 1;
  }
  return LabelSetId{copy - 1};
}

void ProfileCopier::CopyMappings() {
  for (std::uint32_t i = 0; i < from_.mappings().size(); ++i) Copy(MappingId{i});
}

void ProfileCopier::CopySamples() {
  to_.ReserveSamples(from_.sample_count());
  for (std::size_t i = 0; i < from_.sample_count(); ++i) {
    const Sample sample = from_.sample(i);
    to_.AddSample(Copy(sample.stack), Copy(sample.labels), sample.values, from_.records(i));
  }
  to_.SetRecords(from_.records());
}

void ProfileCopier::CopyFacts() {
  to_.SetCountsEvents(from_.counts_events());
  to_.SetPeriod(from_.period_type(), from_.period());
  to_.SetTime(from_.time_ns());
  to_.SetDuration(from_.duration_ns());
  for (const std::string& comment : from_.comments()) to_.AddComment(comment);
  to_.SetDropFrames(from_.drop_frames());
  to_.SetKeepFrames(from_.keep_frames());
  to_.SetDocUrl(from_.doc_url());
  to_.losses().Add(from_.losses());
}

}  // namespace sonde
