// Scaled weights: the weights of samples for a comparison of unlike lengths.

#include "sonde/scaled_weights.h"

#include <cmath>

namespace sonde {

std::vector<std::int64_t> WeightsOf(const Profile& profile, std::size_t sample_type) {
  std::vector<std::int64_t> weights(profile.sample_count());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = profile.value(i, sample_type);
  return weights;
}

void Scale(std::vector<std::int64_t>& weights, long double factor) {
  long double so_far = 0;
  std::int64_t given = 0;
  for (std::int64_t& weight : weights) {
    so_far += static_cast<long double>(weight) * factor;
    weight = std::llround(so_far) - given;
    given += weight;
  }
}

}  // namespace sonde
