// Statistics: what repeated measurements and sample counts allow one to say.

#include "evidence/statistics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>
#include <random>

namespace sonde {
namespace {

constexpr double kUpperTail = 0.975;  // Of a two-sided 95 % interval.
constexpr double kFewExpected = 1000;
constexpr double kNegligible = 1e-12;
constexpr std::uint64_t kBootstrapSeed = 0x50e1d5ULL;

// A uniform index below `bound`. Not std::uniform_int_distribution, whose draws
// differ between standard libraries.
std::size_t Draw(std::mt19937_64& engine, std::size_t bound) {
  return static_cast<std::size_t>(((engine() >> 32) * std::uint64_t{bound}) >> 32);
}

double ResampledMean(std::span<const double> values, std::mt19937_64& engine) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[Draw(engine, values.size())];
  return sum / static_cast<double>(values.size());
}

double LogChoose(double n, double k) {
  return boost::math::lgamma(n + 1) - boost::math::lgamma(k + 1) - boost::math::lgamma(n - k + 1);
}

// Of `drawn` samples that fell on two sides by chance, the probability that the first side has
// `part` or one further from what is expected there, in the same direction.
double TailBeyond(double part, double whole, double drawn, double other_whole) {
  const bool is_upper = part * (whole + other_whole) > drawn * whole;
  double term = std::exp(LogChoose(whole, part) + LogChoose(other_whole, drawn - part) -
                         LogChoose(whole + other_whole, drawn));
  double tail = 0;
  // Away from what is expected each term is less than the one before; past the last it is 0.
  for (double x = part; term > tail * kNegligible; x += is_upper ? 1 : -1) {
    tail += term;
    term *= is_upper ? (whole - x) * (drawn - x) / ((x + 1) * (other_whole - drawn + x + 1))
                     : x * (other_whole - drawn + x) / ((whole - x + 1) * (drawn - x + 1));
  }
  return tail;
}

// Of values of which the largest is about 1.
WelchTest WelchOfScaled(std::span<const double> baseline, std::span<const double> candidate) {
  const double nb = static_cast<double>(baseline.size());
  const double nc = static_cast<double>(candidate.size());
  const double vb = std::pow(SampleDeviation(baseline), 2) / nb;
  const double vc = std::pow(SampleDeviation(candidate), 2) / nc;

  WelchTest test;
  test.difference = Mean(candidate) - Mean(baseline);
  const double error = std::sqrt(vb + vc);
  if (error == 0) {
    test.degrees_of_freedom = nb + nc - 2;
    test.p_value = test.difference == 0 ? 1.0 : 0.0;
    test.interval_95 = {test.difference, test.difference};
    return test;
  }
  // In units of `error`, so that tiny variances do not underflow when squared.
  const double share_b = vb / (error * error);
  const double share_c = vc / (error * error);
  test.degrees_of_freedom = 1.0 / (share_b * share_b / (nb - 1) + share_c * share_c / (nc - 1));
  const boost::math::students_t distribution(test.degrees_of_freedom);
  const double margin = boost::math::quantile(distribution, kUpperTail) * error;
  test.interval_95 = {test.difference - margin, test.difference + margin};
  const double t = std::abs(test.difference) / error;
  test.p_value = 2.0 * boost::math::cdf(boost::math::complement(distribution, t));
  return test;
}

}  // namespace

int ScaleOf(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  constexpr int kAny = 4096;  // Nothing but zeros: whatever suits others.
  if (largest == 0) return kAny;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return -exponent;
}

std::vector<double> Scaled(std::span<const double> values, int power_of_two) {
  std::vector<double> scaled(values.begin(), values.end());
  for (double& value : scaled) value = std::ldexp(value, power_of_two);
  return scaled;
}

double Mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (std::isfinite(sum)) return sum / count;
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [&](double mean, double value) { return mean + value / count; });
}

double Median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return std::midpoint(sorted[middle - 1], sorted[middle]);
}

double SampleDeviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const int scale = ScaleOf(values);
  const std::vector<double> scaled = Scaled(values, scale);
  const double mean = Mean(scaled);
  double squares = 0;
  for (const double value : scaled) squares += (value - mean) * (value - mean);
  return std::ldexp(std::sqrt(squares / static_cast<double>(values.size() - 1)), -scale);
}

std::optional<WelchTest> Welch(std::span<const double> baseline,
                               std::span<const double> candidate) {
  if (baseline.size() < 2 || candidate.size() < 2) return std::nullopt;
  const int scale = std::min(ScaleOf(baseline), ScaleOf(candidate));
  const std::vector<double> before = Scaled(baseline, scale);
  const std::vector<double> after = Scaled(candidate, scale);
  WelchTest test = WelchOfScaled(before, after);
  for (double* value : {&test.difference, &test.interval_95.low, &test.interval_95.high}) {
    *value = std::ldexp(*value, -scale);
  }
  return test;
}

ConfidenceInterval BootstrapDifference(std::span<const double> baseline,
                                       std::span<const double> candidate, std::uint32_t resamples) {
  const int scale = std::min(ScaleOf(baseline), ScaleOf(candidate));
  const std::vector<double> before = Scaled(baseline, scale);
  const std::vector<double> after = Scaled(candidate, scale);
  std::mt19937_64 engine(kBootstrapSeed);
  std::vector<double> differences(resamples);
  for (double& difference : differences) {
    const double mean_before = ResampledMean(before, engine);
    difference = ResampledMean(after, engine) - mean_before;
  }
  std::sort(differences.begin(), differences.end());
  const auto last = static_cast<double>(differences.size() - 1);
  const auto at = [&](double quantile) {
    return std::ldexp(differences[static_cast<std::size_t>(std::lround(quantile * last))], -scale);
  };
  return {at(1.0 - kUpperTail), at(kUpperTail)};
}

std::vector<double> HolmAdjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double highest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto remaining = static_cast<double>(order.size() - rank);
    highest = std::max(highest, std::min(1.0, p_values[order[rank]] * remaining));
    adjusted[order[rank]] = highest;
  }
  return adjusted;
}

double TwoProportionPValue(double part_a, double whole_a, double part_b, double whole_b) {
  if (whole_a <= 0 || whole_b <= 0) return 1;
  const double pooled = (part_a + part_b) / (whole_a + whole_b);
  const double variance = pooled * (1 - pooled) * (1 / whole_a + 1 / whole_b);
  if (variance <= 0) return 1;
  if (std::min(whole_a, whole_b) * std::min(pooled, 1 - pooled) < kFewExpected) {
    const double tail = TailBeyond(std::round(part_a), std::round(whole_a),
                                   std::round(part_a) + std::round(part_b), std::round(whole_b));
    return std::min(1.0, 2 * tail);
  }
  const double z = std::abs(part_a / whole_a - part_b / whole_b) / std::sqrt(variance);
  return 2.0 * boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

}  // namespace sonde
