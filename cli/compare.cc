// sonde compare-profiles, compare-benchmarks and normalize-benchmark.

#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/evidence_output.h"
#include "cli/finite.h"
#include "sonde/artifact.h"
#include "sonde/benchmark_comparison.h"
#include "sonde/profile_comparison.h"

namespace sonde::cli {
namespace {

constexpr std::uint64_t kLargestAnalysis = std::uint64_t{128} << 20;
constexpr std::uint64_t kLargestBenchmark = std::uint64_t{64} << 20;

struct CompareOptions {
  std::string baseline;
  std::string candidate;
  double minimum_delta_percent = 1.0;
  BenchmarkOptions benchmark;
  BenchmarkComparisonOptions comparison;
  std::uint64_t max_input_bytes = 0;
  EvidenceOutput output;
};

void AddMaxInput(CLI::App& command, std::uint64_t& bytes, std::uint64_t largest) {
  bytes = largest;
  command.add_option("--max-input-bytes", bytes, "Largest input")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}))
      ->capture_default_str();
}

void AddSides(CLI::App& command, CompareOptions& options) {
  command.add_option("--baseline", options.baseline, "What it was")->required();
  command.add_option("--candidate", options.candidate, "What it is now")->required();
  options.output.AddMarkdownTo(command);
}

void AddBenchmarkOptions(CLI::App& command, BenchmarkOptions& options) {
  command.add_option("--format", options.format, "Format of the result files")
      ->check(
          CLI::IsMember({"auto", "sonde", "pyperf", "google_benchmark", "hyperfine", "perf_stat"}))
      ->capture_default_str();
  command.add_option("--benchmark-name", options.benchmark_name,
                     "Which benchmark of a file that holds several, or the name for its only one");
  command
      .add_option("--benchmark-index", options.index,
                  "Which of several results of one name, from 1 (hyperfine, pyperf)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT32_MAX}));
}

Result<Benchmark> ReadBenchmark(const std::string& path, const BenchmarkOptions& options,
                                std::uint64_t max_bytes) {
  const Result<std::string> bytes = ReadRegularFile(path, max_bytes);
  if (!bytes.ok()) return bytes.error();
  Result<Benchmark> benchmark = NormalizeBenchmark(bytes.value(), options);
  if (!benchmark.ok()) return InFile(benchmark.error(), path);
  return benchmark;
}

Result<int> CompareProfiles(const CompareOptions& options) {
  if (Status status = options.output.Check({options.baseline, options.candidate}); !status.ok()) {
    return status.error();
  }
  const Result<Analysis> before = ReadAnalysis(options.baseline, options.max_input_bytes);
  if (!before.ok()) return before.error();
  const Result<Analysis> after = ReadAnalysis(options.candidate, options.max_input_bytes);
  if (!after.ok()) return after.error();
  const nlohmann::json comparison =
      CompareAnalyses(before.value(), after.value(), options.minimum_delta_percent);
  if (Status status = options.output.Write(comparison, ProfileComparisonMarkdown(comparison));
      !status.ok()) {
    return status.error();
  }
  return 0;
}

Result<int> CompareBenchmarkFiles(const CompareOptions& options) {
  if (Status status = options.output.Check({options.baseline, options.candidate}); !status.ok()) {
    return status.error();
  }
  const Result<Benchmark> before =
      ReadBenchmark(options.baseline, options.benchmark, options.max_input_bytes);
  if (!before.ok()) return before.error();
  const Result<Benchmark> after =
      ReadBenchmark(options.candidate, options.benchmark, options.max_input_bytes);
  if (!after.ok()) return after.error();
  const nlohmann::json comparison =
      CompareBenchmarks(before.value(), after.value(), options.comparison);
  if (Status status = options.output.Write(comparison, BenchmarkComparisonMarkdown(comparison));
      !status.ok()) {
    return status.error();
  }
  return 0;
}

Result<int> Normalize(const CompareOptions& options) {
  if (Status status = options.output.Check({options.baseline}); !status.ok()) {
    return status.error();
  }
  const Result<Benchmark> benchmark =
      ReadBenchmark(options.baseline, options.benchmark, options.max_input_bytes);
  if (!benchmark.ok()) return benchmark.error();
  if (Status status = options.output.Write(ToJson(benchmark.value())); !status.ok()) {
    return status.error();
  }
  return 0;
}

}  // namespace

void AddCompare(Program& program) {
  const auto nonnegative = NumberFrom(0.0, 1e9);

  auto profiles = std::make_shared<CompareOptions>();
  CLI::App* command = program.Command(
      "compare-profiles", "Write how two analyses differ, and what of it chance explains",
      [profiles] { return CompareProfiles(*profiles); });
  AddSides(*command, *profiles);
  command
      ->add_option("--minimum-delta-percent", profiles->minimum_delta_percent,
                   "Smallest change to list, in percentage points")
      ->check(nonnegative)
      ->capture_default_str();
  AddMaxInput(*command, profiles->max_input_bytes, kLargestAnalysis);
  profiles->output.AddTo(*command, kLargestAnalysis);

  auto benchmarks = std::make_shared<CompareOptions>();
  command = program.Command("compare-benchmarks",
                            "Write whether a candidate is faster, as far as the values can tell",
                            [benchmarks] { return CompareBenchmarkFiles(*benchmarks); });
  AddSides(*command, *benchmarks);
  AddBenchmarkOptions(*command, benchmarks->benchmark);
  command
      ->add_option("--minimum-practical-impact-percent",
                   benchmarks->comparison.minimum_practical_impact_percent,
                   "Smallest change that matters in practice")
      ->check(nonnegative)
      ->capture_default_str();
  command->add_option("--expect-difference", benchmarks->comparison.expected_variables,
                      "Condition that is meant to differ, like name or "
                      "environment.compiler_flags (repeatable)");
  AddMaxInput(*command, benchmarks->max_input_bytes, kLargestBenchmark);
  benchmarks->output.AddTo(*command, kLargestBenchmark);

  auto normalize = std::make_shared<CompareOptions>();
  command = program.Command("normalize-benchmark",
                            "Write the results of a benchmark tool as a JSON artifact",
                            [normalize] { return Normalize(*normalize); });
  command->add_option("-i,--input", normalize->baseline, "Result file")->required();
  AddBenchmarkOptions(*command, normalize->benchmark);
  AddMaxInput(*command, normalize->max_input_bytes, kLargestBenchmark);
  normalize->output.AddTo(*command, kLargestBenchmark);
}

}  // namespace sonde::cli
