// Benchmark formats: the result files of Google Benchmark.

#include <optional>
#include <set>
#include <string_view>

#include "evidence/benchmark_formats.h"
#include "evidence/benchmark_json.h"
#include "evidence/measure_unit.h"

namespace sonde {
namespace {

using nlohmann::json;
using namespace benchmark_json;

// Whether a metric has a value in each run; one that has some and not all is warned of.
bool IsOfEachRun(Benchmark& benchmark, const std::string& metric, std::size_t values,
                 std::size_t runs) {
  if (values != 0 && values != runs) {
    benchmark.warnings.push_back(metric + " was left out: " + std::to_string(runs - values) +
                                 " of " + std::to_string(runs) + " runs do not have it");
  }
  return values == runs;
}

// 0 when it is no unit of time.
double SecondsOf(std::string_view unit) {
  const std::optional<MeasureUnit> known = MeasureUnitNamed(unit);
  return known && known->kind == MeasureUnit::Kind::kTime ? known->scale : 0;
}

}  // namespace

Result<Benchmark> BenchmarkFromGoogle(const json& root, const BenchmarkOptions& options) {
  const json empty = json::object();
  const json& list = MemberOr(root, "benchmarks", empty);
  const json& context = MemberOr(root, "context", empty);
  if (!list.is_array()) return Broken("\"benchmarks\" is not an array");
  if (options.index != 0) return Broken("Google Benchmark has no results to select by an index");

  const auto name_of = [](const json& entry) {
    return TextOr(entry, "run_name", TextOr(entry, "name", "unknown"));
  };
  std::vector<std::string> names;
  for (const json& entry : list) {
    if (!entry.is_object()) return Broken("a benchmark is not an object");
    names.push_back(name_of(entry));
  }
  const Result<std::string> chosen = ChooseName(names, options.benchmark_name);
  if (!chosen.ok()) return chosen.error();

  // Repetitions are what can be compared. A file of aggregates alone gives one value: the mean.
  std::vector<const json*> entries;
  std::vector<const json*> means;
  std::uint64_t errors = 0;
  for (const json& entry : list) {
    if (name_of(entry) != chosen.value()) continue;
    if (MemberOr(entry, "error_occurred", Nothing()) == true) {
      ++errors;
    } else if (TextOr(entry, "run_type", "iteration") == "iteration") {
      entries.push_back(&entry);
    } else if (TextOr(entry, "aggregate_name", "") == "mean") {
      means.push_back(&entry);
    }
  }

  Benchmark benchmark;
  benchmark.name = options.benchmark_name.empty() ? chosen.value() : options.benchmark_name;
  benchmark.error_count = errors;
  if (entries.empty()) {
    if (means.empty()) return Broken(chosen.value() + " has no run without an error");
    entries = means;
    benchmark.warnings.emplace_back(
        "only aggregates were recorded: one value a metric, which no test can judge");
  }
  benchmark.repetitions = entries.size();

  // Times are brought to one unit; whatever else is a number in every entry is a counter.
  static const std::set<std::string, std::less<>> kNotMetrics = {
      "family_index",     "per_family_instance_index",
      "iterations",       "repetitions",
      "repetition_index", "threads",
      "real_time",        "cpu_time"};
  const std::string unit = TextOr(*entries.front(), "time_unit", "ns");
  if (SecondsOf(unit) == 0) return Broken("unknown time unit \"" + unit + '"');
  for (const char* time : {"real_time", "cpu_time"}) {
    std::vector<double> values;
    for (const json* entry : entries) {
      const json& value = MemberOr(*entry, time, Nothing());
      const double seconds = SecondsOf(TextOr(*entry, "time_unit", "ns"));
      if (value.is_number() && seconds > 0) {
        values.push_back(value.get<double>() * (seconds / SecondsOf(unit)));
      }
    }
    if (IsOfEachRun(benchmark, time, values.size(), entries.size())) {
      AddMetric(benchmark, time, unit, false, values);
    }
  }
  std::set<std::string> counters;
  for (const json* entry : entries) {
    for (const auto& [key, value] : entry->items()) {
      if (value.is_number() && !kNotMetrics.contains(key)) counters.insert(key);
    }
  }
  for (const std::string& key : counters) {
    std::vector<double> values;
    for (const json* entry : entries) {
      const json& value = MemberOr(*entry, key.c_str(), Nothing());
      if (value.is_number()) values.push_back(value.get<double>());
    }
    if (!IsOfEachRun(benchmark, key, values.size(), entries.size())) continue;
    const bool rate = key.ends_with("_per_second");
    const std::string counted = rate ? key.substr(0, key.size() - 11) + "/second" : "";
    AddMetric(benchmark, key, counted, rate, std::move(values));
  }
  if (benchmark.metrics.empty()) return Broken(chosen.value() + " has no measured values");

  if (const json& cpus = MemberOr(context, "num_cpus", Nothing()); cpus.is_number_unsigned()) {
    benchmark.environment["cpu_count"] = cpus;
  }
  if (const json& scaling = MemberOr(context, "cpu_scaling_enabled", Nothing());
      scaling.is_boolean() && scaling.get<bool>()) {
    benchmark.warnings.emplace_back("CPU frequency scaling was on");
  }
  if (const json& load = MemberOr(context, "load_avg", Nothing());
      load.is_array() && !load.empty()) {
    benchmark.environment["background_load"] = load;
  }
  if (TextOr(context, "library_build_type", "") == "debug") {
    benchmark.warnings.emplace_back("the benchmark library itself is a debug build");
  }
  if (errors > 0) {
    benchmark.warnings.push_back(std::to_string(errors) + " runs ended in an error");
  }
  return benchmark;
}

}  // namespace sonde
