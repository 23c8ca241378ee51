// Any bytes are a rule, a rules file and a text to tag: each is taken or refused, with a reason.

#include <cstdlib>
#include <string_view>

#include "sonde/tag_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  sonde::TagRules rules;
  const auto from_toml = rules.AddToml(text);
  if (!from_toml.ok() && from_toml.error().message.empty()) std::abort();
  const std::string_view line = text.substr(0, text.find('\n'));
  const auto added = rules.Add(line);
  if (!added.ok() && added.error().message.empty()) std::abort();
  if (!rules.Compile().ok()) return 0;
  for (const auto kind :
       {sonde::TagKind::kSession, sonde::TagKind::kPrompt, sonde::TagKind::kLlm}) {
    const std::uint32_t rule = rules.Match(kind, text);
    if (rule != sonde::TagRules::kNone && !sonde::IsTag(rules.tag(rule))) std::abort();
  }
  rules.Warnings();
  rules.Unused();
  return 0;
}
