// AnalysisCheck: whether the figures of an analysis agree with each other.

#include "evidence/analysis_check.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "evidence/numbered_id.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

constexpr double kPercentTolerance = 1e-5;
constexpr std::size_t kIdDigits = 16;

Error Contradiction(std::string message) {
  return {.code = ErrorCode::kInvalid, .message = std::move(message), .stage = "artifact"};
}

std::uint64_t SaturatingSum(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? UINT64_MAX : a + b;
}

// One section of an analysis.
class SectionCheck {
 public:
  // A pprof file may be a difference, and what was cut from its lists may be negative.
  SectionCheck(const AnalysisSection& section, std::string where, bool is_pprof)
      : section_(section),
        where_(std::move(where)),
        is_bounded_(!HasNegative(section) && !(is_pprof && IsCut(section))) {}

  Status Run() {
    // A sum that is as large as it can be is no longer one.
    if (is_bounded_ && section_.total_weight < INT64_MAX &&
        !(section_.unresolved_self_percent >= 0 && section_.unresolved_self_percent <= 100)) {
      return Contradiction(where_ + "unresolved_self_percent is no percentage");
    }
    for (std::size_t i = 0; i < section_.hotspots.size(); ++i) {
      place_ = where_ + "hotspots[" + std::to_string(i) + ']';
      if (Status status = CheckHotspot(section_.hotspots[i], i + 1); !status.ok()) return status;
    }
    for (std::size_t i = 0; i < section_.call_paths.size(); ++i) {
      place_ = where_ + "call_paths[" + std::to_string(i) + ']';
      if (Status status = CheckPath(section_.call_paths[i], i + 1); !status.ok()) return status;
    }
    return {};
  }

 private:
  static bool IsCut(const AnalysisSection& section) {
    return section.hotspots_omitted > 0 || section.call_paths_omitted > 0;
  }
  static bool HasNegative(const AnalysisSection& section) {
    const auto is_negative = [](const auto& item) { return item.weight < 0; };
    return section.total_weight < 0 || std::ranges::any_of(section.call_paths, is_negative) ||
           std::ranges::any_of(section.hotspots, [&](const AnalysisHotspot& spot) {
             return spot.self_weight < 0 || spot.inclusive_weight < 0 ||
                    std::ranges::any_of(spot.top_callers, is_negative) ||
                    std::ranges::any_of(spot.top_callees, is_negative);
           });
  }

  Error Here(const std::string& what) const { return Contradiction(place_ + ' ' + what); }

  bool IsShare(double percent, std::int64_t weight) const {
    const double share =
        Percent(static_cast<double>(weight),
                static_cast<double>(section_.whole_weight.value_or(section_.total_weight)));
    return std::abs(percent - share) <= kPercentTolerance * std::max(1.0, std::abs(share));
  }

  Status CheckHotspot(const AnalysisHotspot& spot, std::size_t number) {
    if (spot.id != NumberedId('H', number)) {
      return Here("is called \"" + spot.id + "\" in the place of " + NumberedId('H', number));
    }
    if (!frames_.insert(spot.frame).second) return Here("is a function that stands there twice");
    if (!IsShare(spot.self_percent, spot.self_weight) ||
        !IsShare(spot.inclusive_percent, spot.inclusive_weight)) {
      return Here("has a percentage that is not the share of its weight");
    }
    if (spot.sample_count > section_.sample_count) return Here("is on more samples than there are");
    if (spot.stack_occurrence_count.has_value() != spot.sample_count.has_value() ||
        spot.stack_occurrence_count < spot.sample_count) {
      return Here("occurs less often than on as many samples");
    }
    if (!is_bounded_) return {};
    if (spot.self_weight > spot.inclusive_weight) {
      return Here("has more self weight than inclusive weight");
    }
    if (spot.inclusive_weight > section_.total_weight) {
      return Here("has more weight than the total");
    }
    self_sum_ = SaturatingAdd(self_sum_, spot.self_weight);
    if (self_sum_ > section_.total_weight) {
      return Here("brings the sum of self weights over the total");
    }
    for (const auto* edges : {&spot.top_callers, &spot.top_callees}) {
      if (std::ranges::any_of(*edges, [&](const AnalysisEdge& edge) {
            return edge.weight > spot.inclusive_weight;
          })) {
        return Here("has a neighbour of more weight than its own");
      }
    }
    return {};
  }

  Status CheckPath(const AnalysisPath& path, std::size_t number) {
    if (path.id != NumberedId('P', number)) {
      return Here("is called \"" + path.id + "\" in the place of " + NumberedId('P', number));
    }
    if (path.frames.empty()) return Here("has no frames");
    if (!paths_.insert(path.frames).second) return Here("stands there twice");
    // Every function of a stack is a hotspot, unless the list of those was cut.
    if (section_.hotspots_omitted == 0) {
      for (const AnalysisFrame& frame : path.frames) {
        if (!frames_.contains(frame)) {
          return Here("goes through \"" + frame.symbol + "\", which is no hotspot");
        }
      }
    }
    if (!IsShare(path.percent, path.weight)) {
      return Here("has a percentage that is not the share of its weight");
    }
    path_records_ = SaturatingSum(path_records_, path.record_count.value_or(0));
    if (path.record_count.has_value() && path_records_ > section_.sample_count) {
      return Here("brings the sum of records over the number of samples");
    }
    if (!is_bounded_) return {};
    path_sum_ = SaturatingAdd(path_sum_, path.weight);
    if (path_sum_ > section_.total_weight) return Here("brings the sum of weights over the total");
    return {};
  }

  const AnalysisSection& section_;
  const std::string where_;
  const bool is_bounded_;
  std::string place_;
  std::set<AnalysisFrame> frames_;
  std::set<std::vector<AnalysisFrame>> paths_;
  std::int64_t self_sum_ = 0;
  std::int64_t path_sum_ = 0;
  std::uint64_t path_records_ = 0;
};

Status CheckWhole(const Analysis& analysis) {
  if (analysis.id != "analysis-" + analysis.fingerprint.substr(0, kIdDigits)) {
    return Contradiction("analysis_id is not of its fingerprint");
  }
  if (analysis.status != "complete" && analysis.status != "partial") {
    return Contradiction("the status is \"" + analysis.status + "\", not complete or partial");
  }
  const bool has_lost = analysis.malformed_records > 0 || analysis.lost_samples > 0 ||
                        analysis.warning_count > 0 || !analysis.warnings.empty();
  if (analysis.status == "complete" && has_lost) {
    return Contradiction("the status is complete in spite of warnings or lost records");
  }
  return {};
}

}  // namespace

Status CheckConsistent(const Analysis& analysis) {
  if (Status status = CheckWhole(analysis); !status.ok()) return status;
  std::set<std::pair<std::string, std::string>> events{
      {analysis.main.event, analysis.main.weight_unit}};
  const bool is_pprof = analysis.source_type == "pprof";
  if (Status status = SectionCheck(analysis.main, "", is_pprof).Run(); !status.ok()) return status;
  for (std::size_t i = 0; i < analysis.others.size(); ++i) {
    const AnalysisSection& section = analysis.others[i];
    const std::string where = "other_events[" + std::to_string(i) + ']';
    if (!events.emplace(section.event, section.weight_unit).second) {
      return Contradiction(where + " is a second section of the event \"" + section.event + '"');
    }
    if (Status status = SectionCheck(section, where + '.', is_pprof).Run(); !status.ok()) {
      return status;
    }
  }
  return {};
}

}  // namespace sonde
