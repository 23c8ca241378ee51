// AgentStatus: what `sonde agent` reports on standard output and standard error.

#include "cli/agent_status.h"

#include <array>
#include <iostream>
#include <map>

#include "cli/command.h"

namespace sonde::cli {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::pair<TagKind, const char*>, kTagKinds> kKinds = {
    std::pair{TagKind::kSession, "sessions"}, std::pair{TagKind::kPrompt, "prompts"},
    std::pair{TagKind::kLlm, "llm_calls"}};

// Two decimals are what is compared with the targets.
double Rounded(double value) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(value * 100 + 0.5)) / 100;
}

std::map<StackId, std::int64_t> WeightByStack(const Profile& profile) {
  std::map<StackId, std::int64_t> stacks;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    const Sample sample = profile.sample(i);
    std::int64_t& weight = stacks[sample.stack];
    weight = SaturatingAdd(weight, sample.values[0]);
  }
  std::erase_if(stacks, [](const auto& entry) { return entry.second == 0; });
  return stacks;
}

}  // namespace

Json TaggingAsJson(const TagReport& report) {
  Json tagging = Json::object();
  Json counts = Json::object();
  std::uint64_t unmatched = 0;
  for (const auto& [kind, name] : kKinds) {
    const TagReport::Coverage& covered = report.coverage(kind);
    tagging[name] = {
        {"total", covered.total}, {"matched", covered.matched}, {"unmatched", covered.Unmatched()}};
    tagging[std::string("total_") + name] = covered.total;
    tagging[std::string("unmatched_") + name] = covered.Unmatched();
    unmatched += covered.Unmatched();
    for (const auto& [tag, count] : report.counts(kind)) {
      counts[std::string(NameOf(kind)) + ':' + tag] = count;
    }
  }
  Json distribution = Json::object();
  for (const TagReport::Distribution& spread : report.Distributions()) {
    distribution[std::string(NameOf(spread.kind))] = {
        {"tags", spread.tags.size()},   {"total", spread.total},
        {"top1", Rounded(spread.top1)}, {"top3", Rounded(spread.top3)},
        {"top5", Rounded(spread.top5)}, {"entropy", Rounded(spread.entropy)}};
  }
  tagging["coverage_pct"] = report.CoveragePercent();
  tagging["tag_counts"] = std::move(counts);
  tagging["distribution"] = std::move(distribution);
  tagging["warnings"] = report.Warnings();
  if (unmatched == 0) return tagging;
  Json samples = Json::array();
  for (const TagReport::Sample& sample : report.samples()) {
    Json entry = {
        {"kind", NameOf(sample.kind)}, {"session_id", sample.session_id}, {"bytes", sample.bytes}};
    if (!sample.preview.empty()) entry["preview"] = sample.preview;
    samples.push_back(std::move(entry));
  }
  tagging["unmatched_samples"] = std::move(samples);
  tagging["hint"] =
      "add --tag-rule for what is unmatched; sonde agent suggest-rules proposes words";
  return tagging;
}

Json WeightsAsJson(const Profile& profile) {
  const ValueType& type = profile.sample_types()[0];
  return {{"sample_type", type.type},
          {"unit", type.unit},
          {"samples", profile.Total(0)},
          {"unique_stacks", WeightByStack(profile).size()}};
}

Json DifferenceAsJson(const Profile& profile) {
  std::int64_t positive = 0;
  std::int64_t negative = 0;
  const auto stacks = WeightByStack(profile);
  for (const auto& [stack, weight] : stacks) {
    std::int64_t& side = weight > 0 ? positive : negative;
    side = SaturatingAdd(side, weight);
  }
  return {{"comparison", "candidate-minus-base"},
          {"positive_difference", positive},
          {"negative_difference", negative},
          {"difference_unique_stacks", stacks.size()}};
}

void PrintTagging(const TagReport& report) {
  for (const std::string& line : report.Lines()) std::cerr << OneLine(line) << '\n';
  PrintWarnings(report.Warnings());
}

void PrintWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::cerr << "Warning: " << OneLine(warning) << '\n';
  }
}

}  // namespace sonde::cli
