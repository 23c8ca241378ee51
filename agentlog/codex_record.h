// CodexRecord: one line of a Codex log, taken apart but not yet understood.

#ifndef SONDE_AGENTLOG_CODEX_RECORD_H_
#define SONDE_AGENTLOG_CODEX_RECORD_H_

#include <string_view>
#include <vector>

#include "agentlog/codex_usage.h"
#include "agentlog/json.h"

namespace sonde::agentlog {

// Texts called raw_* are still escaped. All point into the line or the arena.
struct CodexOutput {
  bool is_present = false;
  bool is_text = false;
  std::string_view raw_text{};  // The string, or the first text of a list.
  bool has_success = false;
  bool success = true;
};

struct CodexItem {
  std::string_view id{};
  std::string_view type{};
  std::string_view status{};
  std::string_view server{};
  std::string_view tool{};
  std::string_view raw_text{};   // First text, of a message.
  std::string_view arguments{};  // JSON.
  std::string_view changes{};    // JSON.
  std::string_view command{};    // JSON; empty when the command is a text.
  std::string_view raw_command{};
  std::string_view query{};
  bool has_image = false;
  std::int64_t exit_code = 0;
  bool failed = false;  // success: false, or a result that is an error.
};

struct CodexPayload {
  std::string_view type{};
  std::string_view id{};
  std::string_view thread_id{};
  std::string_view session_id{};
  std::string_view parent_thread_id{};
  std::string_view forked_from_id{};
  std::string_view thread_source{};
  std::string_view source{};
  std::string_view timestamp{};
  std::string_view cwd{};
  std::string_view cli_version{};
  std::string_view turn_id{};
  std::string_view model{};
  std::string_view effort{};
  std::string_view role{};
  std::string_view kind{};
  std::string_view phase{};
  std::string_view reason{};
  std::string_view call_id{};
  std::string_view name{};
  std::string_view status{};
  std::string_view response_id{};
  std::string_view thread_name{};
  std::string_view raw_message{};
  std::string_view raw_arguments{};  // The arguments as a string,
  std::string_view arguments{};      // or as JSON.
  std::string_view raw_input{};
  std::string_view action{};                // JSON.
  std::string_view command{};               // JSON.
  std::vector<std::string_view> raw_texts;  // Of the content.
  std::vector<std::string_view> kinds;      // content_item_kinds
  bool has_kinds = false;
  bool has_image = false;
  bool is_subagent = false;
  bool is_spawned = false;
  bool has_header_keys = false;  // "instructions" or "git", of a bare header.
  bool has_record_type = false;
  bool failed = false;  // success: false, or a result that is an error.
  std::int64_t exit_code = 0;
  std::int64_t start_ordinal = -1;
  std::int64_t started_at_s = -1;
  CodexOutput output;
  CodexItem item;
  CodexTokenInfo info;
  CodexCounters usage;
};

struct CodexRecord {
  std::string_view type{};
  std::string_view timestamp{};
  std::int64_t ordinal = -1;
  bool has_payload = false;
  CodexPayload payload;  // Of the payload; of the line itself where there is none.

  void Clear();
};

// Reads `object` into `record`. False when the line is damaged. Not thread-safe.
bool ReadCodexRecord(json::od::object object, json::TextArena& arena, CodexRecord& record);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CODEX_RECORD_H_
