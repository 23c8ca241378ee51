// Filter: the part of a profile that a question is about.

#include "sonde/filter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile_copier.h"

namespace sonde {
namespace {

bool Passes(const Profile& profile, const Label& label, const LabelTest& test) {
  if (profile.text(label.key) != test.key) return false;
  if (label.text != StringId{}) return profile.text(label.text) == test.value;
  return std::to_string(label.number) == test.value;
}

bool Passes(const Profile& profile, LabelSetId id, const std::vector<LabelTest>& tests) {
  const std::span<const Label> labels = profile.labels(id);
  const auto holds = [&](const LabelTest& test) {
    return std::ranges::any_of(labels,
                               [&](const Label& label) { return Passes(profile, label, test); });
  };
  return std::ranges::all_of(tests, [&](const LabelTest& wanted) {
    return std::ranges::any_of(
        tests, [&](const LabelTest& test) { return test.key == wanted.key && holds(test); });
  });
}

// By StackId: whether any frame of the stack has a name that passes.
std::vector<bool> StacksWith(const Profile& profile, const NameTest& test) {
  std::vector<signed char> text_passes(profile.strings().size(), -1);
  const auto passes = [&](StringId id) {
    signed char& known = text_passes[static_cast<std::uint32_t>(id)];
    if (known < 0) known = id != StringId{} && test(profile.text(id)) ? 1 : 0;
    return known == 1;
  };
  std::vector<bool> location_passes(profile.location_count(), false);
  for (std::uint32_t i = 0; i < profile.location_count(); ++i) {
    const Location location = profile.location(LocationId{i});
    location_passes[i] =
        (location.mapping != kNoMapping && passes(profile.mapping(location.mapping).file)) ||
        std::ranges::any_of(location.lines, [&](const Line& line) {
          const Function& function = profile.function(line.function);
          return passes(function.name) || passes(function.file);
        });
  }
  std::vector<bool> stacks(profile.stacks().size(), false);
  for (std::uint32_t i = 1; i < stacks.size(); ++i) {
    const StackId stack{i};
    stacks[i] = stacks[static_cast<std::uint32_t>(profile.stacks().caller(stack))] ||
                location_passes[static_cast<std::uint32_t>(profile.stacks().leaf(stack))];
  }
  return stacks;
}

Result<std::vector<std::size_t>> ColumnsOf(const Profile& profile,
                                           const std::vector<std::string>& wanted) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < profile.sample_types().size(); ++i) {
    if (wanted.empty() ||
        std::ranges::find(wanted, profile.sample_types()[i].type) != wanted.end()) {
      columns.push_back(i);
    }
  }
  for (const std::string& type : wanted) {
    if (profile.FindSampleType(type).has_value()) continue;
    std::string known;
    for (const ValueType& have : profile.sample_types()) {
      known += (known.empty() ? "" : ", ") + have.type;
    }
    return Error{.code = ErrorCode::kNotFound,
                 .message = "no sample type '" + type + "' (there are: " + known + ')'};
  }
  return columns;
}

// The records of a sample that have values in `columns`. Which of them had what is not known where
// others have some as well, unless each has one of every type.
std::optional<std::uint64_t> RecordsIn(const Profile& profile, std::size_t sample,
                                       const std::vector<std::size_t>& columns) {
  if (!profile.record_type().has_value()) {
    for (std::size_t type = 0; type < profile.sample_types().size(); ++type) {
      if (profile.value(sample, type) == 0) continue;
      if (std::ranges::find(columns, type) == columns.end()) return std::nullopt;
    }
  }
  return profile.records(sample);
}

}  // namespace

Result<Profile> Filter(const Profile& profile, const FilterRules& rules) {
  const Result<std::vector<std::size_t>> chosen = ColumnsOf(profile, rules.sample_types);
  if (!chosen.ok()) return chosen.error();
  const std::vector<std::size_t>& columns = chosen.value();
  std::vector<ValueType> types;
  for (const std::size_t column : columns) types.push_back(profile.sample_types()[column]);

  ProfileBuilder builder(std::move(types));
  const auto shown = std::ranges::find(columns, profile.default_sample_type());
  if (shown != columns.end()) {
    builder.SetDefaultSampleType(static_cast<std::size_t>(shown - columns.begin()));
  }
  ProfileCopier copier(profile, builder);
  copier.CopyMappings();
  copier.CopyFacts();

  std::vector<bool> focused;
  std::vector<bool> ignored;
  if (rules.focus) focused = StacksWith(profile, rules.focus);
  if (rules.ignore) ignored = StacksWith(profile, rules.ignore);
  std::vector<signed char> labels_pass(profile.label_set_count(), -1);
  std::vector<std::int64_t> values(columns.size());
  std::size_t passed = 0;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    const Sample sample = profile.sample(i);
    const auto stack = static_cast<std::uint32_t>(sample.stack);
    if (rules.focus && !focused[stack]) continue;
    if (rules.ignore && ignored[stack]) continue;
    if (!rules.labels.empty()) {
      signed char& known = labels_pass[static_cast<std::uint32_t>(sample.labels)];
      if (known < 0) known = Passes(profile, sample.labels, rules.labels) ? 1 : 0;
      if (known == 0) continue;
    }
    for (std::size_t c = 0; c < columns.size(); ++c) values[c] = sample.values[columns[c]];
    const bool has_any = std::ranges::any_of(values, [](std::int64_t value) { return value != 0; });
    if (!rules.sample_types.empty() && !has_any) continue;
    builder.AddSample(copier.Copy(sample.stack), copier.Copy(sample.labels), values,
                      RecordsIn(profile, i, columns));
    ++passed;
  }
  if (passed == profile.sample_count() && columns.size() == profile.sample_types().size()) {
    builder.SetRecords(profile.records());
  }
  return std::move(builder).Build();
}

}  // namespace sonde
