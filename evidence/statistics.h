// Statistics: what repeated measurements and sample counts allow one to say.

#ifndef SONDE_EVIDENCE_STATISTICS_H_
#define SONDE_EVIDENCE_STATISTICS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sonde {

double Mean(std::span<const double> values);
// The power of two that brings the largest of the values to about 1, which loses nothing: squares
// of what was multiplied by it neither overflow nor vanish. Values and mean of any finite size.
int ScaleOf(std::span<const double> values);
std::vector<double> Scaled(std::span<const double> values, int power_of_two);

// The mean of the middle two for an even number of values.
double Median(std::span<const double> values);
// With n - 1 in the denominator; 0 for a single value. Infinite where it is beyond double.
double SampleDeviation(std::span<const double> values);

struct ConfidenceInterval {
  double low = 0;
  double high = 0;
};

// The difference of two means (candidate - baseline) when variances may differ.
// Source: B. L. Welch, Biometrika 34 (1947); degrees of freedom after Satterthwaite.
struct WelchTest {
  double difference = 0;
  double degrees_of_freedom = 0;
  double p_value = 1;  // Two-sided.
  ConfidenceInterval interval_95;
};

// At least two values on each side; otherwise nothing. With no spread on either
// side the interval is the difference itself. Bounds beyond double are infinite; the p-value and
// the degrees of freedom are right for values of any finite size.
std::optional<WelchTest> Welch(std::span<const double> baseline, std::span<const double> candidate);

// The 95 % percentile interval of the difference of means over `resamples`
// draws with replacement. The draws are the same at every call.
ConfidenceInterval BootstrapDifference(std::span<const double> baseline,
                                       std::span<const double> candidate,
                                       std::uint32_t resamples = 2000);

// Holm's step-down adjustment: p-values of a family, in the order given.
std::vector<double> HolmAdjusted(std::span<const double> p_values);

// Two-sided p-value of the test that two shares are equal. `part` of `whole` on each side are
// counts of independent samples, rounded to whole ones. Exact (Fisher: twice the lesser tail) where
// fewer than 1000 are expected in a cell, for the normal distribution is far off in the tails of
// small counts and unequal sides; else the pooled z-test. 1 when a side is empty.
double TwoProportionPValue(double part_a, double whole_a, double part_b, double whole_b);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_STATISTICS_H_
