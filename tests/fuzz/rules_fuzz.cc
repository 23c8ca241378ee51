// Any bytes are a rule file in either language: rules that can be asked, or a reason.

#include <cstdlib>
#include <string_view>

#include "evidence/classification_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& read :
       {sonde::ClassificationRules::FromToml(text), sonde::ClassificationRules::FromYaml(text)}) {
    if (!read.ok()) {
      if (read.error().message.empty()) std::abort();
      continue;
    }
    const sonde::ClassificationRules& rules = read.value();
    for (std::size_t i = 0; i < rules.rules().size(); ++i) {
      const sonde::ClassificationRule& rule = rules.rules()[i];
      if (!(rule.self_percent_gte >= 0 && rule.self_percent_gte <= 100)) std::abort();
      if (rule.version < 1) std::abort();
      rules.NameMatches(i, text.substr(0, 100), "libc.so.6");
      rules.AncestorMatches(i, text.substr(0, 100));
    }
    rules.CategoriesOf("malloc", "libc.so.6");
  }
  return 0;
}
