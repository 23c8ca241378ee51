// BenchmarkComparison: whether a candidate is faster, as far as repeated measurements can tell.

#ifndef SONDE_BENCHMARK_COMPARISON_H_
#define SONDE_BENCHMARK_COMPARISON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sonde/benchmark.h"

namespace sonde {

struct BenchmarkComparisonOptions {
  // Changes smaller than this, in percent of the baseline, do not matter in practice.
  double minimum_practical_impact_percent = 1.0;
  // Conditions that are meant to differ ("environment.compiler_flags", "name"): reported, no bar.
  std::vector<std::string> expected_variables{};
};

// The artifact: conditions that differ, and for each metric both have the change of the
// mean in percent, Welch's 95 % interval of it, a bootstrap interval beside it, the
// p-value adjusted over all metrics (Holm), and one status: insufficient_data (under 3
// values on a side), not_comparable (also where the baseline is 0 and the candidate is not, and
// where every run of a side failed), candidate_improvement and candidate_regression (beyond chance
// and the limit), no_material_change (the whole interval is within the limit), and otherwise
// inconclusive: the values cannot tell. Never more than a candidate: the comparison does not know
// whether both sides did the same work.
nlohmann::json CompareBenchmarks(const Benchmark& baseline, const Benchmark& candidate,
                                 const BenchmarkComparisonOptions& options);

// The same for people, as GitHub-flavoured Markdown.
std::string BenchmarkComparisonMarkdown(const nlohmann::json& comparison);

}  // namespace sonde

#endif  // SONDE_BENCHMARK_COMPARISON_H_
