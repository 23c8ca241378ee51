// BenchmarkComparison: whether a candidate is faster, as far as repeated measurements can tell.

#include "sonde/benchmark_comparison.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "evidence/markdown.h"
#include "evidence/measure_unit.h"
#include "evidence/statistics.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

using nlohmann::json;

constexpr std::size_t kFewestValues = 3;
constexpr std::size_t kMostResampled = 20'000;
constexpr double kSignificance = 0.05;
constexpr int kPercentDecimals = 6;
constexpr int kValueDecimals = 9;

// Everything that must agree, under the name it is reported by.
std::map<std::string, json> ConditionsOf(const Benchmark& benchmark) {
  std::map<std::string, json> conditions = benchmark.conditions;
  conditions["name"] = benchmark.name;
  for (const auto& [key, value] : benchmark.environment.items()) {
    conditions["environment." + key] = value;
  }
  return conditions;
}

// The larger unit is brought to the smaller one's: {what to multiply with, common unit}.
std::optional<double> ScaleTo(const std::string& from, const std::string& to) {
  if (from == to) return 1.0;
  const std::optional<MeasureUnit> a = MeasureUnitNamed(from);
  const std::optional<MeasureUnit> b = MeasureUnitNamed(to);
  if (!a || !b || a->kind != b->kind) return std::nullopt;
  return a->scale / b->scale;
}

// One metric under judgement. The p-value is adjusted over all of them before the verdict.
struct Judgement {
  json row;
  bool enough = false;
  bool same_scale = true;
  bool computable = true;  // The change in percent is a number.
  std::optional<double> improvement_percent;
  double baseline_mean = 0;
  std::optional<WelchTest> test;
};

Judgement Judge(const std::string& name, const BenchmarkMetric& before,
                const BenchmarkMetric& after) {
  Judgement judgement;
  const std::optional<double> scale = ScaleTo(after.unit, before.unit);
  judgement.same_scale = scale && before.higher_is_better == after.higher_is_better;
  std::vector<double> candidate = after.values;
  for (double& value : candidate) value *= scale.value_or(1.0);
  if (!std::ranges::all_of(candidate, [](double value) { return std::isfinite(value); })) {
    judgement.same_scale = false;
    candidate = after.values;
  }

  json& row = judgement.row;
  row = {{"metric", name},
         {"unit", before.unit},
         {"baseline_samples", before.values.size()},
         {"candidate_samples", candidate.size()},
         {"baseline_median", Median(before.values)},
         {"candidate_median", Median(candidate)},
         {"baseline_mean", Mean(before.values)},
         {"candidate_mean", Mean(candidate)}};
  if (!judgement.same_scale) return judgement;

  // The change and its interval are both about the mean, so that they cannot contradict.
  const int power = std::min(ScaleOf(before.values), ScaleOf(candidate));
  const double base = Mean(Scaled(before.values, power));
  const double change = Mean(Scaled(candidate, power)) - base;
  judgement.baseline_mean = std::ldexp(base, -power);
  const double raw = change == 0 ? 0 : change * 100.0 / std::abs(base);
  judgement.computable = std::isfinite(raw);
  if (judgement.computable) {
    judgement.improvement_percent = before.higher_is_better ? raw : -raw;
    row["raw_delta_percent"] = Rounded(raw, kPercentDecimals);
    row["improvement_percent"] = Rounded(*judgement.improvement_percent, kPercentDecimals);
  }
  judgement.enough = before.values.size() >= kFewestValues && candidate.size() >= kFewestValues;
  if (!judgement.enough) return judgement;
  judgement.test = Welch(before.values, candidate);
  // Bounds beyond what a number holds are left out.
  const auto put = [&](const char* key, const ConfidenceInterval& i) {
    if (!std::isfinite(i.low) || !std::isfinite(i.high)) return;
    row[key] = json::array({Rounded(i.low, kValueDecimals), Rounded(i.high, kValueDecimals)});
  };
  put("confidence_interval_95", judgement.test->interval_95);
  row["degrees_of_freedom"] = Rounded(judgement.test->degrees_of_freedom, kValueDecimals);
  // With so many values Welch's interval says the same, and drawing would take minutes.
  if (before.values.size() + candidate.size() <= kMostResampled) {
    put("bootstrap_interval_95", BootstrapDifference(before.values, candidate));
  }
  return judgement;
}

