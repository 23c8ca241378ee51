// Benchmark formats: the result files of hyperfine and pyperf, and which result in a file is meant.

#include "evidence/benchmark_formats.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "evidence/benchmark_json.h"

namespace sonde {
namespace {

using nlohmann::json;
using namespace benchmark_json;

constexpr std::size_t kNamesListed = 50;

// Which of the figures that hyperfine derives from its times is not theirs; empty when all are.
std::string ContradictionIn(const json& result, std::vector<double> times) {
  constexpr double kTolerance = 1e-3;  // More than any rounding.
  std::ranges::sort(times);
  double sum = 0;
  for (const double time : times) sum += time;
  const std::size_t middle = times.size() / 2;
  const double median =
      times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  for (const auto& [key, derived] : {std::pair{"mean", sum / static_cast<double>(times.size())},
                                     {"median", median},
                                     {"min", times.front()},
                                     {"max", times.back()}}) {
    const json& told = MemberOr(result, key, Nothing());
    if (!told.is_number()) continue;
    const double difference = std::abs(told.get<double>() - derived);
    if (!(difference <= kTolerance * std::abs(derived))) {
      return '"' + std::string(key) + '"';
    }
  }
  return {};
}

}  // namespace

Result<std::string> ChooseName(std::vector<std::string> names, const std::string& wanted) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) return Broken("the file holds no benchmark");
  const bool known = std::ranges::binary_search(names, wanted);
  if (known) return wanted;
  // The name of a single benchmark may be overridden: ./old against ./new is one workload.
  if (names.size() == 1) return names.front();
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesListed); ++i) {
    list += (i == 0 ? "" : ", ") + names[i];
  }
  return Broken((wanted.empty() ? "select one of the benchmarks by name: "
                                : "no benchmark is called \"" + wanted + "\"; there are: ") +
                list);
}

Result<std::size_t> ChooseResult(const std::vector<std::string>& names,
                                 const BenchmarkOptions& options) {
  const Result<std::string> chosen = ChooseName(names, options.benchmark_name);
  if (!chosen.ok()) return chosen.error();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == chosen.value()) places.push_back(i);
  }
  if (options.index == 0 && places.size() == 1) return places.front();
  if (options.index >= 1 && options.index <= places.size()) return places[options.index - 1];
  return Broken("results called \"" + chosen.value() + "\" that are there: " +
                std::to_string(places.size()) + "; select one by its index, from 1");
}

Result<Benchmark> BenchmarkFromHyperfine(const json& root, const BenchmarkOptions& options) {
  const json none = json::array();
  const json& results = MemberOr(root, "results", none);
  if (!results.is_array()) return Broken("\"results\" is not an array");
  std::vector<std::string> names;
  for (const json& result : results) {
    if (!result.is_object()) return Broken("a result is not an object");
    names.push_back(TextOr(result, "command", "unknown"));
  }
  const Result<std::size_t> chosen = ChooseResult(names, options);
  if (!chosen.ok()) return chosen.error();
  const json& result = results[chosen.value()];
  const std::string& name = names[chosen.value()];

  Benchmark benchmark;
  benchmark.name = options.benchmark_name.empty() ? name : options.benchmark_name;
  const std::optional<std::vector<double>> times = NumbersOf(MemberOr(result, "times", Nothing()));
  if (!times) return Broken("\"times\" of " + name + " is not a list of numbers");
  if (const std::string wrong = ContradictionIn(result, *times); !wrong.empty()) {
    return Broken(wrong + " of " + name + " is not that of its times");
  }
  benchmark.repetitions = times->size();
  AddMetric(benchmark, "wall_time", "seconds", false, *times);
  if (const json& given = MemberOr(result, "memory_usage_byte", Nothing()); !given.is_null()) {
    auto memory = NumbersOf(given);
    if (memory && memory->size() == times->size()) {
      AddMetric(benchmark, "peak_memory", "bytes", false, *std::move(memory));
    } else {
      benchmark.warnings.emplace_back(
          "memory_usage_byte was left out: it is not a number for each run");
    }
  }
  // hyperfine gives user and system time as means over the runs only.
  for (const char* kind : {"user", "system"}) {
    const json& value = MemberOr(result, kind, Nothing());
    if (value.is_number()) {
      AddMetric(benchmark, std::string(kind) + "_time_mean", "seconds", false,
                {value.get<double>()});
    } else if (!value.is_null()) {
      benchmark.warnings.push_back(std::string(kind) + " was left out: it is not a number");
    }
  }
  if (const json& codes = MemberOr(result, "exit_codes", Nothing()); codes.is_array()) {
    // A run that a signal ended has no exit code: null, and a failure all the same.
    benchmark.error_count = static_cast<std::uint64_t>(std::ranges::count_if(
        codes, [](const json& code) { return !code.is_number_integer() || code != 0; }));
    if (EveryRunFailed(benchmark)) {
      benchmark.warnings.emplace_back("every run ended in an error: what was measured is failing");
    } else if (benchmark.error_count != 0U) {
      benchmark.warnings.push_back(std::to_string(*benchmark.error_count) +
                                   " runs ended in an error");
    }
    if (codes.size() != times->size()) {
      benchmark.warnings.emplace_back("there are not as many exit codes as times");
    }
  }
  if (const json& parameters = MemberOr(result, "parameters", Nothing());
      parameters.is_object() && !parameters.empty()) {
    benchmark.warnings.push_back("measured with parameters " + parameters.dump());
  }
  benchmark.warnings.emplace_back("hyperfine does not record the machine it ran on");
  return benchmark;
}

