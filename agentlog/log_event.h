// LogSink: what a dialect finds in a log, record by record, before anything is counted.

#ifndef SONDE_AGENTLOG_LOG_EVENT_H_
#define SONDE_AGENTLOG_LOG_EVENT_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "sonde/agent_session.h"

namespace sonde::agentlog {

// Number of a thread of work within its file.
using LocalThread = std::uint32_t;

// How good a copy of a record is: the best one found in any file counts.
enum class CopyRank : std::uint8_t {
  kMain,
  kForked,     // Says itself that it was copied from another session.
  kSidechain,  // In the account of a sub-agent.
  kProgress,   // A sub-agent's record repeated in its parent's log.
};

// Where a prompt was found. Some logs write it several times; per turn the best source counts.
enum class PromptSource : std::uint8_t {
  kRecord,  // The record that says it was typed.
  kMarked,  // A model input marked as the user's.
  kItem,    // An item repeated for display.
  kInput,   // A model input of the user's role; counts when a log has none of the others.
};

// Every text is valid during the call alone. `key` identifies the record over all files; `place`
// counts up through the file.

struct ThreadEvent {
  AgentKind agent = AgentKind::kCodex;
  std::string_view session_id{};
  std::string_view agent_id{};  // Empty for what a person started.
  bool is_subagent = false;
  std::string_view parent_id{};
};

struct PromptEvent {
  LocalThread thread = 0;
  std::uint64_t place = 0;
  std::uint64_t key = 0;
  std::int64_t time_ns = kNoTime;
  PromptKind kind = PromptKind::kUser;
  PromptSource source = PromptSource::kRecord;
  std::uint32_t turn = 0;
  CopyRank rank = CopyRank::kMain;
  bool has_image = false;
  std::string_view text{};
};

// A part of a response, or all of it.
struct ResponseEvent {
  LocalThread thread = 0;
  std::uint64_t place = 0;
  std::uint64_t key = 0;
  std::uint64_t line_key = 0;  // Set when `key` holds within its session alone: the line's own id.
  std::int64_t time_ns = kNoTime;
  std::int64_t end_ns = kNoTime;
  CopyRank rank = CopyRank::kMain;
  bool is_advisor = false;
  bool is_final = false;
  std::string_view id{};
  std::string_view model{};
  std::string_view effort{};
  TokenCounts tokens;
  std::uint64_t counters = 0;  // Codex: hash of the counters as written; 0 = none.
  std::string_view text{};     // Only when the dialect was asked for text.
};

struct ToolEvent {
  LocalThread thread = 0;
  std::uint64_t place = 0;
  std::uint64_t key = 0;
  std::uint64_t line_key = 0;
  std::uint64_t response = 0;  // Key of the response that asked; 0 when the next one did.
  std::int64_t time_ns = kNoTime;
  CopyRank rank = CopyRank::kMain;
  ToolStatus status = ToolStatus::kPending;  // As far as the request itself tells.
  // Repeats a call, or is one inside of a call: which, is known when the file was read.
  bool may_be_nested = false;
  bool runs_nested = false;  // Code mode: other calls may run inside of it.
  std::string_view name{};
  std::string_view call_id{};
  ToolInput input_kind = ToolInput::kNone;
  std::string_view input{};
};

struct ToolResultEvent {
  LocalThread thread = 0;
  std::uint64_t place = 0;
  std::uint64_t key = 0;
  std::int64_t time_ns = kNoTime;
  ToolStatus status = ToolStatus::kOk;
};

enum class MarkKind : std::uint8_t {
  kCompaction,
  kCompactionNotice,  // Repeats a compaction; counts when a log has none of the other.
  kApiError,
  kServerTool,
  kQueuedNotRecorded,
};

struct MarkEvent {
  LocalThread thread = 0;
  std::uint64_t place = 0;
  std::uint64_t key = 0;
  std::int64_t time_ns = kNoTime;
  MarkKind kind = MarkKind::kCompaction;
};

// Where the history of a Codex thread came from.
struct OriginEvent {
  LocalThread thread = 0;
  std::uint64_t parent_key = 0;  // Of the thread it was copied from; 0 when none is named.
  std::int64_t created_ns = kNoTime;
  bool is_spawned = false;   // Started by another thread as a sub-agent.
  bool is_stream = false;    // Printed by a run that has a log of its own.
  bool tells_start = false;  // Says where its own records begin; the dialect leaves out the rest.
};

class LogSink {
 public:
  LogSink() = default;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  virtual ~LogSink() = default;

  // Names a thread; equal threads of a file get equal numbers.
  virtual LocalThread OnThread(const ThreadEvent& event) = 0;
  // A record of `thread`; the working folder and version where the record tells.
  virtual void OnRecord(LocalThread thread, std::int64_t time_ns) = 0;
  virtual void OnFolder(LocalThread, std::string_view) {}
  virtual void OnVersion(LocalThread, std::string_view) {}
  virtual void OnTitle(LocalThread, std::string_view) {}
  virtual void OnOrigin(const OriginEvent&) {}
  // A turn of a Codex thread begins.
  virtual void OnTurn(LocalThread, std::uint64_t /*place*/, std::uint64_t /*turn_key*/) {}
  // A turn says when it really began: the first that began after its thread is the thread's own.
  virtual void OnOwnTurn(LocalThread, std::uint64_t /*place*/) {}
  virtual void OnPrompt(const PromptEvent& event) = 0;
  virtual void OnResponse(const ResponseEvent& event) = 0;
  virtual void OnTool(const ToolEvent& event) = 0;
  virtual void OnToolResult(const ToolResultEvent& event) = 0;
  virtual void OnMark(const MarkEvent&) {}
  // A number that is none, or another oddity that was repaired.
  virtual void OnOddity(std::string_view /*cause*/, std::uint64_t /*line*/) {}
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_LOG_EVENT_H_