// The whole interval of the change, in percent of the baseline's mean, is below the limit.
bool IsWithin(const Judgement& judgement, double limit_percent) {
  const ConfidenceInterval& interval = judgement.test->interval_95;
  const double reach = std::max(std::abs(interval.low), std::abs(interval.high));
  return reach <= std::abs(judgement.baseline_mean) * (limit_percent / 100);
}

std::string StatusOf(const Judgement& judgement, bool comparable, bool significant, bool practical,
                     double limit_percent) {
  if (!judgement.same_scale) return "not_comparable";
  if (!judgement.enough) return "insufficient_data";
  if (!comparable || !judgement.computable) return "not_comparable";
  if (!significant || !practical) {
    return IsWithin(judgement, limit_percent) ? "no_material_change" : "inconclusive";
  }
  return *judgement.improvement_percent > 0 ? "candidate_improvement" : "candidate_regression";
}

void AppendUnique(json& list, const std::string& text) {
  if (std::ranges::find(list, json(text)) == list.end()) list.push_back(text);
}

std::string NamesOf(const std::map<std::string, BenchmarkMetric>& metrics) {
  std::string list;
  for (const auto& [name, metric] : metrics) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

json CompareBenchmarks(const Benchmark& baseline, const Benchmark& candidate,
                       const BenchmarkComparisonOptions& options) {
  json differences = json::object();
  json expected = json::object();
  std::map<std::string, json> before = ConditionsOf(baseline);
  std::map<std::string, json> after = ConditionsOf(candidate);
  std::set<std::string> keys;
  for (const auto& [key, value] : before) keys.insert(key);
  for (const auto& [key, value] : after) keys.insert(key);
  const std::set<std::string> meant(options.expected_variables.begin(),
                                    options.expected_variables.end());
  for (const std::string& key : keys) {
    if (before[key] == after[key]) continue;
    (meant.contains(key) ? expected : differences)[key] = json::array({before[key], after[key]});
  }
  if (baseline.commit != candidate.commit) {
    expected["commit"] = json::array({baseline.commit ? json(*baseline.commit) : json(),
                                      candidate.commit ? json(*candidate.commit) : json()});
  }
  const bool comparable =
      differences.empty() && !EveryRunFailed(baseline) && !EveryRunFailed(candidate);

  std::vector<Judgement> judgements;
  std::vector<double> p_values;
  for (const auto& [name, metric] : baseline.metrics) {
    const auto other = candidate.metrics.find(name);
    if (other == candidate.metrics.end()) continue;
    judgements.push_back(Judge(name, metric, other->second));
    if (judgements.back().test) p_values.push_back(judgements.back().test->p_value);
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);

  json rows = json::array();
  std::size_t tested = 0;
  bool any_insufficient = false;
  std::vector<std::string> uncomputable;
  for (Judgement& judgement : judgements) {
    bool significant = false;
    if (judgement.test) {
      const double p = adjusted[tested++];
      significant = p < kSignificance;
      judgement.row["p_value"] = RoundedChance(judgement.test->p_value);
      judgement.row["p_value_adjusted"] = RoundedChance(p);
      judgement.row["statistically_significant"] = significant;
    }
    const bool practical =
        judgement.improvement_percent &&
        std::abs(*judgement.improvement_percent) >= options.minimum_practical_impact_percent;
    judgement.row["practically_significant"] = practical;
    judgement.row["status"] = StatusOf(judgement, comparable, significant, practical,
                                       options.minimum_practical_impact_percent);
    any_insufficient |= judgement.row["status"] == "insufficient_data";
    if (!judgement.computable) {
      uncomputable.push_back(judgement.row["metric"].get<std::string>() +
                             ": no change in percent of the baseline can be given, which is 0 or "
                             "next to it");
    }
    rows.push_back(std::move(judgement.row));
  }

  json warnings = json::array();
  for (const std::string& warning : baseline.warnings) AppendUnique(warnings, warning);
  for (const std::string& warning : candidate.warnings) AppendUnique(warnings, warning);
  if (!differences.empty()) {
    AppendUnique(warnings, "conditions differ: nothing can be concluded");
  }
  for (const auto& [side, benchmark] :
       {std::pair{"baseline", &baseline}, {"candidate", &candidate}}) {
    if (!EveryRunFailed(*benchmark)) continue;
    AppendUnique(warnings, "every run of the " + std::string(side) +
                               " ended in an error: nothing can be concluded");
  }
  if (candidate.error_count.value_or(0) > baseline.error_count.value_or(0)) {
    AppendUnique(warnings, "the candidate had more errors than the baseline");
  }
  if (NamesOf(baseline.metrics) != NamesOf(candidate.metrics)) {
    AppendUnique(warnings, "metrics differ: " + NamesOf(baseline.metrics) + " against " +
                               NamesOf(candidate.metrics));
  }
  for (const std::string& text : uncomputable) AppendUnique(warnings, text);
  if (any_insufficient) AppendUnique(warnings, "fewer than 3 values on a side cannot be judged");
  AppendUnique(warnings,
               "a comparison alone does not verify an improvement: the same work and "
               "its correctness must be shown as well");

  json value = {{"schema_version", kSchemaVersion},
                {"baseline_benchmark_id", baseline.id},
                {"candidate_benchmark_id", candidate.id},
                {"comparable", comparable},
                {"condition_differences", differences},
                {"expected_variables", expected},
                {"minimum_practical_impact_percent", options.minimum_practical_impact_percent},
                {"metrics", rows},
                {"warnings", warnings}};
  value["comparison_id"] =
      ArtifactId("benchmark-comparison",
                 {baseline.id, candidate.id,
                  FixedText(options.minimum_practical_impact_percent, kPercentDecimals)});
  return value;
}

std::string BenchmarkComparisonMarkdown(const json& comparison) {
  std::string text = "# Benchmark comparison\n\n## Comparability\n\n";
  if (comparison["comparable"].get<bool>()) {
    text += "The conditions agree.\n";
  } else if (comparison["condition_differences"].empty()) {
    text += "Every run of a side ended in an error: nothing below can be concluded from.\n";
  } else {
    text += "The conditions differ: nothing below can be concluded from.\n";
  }
  for (const auto& [title, key] :
       {std::pair{"Differs", "condition_differences"}, {"Meant to differ", "expected_variables"}}) {
    for (const auto& [name, sides] : comparison[key].items()) {
      text += std::string("\n- ") + title + ": " + MarkdownCode(name) + ' ' +
              MarkdownCode(sides[0].dump()) + " against " + MarkdownCode(sides[1].dump());
    }
  }
  text += "\n\n## Metric changes\n\n";
  MarkdownTable table({"Metric", "Unit", ">Baseline mean", ">Candidate mean", ">Improvement",
                       "95 % interval of the difference", ">p (adjusted)", "Status"});
  for (const json& row : comparison["metrics"]) {
    const auto number = [&](const char* key, int decimals) {
      return row.contains(key) ? FixedText(row[key].get<double>(), decimals) : std::string("-");
    };
    std::string interval = "-";
    if (row.contains("confidence_interval_95")) {
      interval = '[' + SignedText(row["confidence_interval_95"][0].get<double>(), 6) + ", " +
                 SignedText(row["confidence_interval_95"][1].get<double>(), 6) + ']';
    }
    std::string chance = number("p_value_adjusted", 4);
    if (chance == "0.0000") chance = "< 0.0001";
    table.AddRow({MarkdownCode(row["metric"].get<std::string>()),
                  MarkdownText(row["unit"].get<std::string>()), number("baseline_mean", 6),
                  number("candidate_mean", 6),
                  row.contains("improvement_percent")
                      ? SignedText(row["improvement_percent"].get<double>(), 3) + " %"
                      : "-",
                  interval, chance, MarkdownText(row["status"].get<std::string>())});
  }
  text += table.text() + "\n## What this does not say\n\n";
  for (const json& warning : comparison["warnings"]) {
    text += "- " + MarkdownText(warning.get<std::string>()) + '\n';
  }
  return text;
}

}  // namespace sonde
