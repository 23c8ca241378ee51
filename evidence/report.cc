// Report: an analysis and its diagnosis for people, as Markdown or as one HTML page.

#include <algorithm>
#include <set>

#include "evidence/html.h"
#include "evidence/markdown.h"
#include "evidence/weight_unit.h"
#include "export/flame/markup.h"
#include "sonde/diagnosis.h"

namespace sonde {
namespace {

using nlohmann::json;

constexpr std::size_t kHotspotsShown = 20;
constexpr std::size_t kPathsShown = 10;
constexpr int kPercentDecimals = 3;

std::string Share(double percent) { return FixedText(percent, kPercentDecimals) + " %"; }

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined.empty() ? "-" : joined;
}

std::string Bullets(const json& texts, const std::string& prefix = "") {
  std::string list;
  for (const json& text : texts) {
    list += "- " + prefix + MarkdownText(text.get<std::string>()) + '\n';
  }
  return list;
}

// "3.05 s (3052104184 nanoseconds)": as people read it, and as it stands in the artifact.
std::string Weight(std::int64_t weight, const AnalysisSection& section) {
  if (section.weight_unit == kUnknownUnit) return std::to_string(weight) + " (unit not known)";
  std::string text;
  AppendWeight(text, weight, {section.event, section.weight_unit});
  std::string exact = std::to_string(weight) + ' ' + section.weight_unit;
  if (text.ends_with(section.weight_unit)) return MarkdownText(exact);
  return MarkdownText(text + " (" + exact + ')');
}

std::string DataQuality(const Analysis& analysis, const json& diagnosis) {
  const AnalysisSection& main = analysis.main;
  std::string text = "## 2. Data quality\n\n";
  text += "- Profile type: " + MarkdownText(analysis.source_type) + '\n';
  text += "- Event: " + MarkdownText(main.event) + '\n';
  const std::string read = analysis.parsed_records.has_value()
                               ? std::to_string(*analysis.parsed_records) + " read"
                               : "their number is not known";
  text += "- Records: " + read + ", " + std::to_string(analysis.malformed_records) +
          " not understood\n";
  text +=
      "- Samples lost before they were recorded: " + std::to_string(analysis.lost_samples) + '\n';
  text += "- Total weight: " + Weight(main.total_weight, main) + '\n';
  if (main.whole_weight.has_value()) {
    text += "- A difference: percentages are of " + Weight(*main.whole_weight, main) + '\n';
  }
  text += std::string("- Call graph: ") + (analysis.has_call_graph ? "available" : "unavailable") +
          '\n';
  text += std::string("- Source lines: ") +
          (analysis.has_source_lines ? "available" : "unavailable") + '\n';
  text += "- Unresolved self weight: " + Share(main.unresolved_self_percent) + '\n';
  text += "- Analysis: " + MarkdownText(analysis.status) + '\n';
  if (main.hotspots_omitted + main.call_paths_omitted > 0) {
    text += "- Left out by the output limits: " + std::to_string(main.hotspots_omitted) +
            " hotspots, " + std::to_string(main.call_paths_omitted) + " call paths\n";
  }
  return text + Bullets(diagnosis["limitations"], "Limitation: ") + '\n';
}

std::string Hotspots(const Analysis& analysis) {
  std::string text = "## 4. Hotspots\n\n";
  MarkdownTable table({"ID", "Symbol", "DSO", "Source", ">Self", ">Inclusive", "Categories"});
  const auto& hotspots = analysis.main.hotspots;
  for (std::size_t i = 0; i < std::min(kHotspotsShown, hotspots.size()); ++i) {
    const AnalysisHotspot& hotspot = hotspots[i];
    table.AddRow(
        {hotspot.id, MarkdownCode(hotspot.frame.symbol), MarkdownCode(hotspot.frame.dso),
         hotspot.source_locations.empty() ? "-" : MarkdownCode(hotspot.source_locations[0]),
         Share(hotspot.self_percent), Share(hotspot.inclusive_percent),
         MarkdownText(Joined(hotspot.categories))});
  }
  text += table.text() + '\n';
  if (hotspots.size() > kHotspotsShown) {
    text += std::to_string(hotspots.size() - kHotspotsShown) +
            " more stand in the analysis artifact.\n\n";
  }
  return text;
}

std::string CallPaths(const Analysis& analysis) {
  std::string text = "## 5. Call paths\n\n";
  const auto& paths = analysis.main.call_paths;
  if (paths.empty()) return text + "None.\n\n";
  for (std::size_t i = 0; i < std::min(kPathsShown, paths.size()); ++i) {
    text += "### " + paths[i].id + ": " + Share(paths[i].percent) + " (" +
            Weight(paths[i].weight, analysis.main) + ")\n\n";
    for (std::size_t depth = 0; depth < paths[i].frames.size(); ++depth) {
      text += std::to_string(depth + 1) + ". " + MarkdownCode(paths[i].frames[depth].symbol) + '\n';
    }
    text += '\n';
  }
  return text;
}

std::string Candidates(const json& diagnosis) {
  std::string text = "## 6. Candidates\n\n";
  if (diagnosis["classifications"].empty()) {
    return text + "No rule knows these functions; that rules nothing out.\n\n";
  }
  for (const json& hit : diagnosis["classifications"]) {
    text += "### " + hit["classification_id"].get<std::string>() + ": " +
            MarkdownText(hit["category"].get<std::string>()) + "\n\n";
    text += "- Status: Candidate\n";
    text += "- Confidence: " + MarkdownText(hit["confidence"].get<std::string>()) + '\n';
    text += "- Evidence level: " + hit["evidence_level"].get<std::string>() + '\n';
    text += "- Observation: " + MarkdownText(hit["observation"].get<std::string>()) + '\n';
    for (const json& evidence : hit["supporting_evidence"]) {
      text +=
          "- Supporting evidence: " + MarkdownText(evidence["statement"].get<std::string>()) + '\n';
    }
    text += Bullets(hit["counter_evidence"], "Counter-evidence: ");
    text += Bullets(hit["missing_evidence"], "Missing evidence: ");
    text += Bullets(hit["limitations"], "Limitation: ");
    text += Bullets(hit["forbidden_conclusions"], "Not established: ");
    text += '\n';
  }
  return text;
}

std::string Recommendations(const json& diagnosis) {
  std::string text = "## 7. Next steps\n\n";
  std::set<std::string> seen;
  for (const json& hit : diagnosis["classifications"]) {
    for (const json& step : hit["next_steps"]) {
      if (seen.insert(step.get<std::string>()).second) {
        text += "- " + MarkdownText(step.get<std::string>()) + '\n';
      }
    }
  }
  return text +
         "- Whatever is changed: measure the same workload before and after, and test that "
         "its results are the same.\n\n";
}

}  // namespace

