// Scaled weights: the sum is right, whatever the weights round to.

#include "sonde/scaled_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace sonde {
namespace {

TEST(ScaledWeights, KeepTheirSumToHalfAUnit) {
  for (const long double factor : {0.0L, 1.0L / 3, 0.9L, 1.0L, 1.5L, 7.0L / 3}) {
    std::vector<std::int64_t> weights(1000, 1);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += static_cast<std::int64_t>(i % 7);
    const auto before = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    const std::vector<std::int64_t> unscaled = weights;
    Scale(weights, factor);
    const auto after = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    EXPECT_LE(std::abs(static_cast<long double>(after) - factor * before), 0.5L);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_LE(std::abs(static_cast<long double>(weights[i]) - factor * unscaled[i]), 1.0L) << i;
    }
  }
}

}  // namespace
}  // namespace sonde
