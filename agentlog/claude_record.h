// ClaudeRecord: one line of a Claude Code transcript, taken apart but not yet understood.

#ifndef SONDE_AGENTLOG_CLAUDE_RECORD_H_
#define SONDE_AGENTLOG_CLAUDE_RECORD_H_

#include <string_view>
#include <vector>

#include "agentlog/json.h"
#include "sonde/agent_session.h"

namespace sonde::agentlog {

// Texts called raw_* are still escaped. All point into the line or the arena.
struct ClaudeBlock {
  enum class Kind : std::uint8_t { kOther, kText, kImage, kToolUse, kToolResult, kServerToolUse };
  Kind kind = Kind::kOther;
  std::string_view raw_text{};
  std::string_view id{};  // Of the tool use, or of the one that a result answers.
  std::string_view name{};
  std::string_view input{};    // JSON.
  std::string_view content{};  // Of a result: raw text or JSON.
  bool is_error = false;
};

struct ClaudeUsage {
  struct Advisor {
    std::string_view model;
    TokenCounts tokens;
  };
  bool is_present = false;
  bool is_odd = false;  // A count was none.
  TokenCounts tokens;
  std::vector<Advisor> advisors;
};

struct ClaudeContent {
  bool is_text = false;  // Not a list of blocks.
  std::string_view raw_text{};
  std::vector<ClaudeBlock> blocks;
};

struct ClaudeMessage {
  bool is_present = false;
  std::string_view id{};
  std::string_view model{};
  std::string_view role{};
  std::string_view stop_reason{};
  ClaudeContent content;
  ClaudeUsage usage;
};

struct ClaudeRecord {
  std::string_view type{};
  std::string_view subtype{};  // Of a system record; "operation" of a queue operation.
  std::string_view uuid{};
  std::string_view parent_uuid{};
  std::string_view session_id{};
  std::string_view agent_id{};
  std::string_view cwd{};
  std::string_view version{};
  std::string_view timestamp{};
  std::string_view request_id{};
  std::string_view effort{};
  std::string_view origin_kind{};
  std::string_view prompt_source{};
  std::string_view session_kind{};
  std::string_view forked_from{};
  std::string_view title{};
  std::string_view parent_tool_use_id{};
  bool is_sidechain = false;
  bool is_meta = false;
  bool is_compact_summary = false;
  bool is_transcript_only = false;
  bool is_api_error = false;
  bool was_denied = false;
  ClaudeMessage message;
  ClaudeContent content;  // Of a queue operation or an attachment.

  // Of "attachment" and of "data" of a progress record.
  std::string_view inner_type{};
  std::string_view inner_mode{};
  std::string_view inner_origin{};
  std::string_view inner_agent_id{};
  std::string_view raw_inner_prompt{};
  bool inner_is_meta = false;

  void Clear();
};

// Reads `object` into `record`, and the record inside of a progress record into `inner`
// (nullptr: skipped). False when the line is damaged. Not thread-safe.
bool ReadClaudeRecord(json::od::object object, json::TextArena& arena, ClaudeRecord& record,
                      ClaudeRecord* inner);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CLAUDE_RECORD_H_
