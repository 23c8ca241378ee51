// ToolFacts: what a tool call of an agent did, read off its name and arguments.

#ifndef SONDE_AGENTLOG_TOOL_FACTS_H_
#define SONDE_AGENTLOG_TOOL_FACTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/shell_command.h"
#include "sonde/agent_session.h"

namespace sonde::agentlog {

enum class ToolCategory : std::uint8_t { kShell, kEdit, kRead, kNetwork, kPlan, kSubagent, kTool };

// "shell", "edit", "read", "network", "plan", "subagent", "tool". Any thread.
std::string_view NameOf(ToolCategory category) noexcept;

// Still content, not names: the frame namer comes after it.
struct ToolFacts {
  ToolCategory category = ToolCategory::kTool;
  Effect effect = Effect::kProcess;
  std::string command{};       // The most telling argument: the command, the path, the query.
  std::string command_name{};  // The program, the host or the tool; may be empty.
  std::vector<std::string> processes{};
  std::vector<FileTouch> files{};
  std::vector<std::string> domains{};
  std::string skill{};  // Of a call that starts a skill.
};

// Arguments that are damaged or of unexpected types are taken for absent. Any thread.
ToolFacts FactsOf(const ToolCall& tool);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_TOOL_FACTS_H_
