// What the texts in a Codex log say: which inputs nobody typed, and how a tool ended.

#ifndef SONDE_AGENTLOG_CODEX_TEXT_H_
#define SONDE_AGENTLOG_CODEX_TEXT_H_

#include <optional>
#include <string_view>

#include "sonde/agent_session.h"

namespace sonde::agentlog {

// True for a model input of the user's role that the client wrote: instructions, surroundings,
// notices. **Any thread.**
bool IsInjectedByCodex(std::string_view text) noexcept;

// How a tool ended, from the start of its output: exit code lines in front of the output itself,
// and the client's own error messages. nullopt when the text does not tell. **Any thread.**
std::optional<ToolStatus> TellCodexStatus(std::string_view text) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CODEX_TEXT_H_
