// Operation: one prompt, model call or tool call, reduced to names, numbers and hashes.

#ifndef SONDE_AGENTLOG_OPERATION_H_
#define SONDE_AGENTLOG_OPERATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/shell_command.h"
#include "agentlog/tool_facts.h"
#include "sonde/agent_session.h"
#include "sonde/string_table.h"
#include "sonde/tagger.h"

namespace sonde::agentlog {

enum class OperationKind : std::uint8_t { kPrompt, kTool, kLlm };

// Whether it counts as a prompt: something asked of an agent. Slash commands, shell input and
// interruptions are counted apart. Any thread.
bool IsPrompt(PromptKind kind) noexcept;
// "user", "agent", "slash_command", "bash_input", "interruption". Any thread.
std::string_view NameOf(PromptKind kind) noexcept;

// A range of SessionOperations::values.
struct ValueRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct PathValue {
  StringId group{};
  Access access = Access::kRead;
};

// All StringIds belong to SessionOperations::strings and are names already: the frame namer made
// them. `preview` and `command_preview` are text, and empty unless previews were asked for.
struct Operation {
  OperationKind kind = OperationKind::kPrompt;
  PromptKind prompt_kind = PromptKind::kUser;
  ToolStatus status = ToolStatus::kPending;
  Effect effect = Effect::kProcess;
  ToolCategory category = ToolCategory::kTool;
  bool is_final = false;    // The answer ended the turn.
  bool is_nested = false;   // Run inside the tool call before it.
  bool keeps_task = false;  // A prompt that only says to go on.
  bool has_text = false;
  bool is_repeat = false;           // The tool call right before it was the same.
  std::uint32_t prompt = kNoIndex;  // An AgentPrompt::index.
  std::int64_t time_ns = kNoTime;
  std::int64_t end_ns = kNoTime;
  std::int64_t next_ns = kNoTime;
  StringId name{};     // The tool, or the model.
  StringId command{};  // Of a tool: the program, the host or the tool.
  StringId skill{};
  StringId id{};         // The vendor's call or message id.
  StringId text_hash{};  // Of the prompt, the answer or the command.
  StringId preview{};
  ValueRange processes{};
  ValueRange domains{};
  std::uint32_t first_path = 0;
  std::uint32_t path_count = 0;
  std::uint32_t text_bytes = 0;
  TagTicket tag{};
  TokenCounts tokens{};
};

// "prompt", "tool", "llm", or the kind of input that is counted apart. Any thread.
std::string_view SourceKindOf(const Operation& operation) noexcept;

// One session, not yet tagged.
struct SessionOperations {
  const AgentSession* session = nullptr;
  StringTable strings;
  std::vector<Operation> operations;  // In the order of the log.
  std::vector<StringId> values;
  std::vector<PathValue> paths;
  std::string session_text;  // What the session's tag is decided by.
  TagTicket task_choice{};
  bool has_task_choice = false;
};

// The same with all answers of the tagger.
struct TaggedSession {
  SessionOperations recorded;
  std::string_view tag;
  std::vector<std::string_view> tags;         // By operation; empty for tools.
  std::vector<std::string_view> prompt_tags;  // By AgentPrompt::index; empty where there is none.
  std::vector<std::string_view> tasks;        // Likewise.

  std::string_view PromptTag(const Operation& operation) const noexcept {
    return operation.prompt < prompt_tags.size() ? prompt_tags[operation.prompt]
                                                 : std::string_view();
  }
  std::string_view Task(const Operation& operation) const noexcept {
    return operation.prompt < tasks.size() ? tasks[operation.prompt] : std::string_view();
  }
};

// Waits for the answers and works out tasks and repeats.
TaggedSession TagSession(SessionOperations recorded, Tagger& tagger, Tagger* task_tagger);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_OPERATION_H_
