// ReadTagRulesToml: tag rules as they stand in a TOML file.

#include "agentlog/tag_rules_toml.h"

// It asserts what it then checks properly: "[[[" is an error, not a fault.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>

namespace sonde::agentlog {
namespace {

Error Malformed(std::string message, std::uint64_t line) {
  return {.code = ErrorCode::kMalformed, .message = std::move(message), .line = line};
}

Result<std::string> TextAt(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr || !node->is_string()) {
    return Malformed("a rule needs the text '" + std::string(key) + "'",
                     (node == nullptr ? table.source() : node->source()).begin.line);
  }
  return node->ref<std::string>();
}

}  // namespace

Result<std::vector<TomlRule>> ReadTagRulesToml(std::string_view toml) {
  toml::table parsed;
  try {
    parsed = toml::parse(toml);
  } catch (const toml::parse_error& error) {
    return Malformed(std::string(error.description()), error.source().begin.line);
  }
  std::vector<TomlRule> rules;
  for (const auto& [key, node] : parsed) {
    const toml::array* list = node.as_array();
    const std::uint64_t key_line = node.source().begin.line;
    if (key.str() != "rules" && key.str() != "rule") {
      return Malformed("unknown key '" + std::string(key.str()) + "' (expected rules or rule)",
                       key_line);
    }
    if (list == nullptr) {
      return Malformed(key.str() == "rules" ? "'rules' is not a list of texts KIND:TAG=REGEX"
                                            : "'rule' is not a list of tables (expected [[rule]])",
                       key_line);
    }
    for (const toml::node& entry : *list) {
      const std::uint64_t line = entry.source().begin.line;
      if (key.str() == "rules") {
        if (!entry.is_string()) return Malformed("a rule is a text KIND:TAG=REGEX", line);
        rules.push_back({entry.ref<std::string>(), line});
        continue;
      }
      const toml::table* table = entry.as_table();
      if (table == nullptr) {
        return Malformed("an entry of 'rule' is not a table (texts belong in 'rules')", line);
      }
      for (const auto& [name, value] : *table) {
        if (name.str() == "kind" || name.str() == "tag" || name.str() == "pattern") continue;
        return Malformed("unknown key '" + std::string(name.str()) + "' in a rule",
                         value.source().begin.line);
      }
      std::string text;
      for (const std::string_view part : {"kind", "tag", "pattern"}) {
        Result<std::string> value = TextAt(*table, part);
        if (!value.ok()) return value.error();
        text += value.value() + (part == "kind" ? ":" : part == "tag" ? "=" : "");
      }
      rules.push_back({std::move(text), line});
    }
  }
  // Tables are held by name: only the lines know in what order they were written.
  std::stable_sort(rules.begin(), rules.end(),
                   [](const TomlRule& a, const TomlRule& b) { return a.line < b.line; });
  return rules;
}

}  // namespace sonde::agentlog
