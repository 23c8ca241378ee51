// ProfileComparison: how the distribution of two analyses differs, and what of it is noise.

#include "sonde/profile_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "evidence/markdown.h"
#include "evidence/statistics.h"
#include "evidence/symbol_name.h"
#include "evidence/weight_unit.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

using nlohmann::json;

constexpr int kPercentDecimals = 6;
constexpr double kSignificance = 0.05;
constexpr std::uint64_t kFewSamples = 100;

struct Side {
  const AnalysisHotspot* hotspot = nullptr;
  std::size_t rank = 0;
};

// The records that a share of the weight stands for. Weights of one event are near equal,
// so the share of records is the share of weight.
double RecordsOf(double percent, const AnalysisSection& section) {
  return percent / 100.0 * static_cast<double>(section.sample_count);
}

std::string StatusOf(bool before, bool after, const AnalysisSection& baseline,
                     const AnalysisSection& candidate, bool paths) {
  if (before && after) return "changed";
  const AnalysisSection& missing_from = before ? candidate : baseline;
  const std::uint64_t omitted =
      paths ? missing_from.call_paths_omitted : missing_from.hotspots_omitted;
  if (omitted > 0) return "below_cut_off";
  return before ? "removed" : "added";
}

struct Delta {
  json row;
  double size = 0;
  double p_value = 1;
};

Delta HotspotDelta(const AnalysisFrame& frame, const Side& before, const Side& after,
                   const AnalysisSection& baseline, const AnalysisSection& candidate) {
  static const AnalysisHotspot kNothing;
  const AnalysisHotspot& b = before.hotspot == nullptr ? kNothing : *before.hotspot;
  const AnalysisHotspot& c = after.hotspot == nullptr ? kNothing : *after.hotspot;
  const double self = Rounded(c.self_percent - b.self_percent, kPercentDecimals);
  const double inclusive = Rounded(c.inclusive_percent - b.inclusive_percent, kPercentDecimals);

  Delta delta;
  delta.size = std::max(std::abs(self), std::abs(inclusive));
  const bool by_self = std::abs(self) >= std::abs(inclusive);
  delta.p_value =
      TwoProportionPValue(RecordsOf(by_self ? b.self_percent : b.inclusive_percent, baseline),
                          static_cast<double>(baseline.sample_count),
                          RecordsOf(by_self ? c.self_percent : c.inclusive_percent, candidate),
                          static_cast<double>(candidate.sample_count));
  delta.row = {{"symbol", frame.symbol},
               {"dso", frame.dso},
               {"status", StatusOf(before.hotspot != nullptr, after.hotspot != nullptr, baseline,
                                   candidate, false)},
               {"baseline_self_weight", b.self_weight},
               {"candidate_self_weight", c.self_weight},
               {"baseline_self_percent", b.self_percent},
               {"candidate_self_percent", c.self_percent},
               {"self_delta_percent", self},
               {"baseline_inclusive_weight", b.inclusive_weight},
               {"candidate_inclusive_weight", c.inclusive_weight},
               {"baseline_inclusive_percent", b.inclusive_percent},
               {"candidate_inclusive_percent", c.inclusive_percent},
               {"inclusive_delta_percent", inclusive}};
  if (before.hotspot != nullptr) delta.row["baseline_rank"] = before.rank;
  if (after.hotspot != nullptr) delta.row["candidate_rank"] = after.rank;
  if (before.hotspot != nullptr && after.hotspot != nullptr) {
    delta.row["rank_delta"] =
        static_cast<std::int64_t>(before.rank) - static_cast<std::int64_t>(after.rank);
  }
  return delta;
}

// Keeps what changed enough, judges it, and puts the largest change first.
json Judged(std::vector<Delta> deltas, double threshold) {
  std::erase_if(deltas, [&](const Delta& delta) { return delta.size < threshold; });
  std::stable_sort(deltas.begin(), deltas.end(),
                   [](const Delta& a, const Delta& b) { return a.size > b.size; });
  std::vector<double> p_values;
  for (const Delta& delta : deltas) p_values.push_back(delta.p_value);
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  json rows = json::array();
  for (std::size_t i = 0; i < deltas.size(); ++i) {
    deltas[i].row["p_value_adjusted"] = Rounded(adjusted[i], 9);
    deltas[i].row["noise"] = adjusted[i] >= kSignificance;
    rows.push_back(std::move(deltas[i].row));
  }
  return rows;
}

