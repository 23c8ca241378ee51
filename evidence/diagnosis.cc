// Diagnosis: candidates for an investigation, each with what speaks for and against it.

#include "sonde/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "evidence/classification_rules.h"
#include "evidence/markdown.h"
#include "evidence/numbered_id.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

using nlohmann::json;

constexpr std::size_t kObservations = 10;
constexpr int kPercentDecimals = 3;
constexpr int kFewOnAHotspot = 10;

std::string Share(double percent) { return FixedText(percent, kPercentDecimals) + '%'; }

std::string Replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// Whether some path leads through a frame that fits the rule down to the hotspot.
bool HasAncestor(const Analysis& analysis, const ClassificationRules& rules, std::size_t rule,
                 const AnalysisFrame& frame) {
  if (rules.rules()[rule].ancestor_patterns.empty()) return true;
  for (const AnalysisPath& path : analysis.main.call_paths) {
    bool above = false;
    for (const AnalysisFrame& step : path.frames) {
      if (above && step == frame) return true;
      above = above || rules.AncestorMatches(rule, step.symbol);
    }
  }
  return false;
}

std::vector<std::string> CounterEvidence(const AnalysisHotspot& hotspot,
                                         const AnalysisSection& section) {
  std::vector<std::string> against;
  if (hotspot.self_weight == 0) {
    against.emplace_back("it has no weight of its own: what it calls is hot, not it");
  }
  const std::optional<double> samples = SamplesBehind(hotspot.inclusive_weight, section);
  if (samples.has_value() && *samples < kFewOnAHotspot) {
    against.push_back("only " + std::to_string(std::llround(*samples)) +
                      " samples show it, which chance may explain");
  }
  return against;
}

json Classification(const Analysis& analysis, const ClassificationRule& rule,
                    const AnalysisHotspot& hotspot, std::size_t number) {
  const std::string level = analysis.has_call_graph ? "L2" : "L1";
  const std::string id = NumberedId('C', number);
  json supporting = json::array();
  supporting.push_back(
      {{"schema_version", kSchemaVersion},
       {"evidence_id", NumberedId('E', number) + "-self"},
       {"level", level},
       {"kind", "profile_hotspot"},
       {"statement", hotspot.frame.symbol + " has self " + Share(hotspot.self_percent) +
                         " and inclusive " + Share(hotspot.inclusive_percent)},
       {"artifact_id", analysis.id},
       {"hotspot_id", hotspot.id}});
  return {{"schema_version", kSchemaVersion},
          {"classification_id", id},
          {"rule_id", rule.id},
          {"rule_version", rule.version},
          {"hotspot_id", hotspot.id},
          {"symbol", hotspot.frame.symbol},
          {"dso", hotspot.frame.dso},
          {"category", rule.category},
          {"conclusion_status", "candidate"},
          {"confidence", rule.confidence},
          {"evidence_level", level},
          {"observation", Replaced(rule.observation, "{symbol}", hotspot.frame.symbol)},
          {"supporting_evidence", std::move(supporting)},
          {"counter_evidence", CounterEvidence(hotspot, analysis.main)},
          {"missing_evidence", rule.missing_evidence},
          {"limitations", rule.limitations},
          {"next_steps", rule.next_steps},
          {"forbidden_conclusions", rule.forbidden_conclusions}};
}

std::vector<std::string> LimitationsOf(const Analysis& analysis) {
  std::vector<std::string> limitations;
  for (const AnalysisWarning& warning : analysis.warnings) limitations.push_back(warning.message);
  if (!analysis.has_call_graph) limitations.emplace_back("there is no call graph");
  if (!analysis.has_source_lines) limitations.emplace_back("no frame names its source line");
  if (analysis.main.event == "unknown") {
    limitations.emplace_back("the input does not say which event was sampled");
  }
  if (!SamplesBehind(analysis.main.total_weight, analysis.main).has_value()) {
    limitations.emplace_back(
        "the input does not say how many samples were taken, so chance cannot be judged");
  }
  if (analysis.main.whole_weight.has_value()) {
    limitations.emplace_back(
        "the input is a difference of profiles: shares say what changed, not what is hot");
  }
  if (!analysis.others.empty()) {
    limitations.push_back("only the event " + analysis.main.event + " was classified; " +
                          std::to_string(analysis.others.size()) + " more were recorded");
  }
  if (analysis.main.hotspots_omitted > 0) {
    limitations.push_back(std::to_string(analysis.main.hotspots_omitted) +
                          " hotspots beyond the output limit were not classified");
  }
  return limitations;
}

void ApplyRules(const Analysis& analysis, const ClassificationRules& rules,
                const AnalysisHotspot& hotspot, json& hits, std::set<std::string>& missing) {
  for (std::size_t i = 0; i < rules.rules().size(); ++i) {
    const ClassificationRule& rule = rules.rules()[i];
    if (hotspot.self_percent < rule.self_percent_gte ||
        hotspot.inclusive_percent < rule.inclusive_percent_gte ||
        !rules.NameMatches(i, hotspot.frame.symbol, hotspot.frame.dso) ||
        !HasAncestor(analysis, rules, i, hotspot.frame)) {
      continue;
    }
    hits.push_back(Classification(analysis, rule, hotspot, hits.size() + 1));
    missing.insert(rule.missing_evidence.begin(), rule.missing_evidence.end());
  }
}

}  // namespace

Result<json> Diagnose(const Analysis& analysis, const std::string& rules_file) {
  std::optional<ClassificationRules> own;
  if (!rules_file.empty()) {
    Result<ClassificationRules> read = ClassificationRules::FromFile(rules_file);
    if (!read.ok()) return read.error();
    own.emplace(std::move(read).value());
    // What is cited by the id of a rule is one rule.
    for (const ClassificationRule& rule : own->rules()) {
      if (std::ranges::find(BuiltInRules().rules(), rule.id, &ClassificationRule::id) !=
          BuiltInRules().rules().end()) {
        return Error{.code = ErrorCode::kInvalid,
                     .message = "rule \"" + rule.id + "\" has the id of a built-in one",
                     .file = rules_file,
                     .stage = "classification"};
      }
    }
  }

  json hits = json::array();
  std::set<std::string> missing;
  for (const AnalysisHotspot& hotspot : analysis.main.hotspots) {
    ApplyRules(analysis, BuiltInRules(), hotspot, hits, missing);
    if (own) ApplyRules(analysis, *own, hotspot, hits, missing);
  }
  if (hits.empty()) missing.insert("no rule knows these functions: read the call paths");

  json observations = json::array();
  for (std::size_t i = 0; i < std::min(kObservations, analysis.main.hotspots.size()); ++i) {
    const AnalysisHotspot& hotspot = analysis.main.hotspots[i];
    observations.push_back(hotspot.id + ' ' + hotspot.frame.symbol +
                           " self=" + Share(hotspot.self_percent) +
                           " inclusive=" + Share(hotspot.inclusive_percent));
  }
  const std::vector<std::string> limitations = LimitationsOf(analysis);
  return json{{"schema_version", kSchemaVersion},
              {"analysis_id", analysis.id},
              {"status", limitations.empty() && missing.empty() ? "complete" : "partial"},
              {"generated_at", analysis.created_at},
              {"classifications", std::move(hits)},
              {"observations", std::move(observations)},
              {"limitations", limitations},
              {"missing_evidence", std::vector<std::string>(missing.begin(), missing.end())}};
}

}  // namespace sonde
