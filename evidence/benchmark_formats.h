// Benchmark formats: the result files of hyperfine, pyperf and Google Benchmark.

#ifndef SONDE_EVIDENCE_BENCHMARK_FORMATS_H_
#define SONDE_EVIDENCE_BENCHMARK_FORMATS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sonde/benchmark.h"

namespace sonde {

// Each fills everything but id and source_format. `root` is an object.
//
// hyperfine: https://github.com/sharkdp/hyperfine (--export-json)
Result<Benchmark> BenchmarkFromHyperfine(const nlohmann::json& root,
                                         const BenchmarkOptions& options);
// pyperf: https://pyperf.readthedocs.io/en/latest/api.html (format version 1.0)
Result<Benchmark> BenchmarkFromPyperf(const nlohmann::json& root, const BenchmarkOptions& options);
// Google Benchmark: https://github.com/google/benchmark (--benchmark_format=json)
Result<Benchmark> BenchmarkFromGoogle(const nlohmann::json& root, const BenchmarkOptions& options);

// Which of the distinct `names` is meant: the one asked for, or the only one.
Result<std::string> ChooseName(std::vector<std::string> names, const std::string& wanted);

// The position in `names` of the result that `options` mean, by its name and, where several have
// it, its index.
Result<std::size_t> ChooseResult(const std::vector<std::string>& names,
                                 const BenchmarkOptions& options);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_BENCHMARK_FORMATS_H_
