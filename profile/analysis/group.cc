// Grouping: stacks under a root frame that a label names, or that frame alone.

#include "sonde/group.h"

#include <optional>
#include <string>
#include <vector>

#include "profile/profile_copier.h"

namespace sonde {
namespace {

std::string NameOf(const Profile& profile, LabelSetId id, std::string_view key) {
  for (const Label& label : profile.labels(id)) {
    if (profile.text(label.key) != key) continue;
    if (label.text != StringId{}) return std::string(profile.text(label.text));
    return std::to_string(label.number);
  }
  return "(no " + std::string(key) + ')';
}

Profile Grouped(const Profile& profile, std::string_view key, bool keeps_frames) {
  ProfileBuilder builder({profile.sample_types().begin(), profile.sample_types().end()});
  builder.SetDefaultSampleType(profile.default_sample_type());
  ProfileCopier copier(profile, builder);
  copier.CopyMappings();
  copier.CopyFacts();
  std::vector<std::optional<LocationId>> roots(profile.label_set_count());
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    const Sample sample = profile.sample(i);
    std::optional<LocationId>& root = roots[static_cast<std::uint32_t>(sample.labels)];
    if (!root.has_value()) root = builder.FrameNamed(NameOf(profile, sample.labels, key));
    StackId stack = builder.Extend(kEmptyStack, *root);
    if (keeps_frames) {
      for (const LocationId frame : profile.stacks().Frames(sample.stack)) {
        stack = builder.Extend(stack, copier.Copy(frame));
      }
    }
    builder.AddSample(stack, copier.Copy(sample.labels), sample.values, profile.records(i));
  }
  builder.SetRecords(profile.records());
  return std::move(builder).Build();
}

}  // namespace

Profile GroupByLabel(const Profile& profile, std::string_view key) {
  return Grouped(profile, key, true);
}

Profile SumByLabel(const Profile& profile, std::string_view key) {
  return Grouped(profile, key, false);
}

}  // namespace sonde
