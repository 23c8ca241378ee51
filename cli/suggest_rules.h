// SuggestRules: `sonde agent suggest-rules`, words that would tag what no rule fits.

#ifndef SONDE_CLI_SUGGEST_RULES_H_
#define SONDE_CLI_SUGGEST_RULES_H_

#include <CLI/CLI.hpp>
#include <cstddef>

#include "cli/agent_options.h"
#include "sonde/result.h"

namespace sonde::cli {

class SuggestRules {
 public:
  void AddTo(CLI::App& agent);
  bool is_asked() const { return command_ != nullptr && command_->parsed(); }
  Result<int> Run(const AgentOptions& options) const;

 private:
  CLI::App* command_ = nullptr;
  std::size_t count_ = 15;
  std::size_t at_least_ = 2;
  bool as_json_ = false;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_SUGGEST_RULES_H_
