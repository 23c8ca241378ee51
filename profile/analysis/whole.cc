// Whole: what 100 % of a profile is.

#include "sonde/whole.h"

#include <algorithm>
#include <limits>

namespace sonde {
namespace {

bool IsOfBase(const Profile& profile, const Sample& sample) {
  return std::ranges::any_of(profile.labels(sample.labels), [&](const Label& label) {
    return profile.text(label.key) == "pprof::base" && profile.text(label.text) == "true";
  });
}

std::int64_t Magnitude(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return value < 0 ? -value : value;
}

}  // namespace

Whole WholeOf(const Profile& profile, std::size_t sample_type) {
  Whole all;
  std::int64_t base = 0;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    const Sample sample = profile.sample(i);
    const std::int64_t value = sample.values[sample_type];
    all.has_negative = all.has_negative || value < 0;
    all.value = SaturatingAdd(all.value, Magnitude(value));
    if (value < 0 && IsOfBase(profile, sample)) base = SaturatingAdd(base, Magnitude(value));
  }
  if (base > 0) return {base, true, true};
  return all;
}

}  // namespace sonde
