// SameProfile: whether two profiles say the same, whatever their ids are.

#ifndef SONDE_TESTS_SUPPORT_SAME_PROFILE_H_
#define SONDE_TESTS_SUPPORT_SAME_PROFILE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sonde/profile.h"

namespace sonde {

// A location in full, as text.
inline std::string DescribeLocation(const Profile& profile, LocationId id) {
  const Location location = profile.location(id);
  std::string text = std::to_string(location.address);
  if (location.is_folded) text += " folded";
  if (location.mapping != kNoMapping) {
    const Mapping& mapping = profile.mapping(location.mapping);
    text += " in " + std::string(profile.text(mapping.file)) + '@' + std::to_string(mapping.start);
  }
  for (const Line& line : location.lines) {
    const Function& function = profile.function(line.function);
    text += " {" + std::string(profile.text(function.name)) + '|' +
            std::string(profile.text(function.system_name)) + '|' +
            std::string(profile.text(function.file)) + ':' + std::to_string(line.line) + ':' +
            std::to_string(line.column) + " from " + std::to_string(function.start_line) + '}';
  }
  return text;
}

// A sample in full, as text: equal samples of equal profiles are equal lines.
inline std::string DescribeSample(const Profile& profile, std::size_t index) {
  const Sample sample = profile.sample(index);
  std::string text;
  for (const LocationId id : profile.stacks().Frames(sample.stack)) {
    text += DescribeLocation(profile, id) + " > ";
  }
  for (const Label& label : profile.labels(sample.labels)) {
    text += '[' + std::string(profile.text(label.key)) + '=' +
            std::string(profile.text(label.text)) + '|' + std::to_string(label.number) +
            std::string(profile.text(label.unit)) + ']';
  }
  for (const std::int64_t value : sample.values) text += ' ' + std::to_string(value);
  return text;
}

inline std::vector<std::string> DescribeSamples(const Profile& profile) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    lines.push_back(DescribeSample(profile, i));
  }
  return lines;
}

inline std::vector<std::string> DescribeMappings(const Profile& profile) {
  std::vector<std::string> lines;
  for (const Mapping& m : profile.mappings()) {
    lines.push_back(std::string(profile.text(m.file)) + ' ' + std::to_string(m.start) + '-' +
                    std::to_string(m.limit) + '+' + std::to_string(m.offset) + ' ' +
                    std::string(profile.text(m.build_id)) + ' ' + std::to_string(m.has_functions) +
                    std::to_string(m.has_filenames) + std::to_string(m.has_line_numbers) +
                    std::to_string(m.has_inline_frames));
  }
  return lines;
}

// In whatever order the samples stand.
enum class SampleOrder { kSame, kAny };

inline testing::AssertionResult SameProfile(const Profile& a, const Profile& b,
                                            SampleOrder order = SampleOrder::kSame) {
  const auto differ = [](const std::string& what) {
    return testing::AssertionFailure() << "the profiles differ in " << what;
  };
  if (!std::ranges::equal(a.sample_types(), b.sample_types())) return differ("sample types");
  if (a.default_sample_type() != b.default_sample_type()) return differ("default sample type");
  if (a.period_type() != b.period_type()) return differ("period type");
  if (a.period() != b.period()) return differ("period");
  if (a.time_ns() != b.time_ns()) return differ("time");
  if (a.duration_ns() != b.duration_ns()) return differ("duration");
  if (!std::ranges::equal(a.comments(), b.comments())) return differ("comments");
  if (a.drop_frames() != b.drop_frames()) return differ("drop frames");
  if (a.keep_frames() != b.keep_frames()) return differ("keep frames");
  if (a.doc_url() != b.doc_url()) return differ("doc url");
  if (a.records() != b.records()) return differ("records");
  if (!(a.losses() == b.losses())) return differ("losses");
  if (DescribeMappings(a) != DescribeMappings(b)) return differ("mappings");

  std::vector<std::string> left = DescribeSamples(a);
  std::vector<std::string> right = DescribeSamples(b);
  if (order == SampleOrder::kAny) {
    std::ranges::sort(left);
    std::ranges::sort(right);
  }
  if (left.size() != right.size()) return differ("the number of samples");
  const auto [l, r] = std::ranges::mismatch(left, right);
  if (l == left.end()) return testing::AssertionSuccess();
  return differ("a sample") << ":\n  " << *l << "\n  " << *r;
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_SAME_PROFILE_H_
