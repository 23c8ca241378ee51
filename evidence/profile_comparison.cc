// ProfileComparison: how the distribution of two analyses differs, and what of it is noise.

#include "sonde/profile_comparison.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
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
constexpr int kFewSamples = 100;

struct Side {
  const AnalysisHotspot* hotspot = nullptr;
  std::size_t rank = 0;
};

std::optional<double> SamplesOf(const AnalysisSection& section) {
  return SamplesBehind(section.total_weight, section);
}

// Of the change between two weights; nothing where a side does not tell how many samples it has.
std::optional<double> PValueOf(std::int64_t before, std::int64_t after,
                               const AnalysisSection& baseline, const AnalysisSection& candidate) {
  const std::optional<double> all_before = SamplesOf(baseline);
  const std::optional<double> all_after = SamplesOf(candidate);
  if (!all_before.has_value() || !all_after.has_value()) return std::nullopt;
  return TwoProportionPValue(*SamplesBehind(before, baseline), *all_before,
                             *SamplesBehind(after, candidate), *all_after);
}

// An entry that a side does not list has no weight there, unless that side left entries out.
bool IsKnown(bool listed, std::uint64_t omitted) { return listed || omitted == 0; }

std::string StatusOf(bool before, bool after, bool known) {
  if (!known) return "below_cut_off";
  if (before && after) return "changed";
  return before ? "removed" : "added";
}

struct Delta {
  json row;
  bool known = true;  // Both sides; otherwise `size` is the share of the side that is.
  double size = 0;
  std::optional<double> p_value;
};

// Of an entry of which two things are tested, for the one that changed the more: Bonferroni's.
std::optional<double> LesserOfTwo(std::optional<double> a, std::optional<double> b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return std::min(1.0, 2 * std::min(*a, *b));
}

void PutHotspot(const std::string& side, const AnalysisHotspot& hotspot, json& row) {
  row[side + "_self_weight"] = hotspot.self_weight;
  row[side + "_self_percent"] = hotspot.self_percent;
  row[side + "_inclusive_weight"] = hotspot.inclusive_weight;
  row[side + "_inclusive_percent"] = hotspot.inclusive_percent;
}

Delta HotspotDelta(const AnalysisFrame& frame, const Side& before, const Side& after,
                   const AnalysisSection& baseline, const AnalysisSection& candidate) {
  static const AnalysisHotspot kNothing;
  const bool listed_before = before.hotspot != nullptr;
  const bool listed_after = after.hotspot != nullptr;
  const bool known_before = IsKnown(listed_before, baseline.hotspots_omitted);
  const bool known_after = IsKnown(listed_after, candidate.hotspots_omitted);
  const AnalysisHotspot& b = listed_before ? *before.hotspot : kNothing;
  const AnalysisHotspot& c = listed_after ? *after.hotspot : kNothing;
  const double self = Rounded(c.self_percent - b.self_percent, kPercentDecimals);
  const double inclusive = Rounded(c.inclusive_percent - b.inclusive_percent, kPercentDecimals);

  Delta delta;
  delta.known = known_before && known_after;
  delta.size = std::max(std::abs(self), std::abs(inclusive));
  delta.row = {{"symbol", frame.symbol},
               {"dso", frame.dso},
               {"status", StatusOf(listed_before, listed_after, delta.known)}};
  if (known_before) PutHotspot("baseline", b, delta.row);
  if (known_after) PutHotspot("candidate", c, delta.row);
  if (listed_before) delta.row["baseline_rank"] = before.rank;
  if (listed_after) delta.row["candidate_rank"] = after.rank;
  if (listed_before && listed_after) {
    delta.row["rank_delta"] =
        static_cast<std::int64_t>(before.rank) - static_cast<std::int64_t>(after.rank);
  }
  if (!delta.known) return delta;
  delta.row["self_delta_percent"] = self;
  delta.row["inclusive_delta_percent"] = inclusive;
  delta.p_value =
      LesserOfTwo(PValueOf(b.self_weight, c.self_weight, baseline, candidate),
                  PValueOf(b.inclusive_weight, c.inclusive_weight, baseline, candidate));
  return delta;
}

// Adjusts over all that were compared: which of them are listed is another matter.
void Judge(std::vector<Delta>& deltas) {
  std::vector<double> p_values;
  for (const Delta& delta : deltas) {
    if (delta.p_value.has_value()) p_values.push_back(*delta.p_value);
  }
  const std::vector<double> adjusted = HolmAdjusted(p_values);
  auto next = adjusted.begin();
  for (Delta& delta : deltas) {
    if (!delta.p_value.has_value()) continue;
    delta.row["p_value_adjusted"] = RoundedChance(*next);
    delta.row["noise"] = *next++ >= kSignificance;
  }
}

