// PresetRules: the shipped tag rules, lists of whole words in English and Chinese.

#ifndef SONDE_AGENTLOG_TAG_PRESETS_H_
#define SONDE_AGENTLOG_TAG_PRESETS_H_

#include <span>
#include <string>
#include <string_view>

namespace sonde::agentlog {

struct PresetRule {
  std::string_view tag;
  std::string pattern;
  bool only_llm = false;  // Reads the tools that an answer without text asked for.
};

// In the order in which they are tried. Any thread.
std::span<const PresetRule> PresetRules();

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_TAG_PRESETS_H_
