// Filter: the part of a profile that a question is about.

#ifndef SONDE_FILTER_H_
#define SONDE_FILTER_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde {

// A label that a sample must have: `value` is its text, or its number in decimal digits.
struct LabelTest {
  std::string key;
  std::string value;
};

// Judges the name of a function, source file or module.
using NameTest = std::function<bool(std::string_view)>;

struct FilterRules {
  // For every key that is named, one of the tests with that key must hold.
  std::vector<LabelTest> labels{};
  // When not empty, only these sample types are kept, and only samples that have any of them.
  std::vector<std::string> sample_types{};
  // Keeps the samples with a frame that passes. Absent: all.
  NameTest focus{};
  // Drops the samples with a frame that passes. Absent: none.
  NameTest ignore{};

  bool empty() const { return labels.empty() && sample_types.empty() && !focus && !ignore; }
};

// A copy with the samples that pass all rules; what was asked away is no loss.
// Each name is judged once. Fails with kNotFound when the profile has no such
// sample type; the message lists those it has. Any thread.
Result<Profile> Filter(const Profile& profile, const FilterRules& rules);

}  // namespace sonde

#endif  // SONDE_FILTER_H_
