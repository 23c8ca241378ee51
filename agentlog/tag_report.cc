// TagReport: how well tags cover a history, and how they spread.

#include "sonde/tag_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sonde {
namespace {

constexpr std::array<TagKind, kTagKinds> kKinds = {TagKind::kSession, TagKind::kPrompt,
                                                   TagKind::kLlm};

std::string_view PluralOf(TagKind kind) noexcept {
  constexpr std::array<std::string_view, kTagKinds> kPlurals = {"sessions", "prompts", "llm calls"};
  return kPlurals[static_cast<std::size_t>(kind)];
}

std::string Fixed(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

double Percent(std::uint64_t part, std::uint64_t whole) noexcept {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

void TagReport::Add(TagKind kind, std::string_view tag) {
  const auto index = static_cast<std::size_t>(kind);
  ++coverage_[index].total;
  if (tag != kUnmatchedTag) ++coverage_[index].matched;
  auto place = counts_[index].find(tag);
  if (place == counts_[index].end()) place = counts_[index].emplace(tag, 0).first;
  ++place->second;
}

void TagReport::AddSample(Sample sample) {
  if (samples_.size() < kSamples) samples_.push_back(std::move(sample));
}

int TagReport::CoveragePercent() const noexcept {
  std::uint64_t matched = 0;
  std::uint64_t total = 0;
  for (const Coverage& coverage : coverage_) {
    matched += coverage.matched;
    total += coverage.total;
  }
  return static_cast<int>(std::lround(Percent(matched, total)));
}

std::vector<TagReport::Distribution> TagReport::Distributions() const {
  std::vector<Distribution> distributions;
  for (const TagKind kind : kKinds) {
    Distribution spread{.kind = kind, .total = coverage(kind).matched};
    for (const auto& [tag, count] : counts(kind)) {
      if (tag != kUnmatchedTag) spread.tags.emplace_back(tag, count);
    }
    if (spread.tags.empty()) continue;
    std::stable_sort(spread.tags.begin(), spread.tags.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < spread.tags.size(); ++i) {
      sum += spread.tags[i].second;
      const double share = Percent(sum, spread.total);
      if (i == 0) spread.top1 = share;
      if (i < 3) spread.top3 = share;
      if (i < 5) spread.top5 = share;
      const double part =
          static_cast<double>(spread.tags[i].second) / static_cast<double>(spread.total);
      spread.entropy -= part * std::log(part);
    }
    const auto kinds = static_cast<double>(spread.tags.size());
    spread.entropy = spread.tags.size() < 2 ? 0 : spread.entropy / std::log(kinds);
    distributions.push_back(std::move(spread));
  }
  return distributions;
}

std::vector<std::string> TagReport::Lines() const {
  std::vector<std::string> lines;
  for (const Distribution& spread : Distributions()) {
    const std::string kind(NameOf(spread.kind));
    lines.push_back("Distribution (" + std::to_string(spread.tags.size()) + ' ' + kind + " tags, " +
                    std::to_string(spread.total) + " total): top1=" + Fixed(spread.top1, 1) +
                    "%, top3=" + Fixed(spread.top3, 1) + "%, top5=" + Fixed(spread.top5, 1) +
                    "%, entropy=" + Fixed(spread.entropy, 2));
  }
  return lines;
}

std::vector<std::string> TagReport::Warnings() const {
  std::vector<std::string> warnings;
  for (const TagKind kind : kKinds) {
    const Coverage& covered = coverage(kind);
    if (covered.Unmatched() == 0) continue;
    warnings.push_back(std::to_string(covered.Unmatched()) + '/' + std::to_string(covered.total) +
                       ' ' + std::string(PluralOf(kind)) + " unmatched (" +
                       Fixed(Percent(covered.Unmatched(), covered.total), 1) +
                       "%, target < 5%); add " + std::string(NameOf(kind)) + " tag rules");
  }
  for (const Distribution& spread : Distributions()) {
    const std::string kind(NameOf(spread.kind));
    const std::size_t tags = spread.tags.size();
    if (spread.top1 > kTop1Target) {
      warnings.push_back(kind + ':' + spread.tags.front().first + " dominates (" +
                         Fixed(spread.top1, 1) + "%, target < 40%); split it");
    }
    if (tags > 3 && spread.top3 > kTop3Target) {
      warnings.push_back("three " + kind + " tags hold " + Fixed(spread.top3, 1) +
                         "% (target < 70%)");
    }
    if (tags < kFewTags) {
      warnings.push_back("only " + std::to_string(tags) + ' ' + kind +
                         " tags (10 to 20 tell more)");
    }
    if (tags > kManyTags) {
      warnings.push_back(std::to_string(tags) + ' ' + kind + " tags (10 to 20 are easier to read)");
    }
    if (tags > 3 && spread.entropy < kEntropyTarget) {
      warnings.push_back("the " + kind + " tags are uneven (entropy " + Fixed(spread.entropy, 2) +
                         ", target > 0.7)");
    }
  }
  return warnings;
}

}  // namespace sonde
