// AgentTagging: the taggers that `sonde agent` is asked for.

#ifndef SONDE_CLI_AGENT_TAGGING_H_
#define SONDE_CLI_AGENT_TAGGING_H_

#include <memory>
#include <string>
#include <vector>

#include "cli/agent_options.h"
#include "sonde/llm_tagger.h"
#include "sonde/tag_rules.h"
#include "sonde/tagger.h"

namespace sonde::cli {

// The file of answers that the tagger reads and, unless --no-cache is given, adds to; empty when
// it keeps none.
std::string TagCacheOf(const AgentOptions& options);

class AgentTagging {
 public:
  // Fails with kUsage for a rule or a combination that makes no sense, and for rule files that
  // cannot be read.
  static Result<AgentTagging> Create(const AgentOptions& options);

  Tagger& tagger() noexcept { return *tagger_; }
  // Null without --task-choice.
  Tagger* task_tagger() noexcept { return tasks_.get(); }
  bool uses_rules() const noexcept { return llm_ == nullptr; }

  // Waits for the server and says what went wrong; before it, rules say what they think of
  // themselves.
  std::vector<std::string> Warnings() const;

 private:
  AgentTagging() = default;

  std::unique_ptr<TagRules> rules_;
  std::unique_ptr<Tagger> tagger_;
  std::unique_ptr<Tagger> tasks_;
  const LlmTagger* llm_ = nullptr;  // tagger_, when it is one.
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_AGENT_TAGGING_H_
