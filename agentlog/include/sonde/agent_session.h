// AgentSession: what one thread of a coding agent did, and the events it is made of.
//
// The logs are read in two passes. AgentHistory::Read (agent_history.h) counts: it keeps numbers,
// ids and hashes, never text, and decides which of several copies of a record is the one that
// counts. VisitSessions then reads the files of the chosen sessions again and hands out each
// event that counted, with its text, one at a time. So what a visitor sees adds up to what the
// history says, and neither holds more text than one response of one session a thread.
//
//   AgentHistory history = AgentHistory::Read(files, options).value();
//   for (const AgentSession& session : history.sessions()) ...          // the table
//   VisitSessions(history, visitors);                                   // the views
//
// A session is one thread of work: what a person started, or a sub-agent (`parent` is then set).
// sessions() is ordered by start, every sub-agent behind its parent.

#ifndef SONDE_AGENT_SESSION_H_
#define SONDE_AGENT_SESSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sonde {

enum class AgentKind : std::uint8_t { kCodex, kClaude };

// "codex", "claude". **Any thread.**
std::string_view NameOf(AgentKind agent) noexcept;

// Nanoseconds since 1970 UTC where an instant is meant. Logs hold milliseconds.
inline constexpr std::int64_t kNoTime = INT64_MIN;
// An RFC 3339 instant ("2026-01-01T00:00:02.500Z", or with an offset); kNoTime for anything else.
// **Any thread.**
std::int64_t ParseAgentTime(std::string_view text) noexcept;

inline constexpr std::uint32_t kNoIndex = UINT32_MAX;

// Tokens by kind. input, cache_read, cache_creation and output are disjoint and add up to what
// the vendor bills; `reasoning` is a part of output (more than it only where the log says so),
// the two cache_creation_* are parts of cache_creation and may be 0 where the log does not split.
struct TokenCounts {
  std::uint64_t input = 0;  // Not cached.
  std::uint64_t cache_read = 0;
  std::uint64_t cache_creation = 0;
  std::uint64_t cache_creation_5m = 0;
  std::uint64_t cache_creation_1h = 0;
  std::uint64_t output = 0;
  std::uint64_t reasoning = 0;

  // Both saturate.
  TokenCounts& operator+=(const TokenCounts& other) noexcept;
  std::uint64_t Total() const noexcept;
  friend bool operator==(const TokenCounts&, const TokenCounts&) = default;
};

// What can be counted without keeping text.
struct AgentCounts {
  std::uint64_t user_prompts = 0;   // Typed by a person.
  std::uint64_t agent_prompts = 0;  // Written by another agent: sub-agents, teams.
  std::uint64_t slash_commands = 0;
  std::uint64_t bash_inputs = 0;  // Shell input typed by a person.
  std::uint64_t interruptions = 0;
  std::uint64_t queued_not_recorded = 0;  // Typed into the queue and taken back or never recorded.
  std::uint64_t llm_calls = 0;
  std::uint64_t api_errors = 0;  // Answers made up by the client.
  std::uint64_t compactions = 0;
  std::uint64_t server_tool_calls = 0;              // Run by the vendor inside a response.
  std::map<std::string, std::uint64_t> tool_calls;  // By name.
  std::uint64_t tool_calls_total = 0;
  std::uint64_t failed_tool_calls = 0;  // Rejected ones too.
  std::uint64_t rejected_tool_calls = 0;
  std::uint64_t pending_tool_calls = 0;  // Without a result.
  std::uint64_t nested_tool_calls = 0;   // Run inside another tool call; not in tool_calls.
  std::uint64_t nested_failed = 0;
  std::map<std::string, TokenCounts> models;  // "" where the log names none.
  TokenCounts tokens;

  AgentCounts& operator+=(const AgentCounts& other);
};

struct AgentSession {
  AgentKind agent = AgentKind::kCodex;
  std::string id;        // The session's; a Claude sub-agent carries its parent's.
  std::string agent_id;  // Of a sub-agent; empty otherwise.
  bool is_subagent = false;
  std::uint32_t parent = kNoIndex;  // Into AgentHistory::sessions(); kNoIndex also when not read.
  std::string parent_id;            // Of a sub-agent or a fork; empty when not known.
  std::string version;              // Of the agent's program; empty when not known.
  // First and last instant in any record that is its own: not in history copied from another.
  std::int64_t start_ns = kNoTime;
  std::int64_t end_ns = kNoTime;
  bool has_usage = false;      // False: no record says what calls cost, which is not "nothing".
  std::uint64_t cwd_hash = 0;  // HashOfPath of the first working folder; 0 when not known.
  AgentCounts counts;
  std::vector<std::uint32_t> files;  // Into AgentHistory::files().
};