std::string ReportMarkdown(const Analysis& analysis, const json& diagnosis,
                           const ReportText& text) {
  std::string report = "# Performance report\n\n## 1. Problem\n\n";
  report += "- Observed problem: " + MarkdownText(text.problem) + '\n';
  report += "- Target metric: " + MarkdownText(text.metric) + '\n';
  report += "- Input: " + MarkdownCode(analysis.input_path) + "\n\n";
  report += DataQuality(analysis, diagnosis);
  report += "## 3. Observations\n\n";
  report += Bullets(diagnosis["observations"], "Observed: ") + '\n';
  report += Hotspots(analysis) + CallPaths(analysis) + Candidates(diagnosis);
  report += Recommendations(diagnosis);
  report += "## 8. What is missing\n\n" + Bullets(diagnosis["missing_evidence"]) + '\n';
  report += "## 9. Conclusion\n\n";
  report += "- Observed: the figures above, of the event " + MarkdownText(analysis.main.event) +
            " alone.\n";
  report += "- Likely: none.\n- Confirmed: none.\n";
  report +=
      "- Only the same workload, measured before and after a change with its correctness "
      "tested, verifies an improvement.\n";
  return report;
}

std::string ReportHtml(const Analysis& analysis, const json& diagnosis, const ReportText& text,
                       std::string_view flame_graph) {
  return HtmlPage("Performance report", ReportMarkdown(analysis, diagnosis, text), flame_graph);
}

}  // namespace sonde
