// Benchmark: repeated measurements of one workload, with the conditions they were taken under.

#ifndef SONDE_BENCHMARK_H_
#define SONDE_BENCHMARK_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde {

struct BenchmarkMetric {
  std::string unit;
  bool higher_is_better = false;
  std::vector<double> values;  // One a repetition; at least one, all finite.
};

// The artifact that `normalize-benchmark` writes and `compare-benchmarks` reads.
struct Benchmark {
  std::string id;
  std::string name;
  std::string source_format;  // "sonde", "hyperfine", "pyperf", "google_benchmark", "perf_stat".
  std::uint64_t repetitions = 1;
  std::map<std::string, BenchmarkMetric> metrics;
  std::optional<std::uint64_t> error_count;
  // Conditions that must agree for two benchmarks to be comparable, by key:
  // build_type, concurrency, duration_seconds, operations, payload_bytes, warmup_seconds.
  std::map<std::string, nlohmann::json> conditions;
  // What is expected to differ: the commit.
  std::optional<std::string> commit;
  // background_load, compiler, compiler_flags, containerized, cpu_affinity, cpu_count,
  // cpu_governor, cpu_model, git_dirty, kernel, numa_policy, turbo.
  nlohmann::json environment = nlohmann::json::object();
  std::vector<std::string> warnings;
};

// "auto", "sonde", "pyperf", "google_benchmark", "hyperfine", "perf_stat".
struct BenchmarkOptions {
  std::string format = "auto";
  std::string
      benchmark_name{};  // Which one, when a file holds several; also given to a nameless one.
  // Which of several results of one name, counted from 1; 0 = there is but one. hyperfine and
  // pyperf only: Google Benchmark repeats a name for each repetition.
  std::uint64_t index = 0;
};

// Normalises the bytes of a result file. kUnsupported when the format is not
// recognised; kInvalid when it is broken, when a name must be chosen (the
// message lists up to 50) or an index, when a value is not a finite number, and when values are
// too large to have a deviation. Values that cannot be kept are named in the warnings.
Result<Benchmark> NormalizeBenchmark(std::string_view bytes, const BenchmarkOptions& options);

// What was measured is how long it takes to fail. Of Google Benchmark only runs without an error
// are kept, so that there is none or some did not fail.
bool EveryRunFailed(const Benchmark& benchmark);

nlohmann::json ToJson(const Benchmark& benchmark);

}  // namespace sonde

#endif  // SONDE_BENCHMARK_H_
