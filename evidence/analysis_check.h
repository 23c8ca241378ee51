// AnalysisCheck: whether the figures of an analysis agree with each other.

#ifndef SONDE_EVIDENCE_ANALYSIS_CHECK_H_
#define SONDE_EVIDENCE_ANALYSIS_CHECK_H_

#include "sonde/analysis.h"

namespace sonde {

// kInvalid for the first figure that contradicts another, with its place ("hotspots[3]"). What
// AnalyzeProfile makes passes. Where weights are negative, as in a difference, no weight bounds
// another. Any thread.
Status CheckConsistent(const Analysis& analysis);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_ANALYSIS_CHECK_H_