enum class PromptKind : std::uint8_t {
  kUser,          // Typed by a person.
  kAgent,         // Written by another agent.
  kSlashCommand,  // text is the command's name.
  kBashInput,     // text is what was typed.
  kInterruption,  // text is empty.
};

enum class ToolStatus : std::uint8_t {
  kPending,  // No result in the log.
  kOk,
  kFailed,
  kRejected,  // A person or a rule refused it; counted as failed too.
};

// Every string_view below is valid only during the call that hands it out. `next_ns` is the time
// of the following event (prompt, call, tool) of the session in time order, kNoTime for the last
// and for events without time; so the spans time_ns..next_ns of a session do not overlap and add
// up to its length.

struct AgentPrompt {
  std::uint32_t index = 0;  // Among the prompts of this session, all kinds together.
  PromptKind kind = PromptKind::kUser;
  std::int64_t time_ns = kNoTime;
  std::int64_t next_ns = kNoTime;
  bool has_image = false;
  std::string_view text{};  // Whole, without injected envelopes; may be empty (an image).
};

// One request to a model.
struct LlmCall {
  std::uint32_t index = 0;          // Among the calls of this session.
  std::uint32_t prompt = kNoIndex;  // The prompt it answers: an AgentPrompt::index.
  std::int64_t time_ns = kNoTime;   // First record of the answer.
  std::int64_t end_ns = kNoTime;    // Last record of the answer.
  std::int64_t start_ns = kNoTime;  // The record it waited for: a prompt or a tool's result.
  std::int64_t next_ns = kNoTime;
  std::string_view id{};      // The vendor's message or response id; empty when not known.
  std::string_view model{};   // Empty when not known.
  std::string_view effort{};  // "low", "high"; empty when not known.
  TokenCounts tokens;
  std::string_view text{};  // What the model said, without its reasoning; pieces joined by newline.
  bool is_final = false;    // The answer ended the turn.
  bool is_advisor = false;  // Made inside another call, by a model of its own.
};

enum class ToolInput : std::uint8_t { kNone, kJson, kText };

struct ToolCall {
  std::uint32_t index = 0;          // Among the tools of this session.
  std::uint32_t prompt = kNoIndex;  // An AgentPrompt::index.
  std::uint32_t call = kNoIndex;    // The LlmCall::index that asked for it.
  std::int64_t time_ns = kNoTime;   // When it was asked for.
  std::int64_t end_ns = kNoTime;    // When its result was recorded.
  std::int64_t next_ns = kNoTime;
  std::string_view name{};  // As logged: "Bash", "shell", "mcp__server__tool".
  std::string_view call_id{};
  // kJson: the arguments as one JSON object, as written ({"command": ..., "file_path": ...}).
  // kText: free text (a patch, a script).
  ToolInput input_kind = ToolInput::kNone;
  std::string_view input{};
  ToolStatus status = ToolStatus::kPending;
  bool is_nested = false;  // Run inside the tool call before it (code mode).
};

// Receives the events of one session in log order, except that a call comes before the tools it
// asked for. One thread at a time, not always the same.
class SessionVisitor {
 public:
  SessionVisitor() = default;
  SessionVisitor(const SessionVisitor&) = delete;
  SessionVisitor& operator=(const SessionVisitor&) = delete;
  virtual ~SessionVisitor() = default;

  // The name given to the session by a person or a model. May come at any time, the last one wins.
  virtual void OnTitle(std::string_view) {}
  virtual void OnPrompt(const AgentPrompt& prompt) = 0;
  virtual void OnCall(const LlmCall& call) = 0;
  virtual void OnTool(const ToolCall& tool) = 0;
};

class SessionVisitors {
 public:
  SessionVisitors() = default;
  SessionVisitors(const SessionVisitors&) = delete;
  SessionVisitors& operator=(const SessionVisitors&) = delete;
  virtual ~SessionVisitors() = default;

  // A session starts: `index` into AgentHistory::sessions(), `cwd` its first working folder
  // (empty when not known). **Any thread.**
  virtual std::unique_ptr<SessionVisitor> Begin(std::uint32_t index, const AgentSession& session,
                                                std::string_view cwd) = 0;
  // All events of a session were handed out. Called for every session begun, in the order of
  // AgentHistory::sessions(), one at a time: equal input gives equal results.
  virtual void End(std::uint32_t index, std::unique_ptr<SessionVisitor> visitor) = 0;
};

}  // namespace sonde

#endif  // SONDE_AGENT_SESSION_H_
