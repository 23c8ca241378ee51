// Benchmark: repeated measurements of one workload, with the conditions they were taken under.

#include "sonde/benchmark.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "evidence/benchmark_formats.h"
#include "evidence/measure_unit.h"
#include "evidence/object_reader.h"
#include "evidence/perf_stat.h"
#include "evidence/statistics.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> kConditions = {"build_type",       "concurrency",
                                                         "duration_seconds", "operations",
                                                         "payload_bytes",    "warmup_seconds"};

Error Broken(std::string message) {
  return {.code = ErrorCode::kInvalid, .message = std::move(message), .stage = "benchmark"};
}

std::string FormatOf(const json& root) {
  if (root.contains("benchmark_id") && root.value("schema_version", json()) == kSchemaVersion) {
    return "sonde";
  }
  if (root.contains("results")) return "hyperfine";
  if (root.contains("benchmarks") && root.contains("context")) return "google_benchmark";
  if (root.contains("benchmarks") && root.contains("version")) return "pyperf";
  return "";
}

// What is written beside the values, against what they give. Other writers may have rounded it.
bool Agrees(double said, double computed, double size) {
  constexpr double kTolerance = 1e-6;
  return std::abs(said - computed) <= kTolerance * size;
}

Result<BenchmarkMetric> MetricFrom(const std::string& name, const json& value) {
  const std::string where = "metrics." + name;
  BenchmarkMetric metric;
  ObjectReader reader(value, where);
  reader.Text("unit", metric.unit);
  reader.Flag("higher_is_better", metric.higher_is_better);
  if (const json* values = reader.Find("values"); values != nullptr) {
    if (!values->is_array() || values->empty()) return Broken(where + " has no values");
    for (const json& number : *values) {
      if (!number.is_number()) return Broken(where + " holds a value that is no number");
      metric.values.push_back(number.get<double>());
    }
  }
  double median = 0;
  double mean = 0;
  double deviation = 0;
  reader.Number("median", median);
  reader.Number("mean", mean);
  // Of a single value it is not known, for which 0 stood before.
  const bool may_be_unknown = metric.values.size() == 1;
  const json* const told = reader.Find("standard_deviation");
  if (told != nullptr && !(may_be_unknown && told->is_null())) {
    reader.Number("standard_deviation", deviation);
  }
  if (Status status = reader.Finish(); !status.ok()) return status.error();
  double size = 0;
  for (const double number : metric.values) size = std::max(size, std::abs(number));
  if (!Agrees(median, Median(metric.values), size) || !Agrees(mean, Mean(metric.values), size) ||
      !Agrees(deviation, SampleDeviation(metric.values), size)) {
    return Broken(where + " has a median, mean or standard_deviation that is not of its values");
  }
  return metric;
}

// Every figure that is derived from the values has to be a number, and no time and no size is below
// nothing.
Status CheckValues(const Benchmark& benchmark) {
  for (const auto& [name, metric] : benchmark.metrics) {
    if (MeasureUnitNamed(metric.unit) && std::ranges::min(metric.values) < 0) {
      return Broken("\"" + name + "\" has a value below 0");
    }
    const bool is_finite =
        std::ranges::all_of(metric.values, [](double value) { return std::isfinite(value); });
    if (!is_finite || !std::isfinite(SampleDeviation(metric.values))) {
      return Broken("the values of \"" + name + "\" are too large to have a deviation");
    }
  }
  return {};
}

