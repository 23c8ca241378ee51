// ReadTagRulesToml: tag rules as they stand in a TOML file.

#ifndef SONDE_AGENTLOG_TAG_RULES_TOML_H_
#define SONDE_AGENTLOG_TAG_RULES_TOML_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde::agentlog {

struct TomlRule {
  std::string text;        // "KIND:TAG=REGEX".
  std::uint64_t line = 0;  // Counted from 1.
};

// In the order of the file. Fails with kMalformed and the line. Any thread.
Result<std::vector<TomlRule>> ReadTagRulesToml(std::string_view toml);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_TAG_RULES_TOML_H_