Result<Benchmark> BenchmarkFromPyperf(const json& root, const BenchmarkOptions& options) {
  const json empty = json::object();
  const json& list = MemberOr(root, "benchmarks", empty);
  if (!list.is_array()) return Broken("\"benchmarks\" is not an array");
  const json& common = MemberOr(root, "metadata", empty);

  // With one benchmark in the file, its name and unit move to the common metadata.
  std::vector<std::string> names;
  for (const json& entry : list) {
    if (!entry.is_object()) return Broken("a benchmark is not an object");
    const json& own = MemberOr(entry, "metadata", empty);
    names.push_back(TextOr(own, "name", TextOr(entry, "name", TextOr(common, "name", "unknown"))));
  }
  const Result<std::size_t> chosen = ChooseResult(names, options);
  if (!chosen.ok()) return chosen.error();
  const json& entry = list[chosen.value()];
  const std::string& name = names[chosen.value()];
  const json& own = MemberOr(entry, "metadata", empty);

  Benchmark benchmark;
  benchmark.name = options.benchmark_name.empty() ? name : options.benchmark_name;
  const std::string unit = TextOr(own, "unit", TextOr(common, "unit", "second"));
  const json& runs = MemberOr(entry, "runs", Nothing());
  if (!runs.is_array()) return Broken("\"runs\" of " + name + " is not an array");
  std::vector<double> values;
  std::uint64_t calibrations = 0;
  for (const json& run : runs) {
    const json& measured = MemberOr(run, "values", Nothing());
    // A run that only found out how many loops to make has warm-ups and no values.
    if (measured.is_null()) {
      ++calibrations;
      continue;
    }
    const std::optional<std::vector<double>> numbers = NumbersOf(measured);
    if (!numbers) return Broken("a run of " + name + " holds values that are no numbers");
    values.insert(values.end(), numbers->begin(), numbers->end());
  }
  for (const json* metadata : {&own, &common}) {
    for (const auto& [key, target] : {std::pair{"cpu_model_name", "cpu_model"},
                                      {"cpu_count", "cpu_count"},
                                      {"cpu_affinity", "cpu_affinity"},
                                      {"platform", "kernel"},
                                      {"python_compiler", "compiler"}}) {
      if (metadata->contains(key) && !benchmark.environment.contains(target)) {
        benchmark.environment[target] = (*metadata)[key];
      }
    }
  }
  if (values.empty()) return Broken(name + " has no measured values");
  benchmark.repetitions = values.size();
  const std::string full = unit == "second" ? "seconds" : unit == "byte" ? "bytes" : unit;
  AddMetric(benchmark, "value", full, false, std::move(values));
  if (calibrations > 0) {
    benchmark.warnings.push_back(std::to_string(calibrations) +
                                 " calibration runs without values were left out");
  }
  return benchmark;
}

}  // namespace sonde
