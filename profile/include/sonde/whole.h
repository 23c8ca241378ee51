// Whole: what 100 % of a profile is.

#ifndef SONDE_WHOLE_H_
#define SONDE_WHOLE_H_

#include <cstddef>
#include <cstdint>

#include "sonde/profile.h"

namespace sonde {

// No share of it exceeds 100 %, also in a difference.
struct Whole {
  std::int64_t value = 0;     // In the unit of the sample type; saturates.
  bool has_negative = false;  // Some sample has a negative value: the profile is a difference.
  bool is_base = false;       // `value` is what was subtracted, which pprof marks.
};

// The sum over all samples, negative ones by their magnitude; but only over those of the base where
// a difference tells them apart. Any thread.
Whole WholeOf(const Profile& profile, std::size_t sample_type);

}  // namespace sonde

#endif  // SONDE_WHOLE_H_
