// BenchmarkTools: normalise benchmark results and compare them.

#include "cli/mcp/tool.h"
#include "sonde/artifact.h"
#include "sonde/benchmark_comparison.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestResult = std::uint64_t{64} << 20;

Result<json> AnalyzeBenchmark(Workspace& workspace, Arguments& arguments) {
  BenchmarkOptions options;
  const std::string path = arguments.Text("path");
  options.format = arguments.Text("source_format", "auto");
  options.benchmark_name = arguments.Text("benchmark_name", "");
  options.index = arguments.Count("benchmark_index", 0, 1, INT32_MAX);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (Status status = workspace.NeedWrites(); !status.ok()) return status.error();
  const Result<std::string> input = workspace.Input(path);
  if (!input.ok()) return input.error();
  const Result<std::string> bytes = ReadRegularFile(input.value(), kLargestResult);
  if (!bytes.ok()) return bytes.error();
  const Result<Benchmark> benchmark = NormalizeBenchmark(bytes.value(), options);
  if (!benchmark.ok()) return InFile(benchmark.error(), path);
  return workspace.Store(benchmark.value().id, "benchmark", ToJson(benchmark.value()),
                         {{"name", benchmark.value().name},
                          {"repetitions", benchmark.value().repetitions},
                          {"metric_count", benchmark.value().metrics.size()},
                          {"source_format", benchmark.value().source_format}});
}

Result<Benchmark> Stored(Workspace& workspace, const std::string& id) {
  const Result<std::string> text = workspace.LoadText(id, "benchmark");
  if (!text.ok()) return text.error();
  return NormalizeBenchmark(text.value(), {.format = "sonde"});
}

Result<json> CompareStoredBenchmarks(Workspace& workspace, Arguments& arguments) {
  BenchmarkComparisonOptions options;
  const std::string before_id = arguments.Text("baseline_benchmark_id");
  const std::string after_id = arguments.Text("candidate_benchmark_id");
  options.minimum_practical_impact_percent =
      arguments.Number("minimum_practical_impact_percent", 1.0);
  options.expected_variables = arguments.Texts("expected_differences");
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  const Result<Benchmark> before = Stored(workspace, before_id);
  if (!before.ok()) return before.error();
  const Result<Benchmark> after = Stored(workspace, after_id);
  if (!after.ok()) return after.error();
  const json comparison = CompareBenchmarks(before.value(), after.value(), options);
  std::size_t insufficient = 0;
  for (const json& metric : comparison["metrics"]) {
    insufficient += metric["status"] == "insufficient_data" ? 1 : 0;
  }
  return workspace.Store(comparison["comparison_id"], "benchmark-comparison", comparison,
                         {{"comparable", comparison["comparable"]},
                          {"metric_count", comparison["metrics"].size()},
                          {"insufficient_metric_count", insufficient}});
}

}  // namespace

std::vector<Tool> BenchmarkTools() {
  std::vector<Tool> tools;
  tools.push_back({.name = "analyze_benchmark",
                   .description = "Normalise the results of hyperfine, pyperf, Google Benchmark or "
                                  "perf stat into an artifact.",
                   .permission = Permission::kWritesArtifacts,
                   .properties = {{"path", TextSchema("Result file inside an allowed root")},
                                  {"source_format", TextSchema("auto, or the tool's name")},
                                  {"benchmark_name", TextSchema("Which one, where there are many")},
                                  {"benchmark_index",
                                   {{"type", "integer"},
                                    {"minimum", 1},
                                    {"maximum", INT32_MAX},
                                    {"description", "Which of several of one name, from 1"}}}},
                   .required = {"path"},
                   .output_schema = ReferenceSchema(),
                   .run = AnalyzeBenchmark});
  tools.push_back(
      {.name = "compare_benchmarks",
       .description = "Whether a candidate is faster, as far as the values can tell. Never more "
                      "than a candidate improvement or regression.",
       .permission = Permission::kWritesArtifacts,
       .properties = {{"baseline_benchmark_id", TextSchema("Id of a benchmark artifact")},
                      {"candidate_benchmark_id", TextSchema("Id of a benchmark artifact")},
                      {"minimum_practical_impact_percent",
                       {{"type", "number"}, {"minimum", 0}, {"default", 1.0}}},
                      {"expected_differences",
                       {{"type", "array"}, {"items", {{"type", "string"}}}}}},
       .required = {"baseline_benchmark_id", "candidate_benchmark_id"},
       .output_schema = ReferenceSchema(),
       .run = CompareStoredBenchmarks});
  return tools;
}

}  // namespace sonde::cli::mcp
