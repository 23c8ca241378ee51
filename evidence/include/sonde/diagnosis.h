// Diagnosis: candidates for an investigation, each with what speaks for and against it.

#ifndef SONDE_DIAGNOSIS_H_
#define SONDE_DIAGNOSIS_H_

#include <nlohmann/json.hpp>
#include <string>

#include "sonde/analysis.h"
#include "sonde/result.h"

namespace sonde {

// The artifact: classifications (rule hits, candidates only), observations, limitations and
// missing evidence. Evidence level L1 is a hotspot alone, L2 a hotspot with call paths; a tool
// that only looks at a profile never claims more. `rules_file` adds the user's rules (TOML or
// YAML) behind the built-in ones; empty for none. Equal input gives an equal document.
Result<nlohmann::json> Diagnose(const Analysis& analysis, const std::string& rules_file = {});

struct ReportText {
  std::string problem = "Not supplied.";
  std::string metric = "Not supplied.";
};

// A report in GitHub-flavoured Markdown: data quality, observations, hotspots, call paths,
// candidates, what is missing, and what none of it establishes.
std::string ReportMarkdown(const Analysis& analysis, const nlohmann::json& diagnosis,
                           const ReportText& text);

// The same as one self-contained HTML page. `flame_graph` is an SVG that is placed in it;
// empty for none.
std::string ReportHtml(const Analysis& analysis, const nlohmann::json& diagnosis,
                       const ReportText& text, std::string_view flame_graph);

}  // namespace sonde

#endif  // SONDE_DIAGNOSIS_H_
