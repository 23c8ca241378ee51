// Benchmark JSON: what the readers of result files take out of it, forgiving of what is not there.

#ifndef SONDE_EVIDENCE_BENCHMARK_JSON_H_
#define SONDE_EVIDENCE_BENCHMARK_JSON_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sonde/benchmark.h"

namespace sonde::benchmark_json {

using nlohmann::json;

inline Error Broken(std::string message) {
  return {.code = ErrorCode::kInvalid, .message = std::move(message), .stage = "benchmark"};
}

inline std::string TextOr(const json& object, const char* key, const std::string& fallback) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : fallback;
}

inline const json& Nothing() {
  static const json nothing;
  return nothing;
}

inline const json& MemberOr(const json& object, const char* key, const json& fallback) {
  const auto it = object.find(key);
  return it == object.end() ? fallback : *it;
}
// What is returned has to outlive the call.
const json& MemberOr(const json& object, const char* key, json&& fallback) = delete;

// The numbers of an array; nothing when it is not an array of numbers alone.
inline std::optional<std::vector<double>> NumbersOf(const json& array) {
  if (!array.is_array() || array.empty()) return std::nullopt;
  std::vector<double> numbers;
  for (const json& value : array) {
    if (!value.is_number()) return std::nullopt;
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

inline void AddMetric(Benchmark& benchmark, const std::string& name, std::string unit, bool higher,
                      std::vector<double> values) {
  benchmark.metrics[name] = {std::move(unit), higher, std::move(values)};
}

}  // namespace sonde::benchmark_json

#endif  // SONDE_EVIDENCE_BENCHMARK_JSON_H_
