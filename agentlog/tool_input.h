// ParsedInput: what a tool call was given, by key; and the call inside a script.

#ifndef SONDE_AGENTLOG_TOOL_INPUT_H_
#define SONDE_AGENTLOG_TOOL_INPUT_H_

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/agent_session.h"

namespace sonde::agentlog {

// The arguments that are looked at, by key; lists of texts as several values.
using Arguments = std::multimap<std::string, std::string, std::less<>>;

struct ParsedInput {
  Arguments texts;
  std::vector<std::string> argv;  // "command" given as a list.
};

// What is damaged or of another type is left out. Any thread.
ParsedInput ParseInput(const ToolCall& tool);

// The first text that is not empty, of the first of `keys` that has one.
std::string_view First(const Arguments& arguments,
                       std::initializer_list<std::string_view> keys) noexcept;

// The calls of a script in code mode: "tools.shell_command({command: "cargo test"})".
struct ScriptCall {
  std::string name;  // Of the last call.
  int count = 0;
  std::string command;
};

ScriptCall ScriptCallIn(std::string_view text);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_TOOL_INPUT_H_