// What changed enough, the largest change first; then those whose change is not known.
json Listed(std::vector<Delta> deltas, double threshold) {
  std::erase_if(deltas, [&](const Delta& delta) { return delta.size < threshold; });
  std::stable_sort(deltas.begin(), deltas.end(), [](const Delta& a, const Delta& b) {
    return a.known != b.known ? a.known : a.size > b.size;
  });
  json rows = json::array();
  for (Delta& delta : deltas) rows.push_back(std::move(delta.row));
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
  Judge(deltas);
  return Listed(std::move(deltas), threshold);
}

// A call path on one side.
struct PathShare {
  bool listed = false;
  double percent = 0;
  std::int64_t weight = 0;

  void Add(const AnalysisPath& path) {
    listed = true;
    percent += path.percent;
    weight = SaturatingAdd(weight, path.weight);
  }
};

void PutPath(const std::string& side, const PathShare& share, json& row) {
  row[side + "_weight"] = share.weight;
  row[side + "_percent"] = Rounded(share.percent, kPercentDecimals);
}

Delta PathDelta(const std::vector<AnalysisFrame>& frames, const PathShare& before,
                const PathShare& after, const AnalysisSection& baseline,
                const AnalysisSection& candidate) {
  const bool known_before = IsKnown(before.listed, baseline.call_paths_omitted);
  const bool known_after = IsKnown(after.listed, candidate.call_paths_omitted);
  json list = json::array();
  for (const AnalysisFrame& frame : frames) {
    list.push_back({{"symbol", frame.symbol}, {"dso", frame.dso}});
  }
  const double change = Rounded(after.percent - before.percent, kPercentDecimals);

  Delta delta;
  delta.known = known_before && known_after;
  delta.size = std::abs(change);
  delta.row = {{"frames", std::move(list)},
               {"status", StatusOf(before.listed, after.listed, delta.known)}};
  if (known_before) PutPath("baseline", before, delta.row);
  if (known_after) PutPath("candidate", after, delta.row);
  if (!delta.known) return delta;
  delta.row["delta_percent"] = change;
  delta.p_value = PValueOf(before.weight, after.weight, baseline, candidate);
  return delta;
}

json PathDeltas(const AnalysisSection& baseline, const AnalysisSection& candidate,
                double threshold) {
  std::map<std::vector<AnalysisFrame>, std::pair<PathShare, PathShare>> paths;
  for (const AnalysisPath& path : baseline.call_paths) paths[path.frames].first.Add(path);
  for (const AnalysisPath& path : candidate.call_paths) paths[path.frames].second.Add(path);
  std::vector<Delta> deltas;
  for (const auto& [frames, shares] : paths) {
    deltas.push_back(PathDelta(frames, shares.first, shares.second, baseline, candidate));
  }
  Judge(deltas);
  return Listed(std::move(deltas), threshold);
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

std::string VerdictOf(const json& row) {
  if (!row.contains("noise")) return "not known";
  return row["noise"].get<bool>() ? "explains it" : "does not";
}

// What the row says under the key, for people; of a side that is not known, nothing.
std::string PercentOf(const json& row, const char* key) {
  return row.contains(key) ? FixedText(row[key].get<double>(), 3) + " %" : "-";
}

std::string ChangeOf(const json& row, const char* key) {
  return row.contains(key) ? SignedText(row[key].get<double>(), 3) : "-";
}

std::string WeightOf(const json& row, const char* key) {
  return row.contains(key) ? std::to_string(row[key].get<std::int64_t>()) : "-";
}

std::set<std::string> DsosOf(const AnalysisSection& section) {
  std::set<std::string> dsos;
  for (const AnalysisHotspot& spot : section.hotspots) dsos.insert(spot.frame.dso);
  for (const AnalysisPath& path : section.call_paths) {
    for (const AnalysisFrame& frame : path.frames) dsos.insert(frame.dso);
  }
  return dsos;
}

bool UnitsAgree(std::string_view before, std::string_view after) {
  return before == after || before == kUnknownUnit || after == kUnknownUnit;
}

// DSOs of the baseline, and what the candidate has in their place: one file of the same name, in
// another folder. Those that both have, or of whose name a side has several, stay what they are.
std::map<std::string, std::string> DsoMatches(const AnalysisSection& baseline,
                                              const AnalysisSection& candidate) {
  const std::set<std::string> before = DsosOf(baseline);
  const std::set<std::string> after = DsosOf(candidate);
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> by_name;
  const auto name_of = [](const std::string& dso) {
    return std::filesystem::path(dso).filename().string();
  };
  for (const std::string& dso : before) {
    if (!after.contains(dso)) by_name[name_of(dso)].first.push_back(dso);
  }
  for (const std::string& dso : after) {
    if (!before.contains(dso)) by_name[name_of(dso)].second.push_back(dso);
  }
  std::map<std::string, std::string> matches;
  for (const auto& [name, sides] : by_name) {
    if (sides.first.size() != 1 || sides.second.size() != 1) continue;
    matches.emplace(sides.first.front(), sides.second.front());
  }
  return matches;
}

// The section with its DSOs called as the candidate calls them.
AnalysisSection Renamed(AnalysisSection section, const std::map<std::string, std::string>& dsos) {
  const auto rename = [&](AnalysisFrame& frame) {
    if (const auto found = dsos.find(frame.dso); found != dsos.end()) frame.dso = found->second;
  };
  for (AnalysisHotspot& spot : section.hotspots) rename(spot.frame);
  for (AnalysisPath& path : section.call_paths) {
    for (AnalysisFrame& frame : path.frames) rename(frame);
  }
  return section;
}

}  // namespace

