// PairedRatio: how much more one of two ways costs, from pairs of runs.

#ifndef SONDE_TESTS_BENCH_PAIRED_RATIO_H_
#define SONDE_TESTS_BENCH_PAIRED_RATIO_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace sonde {

// The median of the ratios of pairs, with the interval that 95 % of 2,000 resamplings of the pairs
// give it (percentile bootstrap).
class PairedRatio {
 public:
  explicit PairedRatio(std::vector<double> ratios) : median_(Median(ratios)) {
    constexpr int kResamplings = 2000;
    std::vector<double> medians;
    std::uint64_t random = 88172645463325252;
    for (int i = 0; i < kResamplings; ++i) {
      std::vector<double> drawn;
      for (std::size_t k = 0; k < ratios.size(); ++k) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        drawn.push_back(ratios[random % ratios.size()]);
      }
      medians.push_back(Median(std::move(drawn)));
    }
    std::sort(medians.begin(), medians.end());
    low_ = medians[kResamplings / 40];
    high_ = medians[kResamplings - 1 - kResamplings / 40];
  }

  double median() const { return median_; }
  double low() const { return low_; }
  double high() const { return high_; }
  // "+0.127% [+0.062 .. +0.186]": what the second way costs more.
  std::string Describe() const {
    char text[80];
    std::snprintf(text, sizeof text, "%+.3f%% [%+.3f .. %+.3f]", 100 * (median_ - 1),
                  100 * (low_ - 1), 100 * (high_ - 1));
    return text;
  }

 private:
  static double Median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  double median_;
  double low_ = 0;
  double high_ = 0;
};

}  // namespace sonde

#endif  // SONDE_TESTS_BENCH_PAIRED_RATIO_H_