json HotspotDeltas(const AnalysisSection& baseline, const AnalysisSection& candidate,
                   double threshold) {
  std::map<AnalysisFrame, std::pair<Side, Side>> sides;
  for (std::size_t i = 0; i < baseline.hotspots.size(); ++i) {
    sides[baseline.hotspots[i].frame].first = {&baseline.hotspots[i], i + 1};
  }
  for (std::size_t i = 0; i < candidate.hotspots.size(); ++i) {
    sides[candidate.hotspots[i].frame].second = {&candidate.hotspots[i], i + 1};
  }
  std::vector<Delta> deltas;
  for (const auto& [frame, pair] : sides) {
    deltas.push_back(HotspotDelta(frame, pair.first, pair.second, baseline, candidate));
  }
  return Judged(std::move(deltas), threshold);
}

json PathDeltas(const AnalysisSection& baseline, const AnalysisSection& candidate,
                double threshold) {
  struct Shares {
    std::optional<double> before, after;
    std::int64_t before_weight = 0;
    std::int64_t after_weight = 0;
  };
  std::map<std::vector<AnalysisFrame>, Shares> paths;
  for (const AnalysisPath& path : baseline.call_paths) {
    Shares& shares = paths[path.frames];
    shares.before = shares.before.value_or(0) + path.percent;
    shares.before_weight = SaturatingAdd(shares.before_weight, path.weight);
  }
  for (const AnalysisPath& path : candidate.call_paths) {
    Shares& shares = paths[path.frames];
    shares.after = shares.after.value_or(0) + path.percent;
    shares.after_weight = SaturatingAdd(shares.after_weight, path.weight);
  }
  std::vector<Delta> deltas;
  for (const auto& [frames, shares] : paths) {
    const double before = shares.before.value_or(0);
    const double after = shares.after.value_or(0);
    json list = json::array();
    for (const AnalysisFrame& frame : frames) {
      list.push_back({{"symbol", frame.symbol}, {"dso", frame.dso}});
    }
    Delta delta;
    delta.size = std::abs(Rounded(after - before, kPercentDecimals));
    delta.p_value = TwoProportionPValue(
        RecordsOf(before, baseline), static_cast<double>(baseline.sample_count),
        RecordsOf(after, candidate), static_cast<double>(candidate.sample_count));
    delta.row = {{"frames", std::move(list)},
                 {"status", StatusOf(shares.before.has_value(), shares.after.has_value(), baseline,
                                     candidate, true)},
                 {"baseline_weight", shares.before_weight},
                 {"candidate_weight", shares.after_weight},
                 {"baseline_percent", Rounded(before, kPercentDecimals)},
                 {"candidate_percent", Rounded(after, kPercentDecimals)},
                 {"delta_percent", Rounded(after - before, kPercentDecimals)}};
    deltas.push_back(std::move(delta));
  }
  return Judged(std::move(deltas), threshold);
}

// Symbols that moved to other DSOs. One that only one side has did not move.
json DsoChanges(const AnalysisSection& baseline, const AnalysisSection& candidate) {
  std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> dsos;
  for (const AnalysisHotspot& spot : baseline.hotspots) {
    dsos[spot.frame.symbol].first.insert(spot.frame.dso);
  }
  for (const AnalysisHotspot& spot : candidate.hotspots) {
    dsos[spot.frame.symbol].second.insert(spot.frame.dso);
  }
  json changes = json::object();
  for (const auto& [symbol, sides] : dsos) {
    if (sides.first.empty() || sides.second.empty() || sides.first == sides.second) continue;
    changes[symbol] = json::array({sides.first, sides.second});
  }
  return changes;
}

}  // namespace

