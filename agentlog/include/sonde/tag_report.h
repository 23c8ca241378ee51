// TagReport: how well tags cover a history, and how they spread.

#ifndef SONDE_TAG_REPORT_H_
#define SONDE_TAG_REPORT_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sonde/tag_rules.h"

namespace sonde {

// Not thread-safe.
class TagReport {
 public:
  struct Coverage {
    std::uint64_t total = 0;
    std::uint64_t matched = 0;
    std::uint64_t Unmatched() const noexcept { return total - matched; }
  };
  // Something that no rule fits. `preview` is empty unless previews were asked for.
  struct Sample {
    TagKind kind = TagKind::kPrompt;
    std::string session_id;
    std::uint64_t bytes = 0;
    std::string preview;
  };
  // How the matched items of one kind spread over their tags. Shares in percent.
  struct Distribution {
    TagKind kind = TagKind::kPrompt;
    std::uint64_t total = 0;
    double top1 = 0;
    double top3 = 0;
    double top5 = 0;
    double entropy = 0;  // 1 when all tags are equally frequent, 0 with one tag.
    std::vector<std::pair<std::string, std::uint64_t>> tags{};  // Most frequent first.
  };

  static constexpr std::size_t kSamples = 20;
  // What a well tagged history keeps to.
  static constexpr double kUnmatchedTarget = 5;
  static constexpr double kTop1Target = 40;
  static constexpr double kTop3Target = 70;
  static constexpr double kEntropyTarget = 0.7;
  static constexpr std::size_t kFewTags = 5;
  static constexpr std::size_t kManyTags = 25;

  void Add(TagKind kind, std::string_view tag);
  // Keeps the first kSamples.
  void AddSample(Sample sample);

  const Coverage& coverage(TagKind kind) const noexcept {
    return coverage_[static_cast<std::size_t>(kind)];
  }
  // Matched items of all kinds in percent, rounded; 0 when there are none.
  int CoveragePercent() const noexcept;
  // By tag, kUnmatchedTag among them.
  const std::map<std::string, std::uint64_t, std::less<>>& counts(TagKind kind) const noexcept {
    return counts_[static_cast<std::size_t>(kind)];
  }
  const std::vector<Sample>& samples() const noexcept { return samples_; }
  // Of each kind that has a matched item.
  std::vector<Distribution> Distributions() const;

  // The same for people: coverage and spread, a line each.
  std::vector<std::string> Lines() const;
  // What falls short of the targets, a line each.
  std::vector<std::string> Warnings() const;

 private:
  std::array<Coverage, kTagKinds> coverage_{};
  std::array<std::map<std::string, std::uint64_t, std::less<>>, kTagKinds> counts_;
  std::vector<Sample> samples_;
};

}  // namespace sonde

#endif  // SONDE_TAG_REPORT_H_
