// Scaled weights: the weights of samples for a comparison of unlike lengths.

#ifndef SONDE_SCALED_WEIGHTS_H_
#define SONDE_SCALED_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "sonde/profile.h"

namespace sonde {

// By sample, the value of `sample_type`.
std::vector<std::int64_t> WeightsOf(const Profile& profile, std::size_t sample_type);

// Multiplies the weights; what rounding takes from one the next one gets, so that their sum is
// right to half a unit. Any thread.
void Scale(std::vector<std::int64_t>& weights, long double factor);

}  // namespace sonde

#endif  // SONDE_SCALED_WEIGHTS_H_
