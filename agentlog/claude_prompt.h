// ClaudePrompt: what a user record of Claude Code really is, told from its text.

#ifndef SONDE_AGENTLOG_CLAUDE_PROMPT_H_
#define SONDE_AGENTLOG_CLAUDE_PROMPT_H_

#include <optional>
#include <string_view>

#include "sonde/agent_session.h"

namespace sonde::agentlog {

struct ClaudePrompt {
  PromptKind kind = PromptKind::kUser;
  std::string_view text;  // Points into the text it was told from.
};

// Removes what the client put in front, then tells. nullopt for what nobody typed: reminders,
// output of local commands, notifications, and an empty text without an image. **Any thread.**
std::optional<ClaudePrompt> TellClaudePrompt(std::string_view text, bool has_image) noexcept;

// True when the result of a failed tool says that a person or a rule refused the call. `text` may
// be escaped JSON. **Any thread.**
bool SaysRejected(std::string_view text) noexcept;

// Without white space at both ends. **Any thread.**
std::string_view Trimmed(std::string_view text) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CLAUDE_PROMPT_H_
