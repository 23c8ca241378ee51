// ProfileComparison: how the distribution of two analyses differs, and what of it is noise.

#ifndef SONDE_PROFILE_COMPARISON_H_
#define SONDE_PROFILE_COMPARISON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "sonde/analysis.h"

namespace sonde {

// The artifact. Hotspots are matched by symbol and DSO, call paths by their frames. Every
// entry must change by `minimum_delta_percent` points to be listed. An entry that one side
// does not list is "added" or "removed" only when that side's list was complete; otherwise it
// is "below_cut_off": that side's figures and the change are not known, are not there, and the
// share of the other side decides whether it is listed, after those whose change is known.
// Beside the percentages stand absolute weights, and the p-value of a two-proportion test over
// the sample counts: "noise" says that chance explains the change. Hotspots are one family and
// call paths another, each adjusted over all entries whose change is known, listed or not
// (Holm); of a hotspot self and inclusive weight are tested, and the lesser p-value counts
// twice (Bonferroni). Events and units, where known, must agree to be comparable; the kind of input
// need not.
nlohmann::json CompareAnalyses(const Analysis& baseline, const Analysis& candidate,
                               double minimum_delta_percent);

// The same for people, as GitHub-flavoured Markdown.
std::string ProfileComparisonMarkdown(const nlohmann::json& comparison);

}  // namespace sonde

#endif  // SONDE_PROFILE_COMPARISON_H_