json CompareAnalyses(const Analysis& baseline, const Analysis& candidate,
                     double minimum_delta_percent) {
  const std::map<std::string, std::string> dsos = DsoMatches(baseline.main, candidate.main);
  const AnalysisSection before = Renamed(baseline.main, dsos);
  const AnalysisSection& after = candidate.main;
  json differences = json::object();
  const auto differ = [&](const char* key, const std::string& b, const std::string& c) {
    if (b != c) differences[key] = json::array({b, c});
  };
  differ("event", BaseEvent(before.event), BaseEvent(after.event));
  const bool comparable = differences.empty() && UnitsAgree(before.weight_unit, after.weight_unit);
  differ("weight_unit", before.weight_unit, after.weight_unit);
  differ("weight_source", before.weight_source, after.weight_source);
  differ("source_type", baseline.source_type, candidate.source_type);

  json warnings = json::array();
  warnings.push_back("shares are relative: a function may shrink in share because others grew");
  warnings.push_back("compare workload, duration, total CPU time and benchmarks first");
  if (!comparable) warnings.push_back("the profiles measure different things");
  const std::optional<double> samples_before = SamplesOf(before);
  const std::optional<double> samples_after = SamplesOf(after);
  if (!samples_before.has_value() || !samples_after.has_value()) {
    warnings.push_back("chance is not judged: a side does not say how many samples were taken");
  } else if (*samples_before < kFewSamples || *samples_after < kFewSamples) {
    warnings.push_back("fewer than " + std::to_string(kFewSamples) + " samples on a side");
  }
  if (before.whole_weight.has_value() || after.whole_weight.has_value()) {
    warnings.push_back("a side is a difference of profiles: its shares are of what changed");
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
      {"dso_matches", dsos},
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
  for (const auto& [before, after] : comparison["dso_matches"].items()) {
    text += "\n- One file by its name: " + MarkdownCode(before) + " is now " +
            MarkdownCode(after.get<std::string>());
  }
  text += "\n\n## Hotspots\n\n";
  MarkdownTable hotspots({"Symbol", "DSO", "Status", ">Self before", ">Self after", ">Self change",
                          ">Inclusive change", ">Weight before", ">Weight after", "Chance"});
  for (const json& row : comparison["hotspot_deltas"]) {
    hotspots.AddRow(
        {MarkdownCode(row["symbol"].get<std::string>()),
         MarkdownCode(row["dso"].get<std::string>()),
         MarkdownText(row["status"].get<std::string>()), PercentOf(row, "baseline_self_percent"),
         PercentOf(row, "candidate_self_percent"), ChangeOf(row, "self_delta_percent"),
         ChangeOf(row, "inclusive_delta_percent"), WeightOf(row, "baseline_self_weight"),
         WeightOf(row, "candidate_self_weight"), VerdictOf(row)});
  }
  text += hotspots.text() + "\n## Call paths\n\n";
  MarkdownTable paths({"Path", "Status", ">Before", ">After", ">Change", "Chance"});
  for (const json& row : comparison["call_path_deltas"]) {
    std::string path;
    for (const json& frame : row["frames"]) {
      path += (path.empty() ? "" : " > ") + frame["symbol"].get<std::string>();
    }
    paths.AddRow({MarkdownCode(path), MarkdownText(row["status"].get<std::string>()),
                  PercentOf(row, "baseline_percent"), PercentOf(row, "candidate_percent"),
                  ChangeOf(row, "delta_percent"), VerdictOf(row)});
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