json CompareAnalyses(const Analysis& baseline, const Analysis& candidate,
                     double minimum_delta_percent) {
  const AnalysisSection& before = baseline.main;
  const AnalysisSection& after = candidate.main;
  json differences = json::object();
  const auto differ = [&](const char* key, const std::string& b, const std::string& c) {
    if (b != c) differences[key] = json::array({b, c});
  };
  differ("event", BaseEvent(before.event), BaseEvent(after.event));
  differ("weight_unit", before.weight_unit, after.weight_unit);
  const bool comparable = differences.empty();
  differ("weight_source", before.weight_source, after.weight_source);
  differ("source_type", baseline.source_type, candidate.source_type);

  json warnings = json::array();
  warnings.push_back("shares are relative: a function may shrink in share because others grew");
  warnings.push_back("compare workload, duration, total CPU time and benchmarks first");
  if (!comparable) warnings.push_back("the profiles measure different things");
  if (before.sample_count < kFewSamples || after.sample_count < kFewSamples) {
    warnings.push_back("fewer than " + std::to_string(kFewSamples) + " samples on a side");
  }

  json value = {
      {"schema_version", kSchemaVersion},
      {"baseline_analysis_id", baseline.id},
      {"candidate_analysis_id", candidate.id},
      {"comparable", comparable},
      {"metadata_differences", std::move(differences)},
      {"minimum_delta_percent", minimum_delta_percent},
      {"baseline_total_weight", before.total_weight},
      {"candidate_total_weight", after.total_weight},
      {"hotspot_deltas", HotspotDeltas(before, after, minimum_delta_percent)},
      {"call_path_deltas", PathDeltas(before, after, minimum_delta_percent)},
      {"dso_changes", DsoChanges(before, after)},
      {"baseline_unresolved_percent", before.unresolved_self_percent},
      {"candidate_unresolved_percent", after.unresolved_self_percent},
      {"unresolved_delta_percent",
       Rounded(after.unresolved_self_percent - before.unresolved_self_percent, kPercentDecimals)},
      {"warnings", std::move(warnings)}};
  value["comparison_id"] =
      ArtifactId("profile-comparison",
                 {baseline.id, candidate.id, FixedText(minimum_delta_percent, kPercentDecimals)});
  return value;
}

std::string ProfileComparisonMarkdown(const json& comparison) {
  std::string text = "# Profile comparison\n\n## Comparability\n\n";
  text += comparison["comparable"].get<bool>() ? "Both profiles measure the same event.\n"
                                               : "The profiles measure different things.\n";
  for (const auto& [key, sides] : comparison["metadata_differences"].items()) {
    text += "\n- " + MarkdownCode(key) + ": " + MarkdownCode(sides[0].get<std::string>()) +
            " against " + MarkdownCode(sides[1].get<std::string>());
  }
  text += "\n\n## Hotspots\n\n";
  MarkdownTable hotspots({"Symbol", "DSO", "Status", ">Self before", ">Self after", ">Self change",
                          ">Inclusive change", ">Weight before", ">Weight after", "Chance"});
  for (const json& row : comparison["hotspot_deltas"]) {
    hotspots.AddRow({MarkdownCode(row["symbol"].get<std::string>()),
                     MarkdownCode(row["dso"].get<std::string>()),
                     MarkdownText(row["status"].get<std::string>()),
                     FixedText(row["baseline_self_percent"].get<double>(), 3) + " %",
                     FixedText(row["candidate_self_percent"].get<double>(), 3) + " %",
                     SignedText(row["self_delta_percent"].get<double>(), 3),
                     SignedText(row["inclusive_delta_percent"].get<double>(), 3),
                     std::to_string(row["baseline_self_weight"].get<std::int64_t>()),
                     std::to_string(row["candidate_self_weight"].get<std::int64_t>()),
                     row["noise"].get<bool>() ? "explains it" : "does not"});
  }
  text += hotspots.text() + "\n## Call paths\n\n";
  MarkdownTable paths({"Path", "Status", ">Before", ">After", ">Change", "Chance"});
  for (const json& row : comparison["call_path_deltas"]) {
    std::string path;
    for (const json& frame : row["frames"]) {
      path += (path.empty() ? "" : " > ") + frame["symbol"].get<std::string>();
    }
    paths.AddRow({MarkdownCode(path), MarkdownText(row["status"].get<std::string>()),
                  FixedText(row["baseline_percent"].get<double>(), 3) + " %",
                  FixedText(row["candidate_percent"].get<double>(), 3) + " %",
                  SignedText(row["delta_percent"].get<double>(), 3),
                  row["noise"].get<bool>() ? "explains it" : "does not"});
  }
  text += paths.text() + "\n## Symbol quality\n\n";
  text += "Unresolved self weight: " +
          FixedText(comparison["baseline_unresolved_percent"].get<double>(), 3) + " % before, " +
          FixedText(comparison["candidate_unresolved_percent"].get<double>(), 3) + " % after.\n";
  text += "\n## What this does not say\n\n";
  for (const json& warning : comparison["warnings"]) {
    text += "- " + MarkdownText(warning.get<std::string>()) + '\n';
  }
  return text;
}

}  // namespace sonde