// Reads back what ToJson wrote. Members that it would not write are refused.
Result<Benchmark> FromArtifact(const json& root) {
  Benchmark benchmark;
  for (const auto& [key, value] : root.items()) {
    if (key == "schema_version") continue;
    if (key == "benchmark_id" && value.is_string()) {
      benchmark.id = value;
    } else if (key == "name" && value.is_string()) {
      benchmark.name = value;
    } else if (key == "commit" && value.is_string()) {
      benchmark.commit = value;
    } else if (key == "source_format" && value.is_string()) {
      benchmark.source_format = value;
    } else if (key == "repetitions" && value.is_number_unsigned() && value > 0) {
      benchmark.repetitions = value;
    } else if (key == "error_count" && value.is_number_unsigned()) {
      benchmark.error_count = value.get<std::uint64_t>();
    } else if (key == "environment" && value.is_object()) {
      benchmark.environment = value;
    } else if (key == "warnings" && value.is_array()) {
      for (const json& warning : value) {
        if (!warning.is_string()) return Broken("warnings must be strings");
        benchmark.warnings.push_back(warning);
      }
    } else if (key == "metrics" && value.is_object()) {
      for (const auto& [name, metric] : value.items()) {
        Result<BenchmarkMetric> read = MetricFrom(name, metric);
        if (!read.ok()) return read.error();
        benchmark.metrics.emplace(name, std::move(read).value());
      }
    } else if (std::ranges::find(kConditions, key) != kConditions.end() && value.is_primitive()) {
      benchmark.conditions.emplace(key, value);
    } else {
      return Broken("unknown or mistyped member \"" + key + '"');
    }
  }
  if (benchmark.id.empty() || benchmark.metrics.empty()) {
    return Broken("benchmark_id and metrics are required");
  }
  for (const auto& [name, metric] : benchmark.metrics) {
    if (metric.values.size() > benchmark.repetitions) {
      return Broken("metrics." + name + " has more values than there are repetitions");
    }
  }
  if (Status status = CheckValues(benchmark); !status.ok()) return status.error();
  return benchmark;
}

}  // namespace

Result<Benchmark> NormalizeBenchmark(std::string_view bytes, const BenchmarkOptions& options) {
  std::string format = options.format;
  if (format == "auto" && LooksLikePerfStat(bytes)) format = "perf_stat";

  Result<Benchmark> benchmark = Broken("not reached");
  if (format == "perf_stat") {
    benchmark = BenchmarkFromPerfStat(bytes, options);
  } else {
    Result<json> root = ParseArtifact(bytes, "benchmark");
    if (!root.ok()) return root.error();
    if (!root.value().is_object()) return Broken("the document is not an object");
    if (format == "auto") format = FormatOf(root.value());
    if (format == "sonde") {
      benchmark = FromArtifact(root.value());
      if (benchmark.ok() && !options.benchmark_name.empty()) {
        benchmark.value().name = options.benchmark_name;
      }
      return benchmark;
    }
    if (format == "hyperfine") {
      benchmark = BenchmarkFromHyperfine(root.value(), options);
    } else if (format == "pyperf") {
      benchmark = BenchmarkFromPyperf(root.value(), options);
    } else if (format == "google_benchmark") {
      benchmark = BenchmarkFromGoogle(root.value(), options);
    } else {
      return Error{.code = ErrorCode::kUnsupported,
                   .message =
                       "not a benchmark format that is known "
                       "(sonde, pyperf, google_benchmark, hyperfine, perf_stat)",
                   .stage = "benchmark"};
    }
  }
  if (!benchmark.ok()) return benchmark;
  if (Status status = CheckValues(benchmark.value()); !status.ok()) return status.error();
  benchmark.value().source_format = format;
  std::string name = benchmark.value().name;
  if (options.index > 0) name += '#' + std::to_string(options.index);
  benchmark.value().id = ArtifactId("benchmark", {Sha256(bytes), name});
  return benchmark;
}

bool EveryRunFailed(const Benchmark& benchmark) {
  return benchmark.source_format != "google_benchmark" &&
         benchmark.error_count == benchmark.repetitions;
}

json ToJson(const Benchmark& benchmark) {
  json metrics = json::object();
  for (const auto& [name, metric] : benchmark.metrics) {
    const bool has_spread = metric.values.size() > 1;
    metrics[name] = {
        {"unit", metric.unit},
        {"higher_is_better", metric.higher_is_better},
        {"values", metric.values},
        {"median", Median(metric.values)},
        {"mean", Mean(metric.values)},
        {"standard_deviation", has_spread ? json(SampleDeviation(metric.values)) : json()}};
  }
  json value = {{"schema_version", kSchemaVersion},
                {"benchmark_id", benchmark.id},
                {"name", benchmark.name},
                {"source_format", benchmark.source_format},
                {"repetitions", benchmark.repetitions},
                {"metrics", metrics},
                {"environment", benchmark.environment},
                {"warnings", benchmark.warnings}};
  for (const auto& [key, condition] : benchmark.conditions) value[key] = condition;
  if (benchmark.commit) value["commit"] = *benchmark.commit;
  if (benchmark.error_count) value["error_count"] = *benchmark.error_count;
  return value;
}

}  // namespace sonde
