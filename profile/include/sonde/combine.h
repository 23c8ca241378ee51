// Merge and Subtract: several profiles become one.

#ifndef SONDE_COMBINE_H_
#define SONDE_COMBINE_H_

#include <span>

#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde {

enum class TypeMismatch : std::uint8_t {
  kRefuse,  // Fail unless all inputs have the same sample types (in any order).
  // Keep the sample types that all inputs have, called as in the first. "inuse_space" and
  // "inuse_objects" are the "space" and "objects" of heap profiles that have no others.
  kCommon,
};

// The sum of all inputs: values of equal samples are added; mappings with equal
// file, build id and range are one. Time is the earliest, duration the sum
// (not known where one does not know its own), comments the union. Fails with kInvalid when the
// sample types do not allow it; the message names both lists. At least one input.
Result<Profile> Merge(std::span<const Profile* const> inputs,
                      TypeMismatch mismatch = TypeMismatch::kRefuse);

// `profile` minus `base`, sample by sample; values may be negative. Stacks that
// only `base` has stay, with negative values. Fails like Merge.
Result<Profile> Subtract(const Profile& profile, const Profile& base,
                         TypeMismatch mismatch = TypeMismatch::kRefuse);

}  // namespace sonde

#endif  // SONDE_COMBINE_H_
