// CodexThread: the thread that a Codex file is the log of, and the record of it at hand.

#include "agentlog/codex_thread.h"

#include "agentlog/hash.h"
#include "agentlog/iso_time.h"

namespace sonde::agentlog {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

// "019b..." of "rollout-2026-01-01T00-00-00-019b....jsonl".
std::string_view ThreadIdIn(std::string_view file_name) {
  file_name = file_name.substr(0, file_name.find(".json"));
  constexpr std::size_t kUuid = 36;
  return file_name.size() > kUuid && file_name.starts_with("rollout-")
             ? file_name.substr(file_name.size() - kUuid)
             : file_name;
}

}  // namespace

void CodexThread::Enter(const CodexRecord& record, std::uint64_t line) {
  line_ = line;
  ++place_;
  time_ns_ = ParseTime(record.timestamp);
  if (record.type == "session_meta") {
    TakeMeta(record.payload);
  } else if (IsHeader(record)) {
    TakeHeader(record.payload);
  }
  // Records before the thread's own first one were copied from its parent.
  is_own_ = record.ordinal < 0 || record.ordinal >= start_ordinal_;
  if (is_named_ && is_own_ && time_ns_ != kNoTime) sink_.OnRecord(number_, time_ns_);
}

bool CodexThread::IsHeader(const CodexRecord& record) const {
  return !is_named_ && record.type.empty() && !record.has_payload && !record.payload.id.empty() &&
         !record.payload.has_record_type && (record.payload.has_header_keys || time_ns_ != kNoTime);
}

void CodexThread::Ensure() {
  if (is_named_) return;
  Name({.agent = AgentKind::kCodex, .session_id = ThreadIdIn(options_.file_name)});
  if (time_ns_ != kNoTime) sink_.OnRecord(number_, time_ns_);
}

void CodexThread::EnsureStream(std::string_view id) {
  if (is_named_) return;
  Name(
      {.agent = AgentKind::kCodex, .session_id = id.empty() ? ThreadIdIn(options_.file_name) : id});
  id_ = id;
  sink_.OnOrigin({.thread = number_, .is_stream = true});
}

void CodexThread::Name(const ThreadEvent& event) {
  is_named_ = true;
  is_subagent_ = event.is_subagent;
  key_ = Hash64('x').Add(event.session_id).value();
  number_ = sink_.OnThread(event);
  // A thread may leave no other trace.
  sink_.OnRecord(number_, kNoTime);
}

// The first one names the thread; later ones are its ancestors'.
void CodexThread::TakeMeta(const CodexPayload& payload) {
  if (is_named_) return;
  const bool is_subagent = payload.is_subagent || payload.thread_source == "subagent" ||
                           payload.source == "subagent" || !payload.parent_thread_id.empty();
  std::string_view parent = payload.parent_thread_id;
  if (parent.empty()) parent = payload.forked_from_id;
  if (parent.empty() && is_subagent && payload.session_id != payload.id) {
    parent = payload.session_id;
  }
  Name({.agent = AgentKind::kCodex,
        .session_id = payload.id.empty() ? ThreadIdIn(options_.file_name) : payload.id,
        .agent_id = is_subagent ? payload.id : std::string_view(),
        .is_subagent = is_subagent,
        .parent_id = parent});
  id_ = payload.id;
  if (payload.start_ordinal > 0) start_ordinal_ = payload.start_ordinal;
  if (!payload.cwd.empty()) sink_.OnFolder(number_, payload.cwd);
  if (!payload.cli_version.empty()) sink_.OnVersion(number_, payload.cli_version);
  created_ns_ = ParseTime(payload.timestamp);
  if (created_ns_ == kNoTime) created_ns_ = time_ns_;
  const std::string_view origin =
      payload.forked_from_id.empty() ? payload.parent_thread_id : payload.forked_from_id;
  sink_.OnOrigin({.thread = number_,
                  .parent_key = origin.empty() ? 0 : HashOf(origin),
                  .created_ns = created_ns_,
                  .is_spawned = payload.is_spawned,
                  .tells_start = start_ordinal_ >= 0});
}

void CodexThread::TakeHeader(const CodexPayload& payload) {
  Name({.agent = AgentKind::kCodex, .session_id = payload.id});
  id_ = payload.id;
  if (!payload.cwd.empty()) sink_.OnFolder(number_, payload.cwd);
}

void CodexThread::EnterTurn(const CodexPayload& payload) {
  Ensure();
  if (is_own_ && !payload.turn_id.empty()) sink_.OnTurn(number_, place_, HashOf(payload.turn_id));
  if (!payload.cwd.empty() && !told_folder_) sink_.OnFolder(number_, payload.cwd);
  told_folder_ = true;
}

void CodexThread::BeginTurn(std::int64_t started_at_s) {
  ++turn_;
  if (!is_own_ || started_at_s < 0 || created_ns_ == kNoTime) return;
  if (started_at_s >= created_ns_ / kNanosecondsPerSecond) sink_.OnOwnTurn(number_, place_);
}

}  // namespace sonde::agentlog
