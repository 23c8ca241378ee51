// ClaudeThreads: whose each record of a Claude Code transcript is.

#ifndef SONDE_AGENTLOG_CLAUDE_THREADS_H_
#define SONDE_AGENTLOG_CLAUDE_THREADS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/claude_record.h"
#include "agentlog/log_event.h"
#include "agentlog/row_table.h"

namespace sonde::agentlog {

// A record, once it is known whose it is. Its texts are the record's or the threads'.
struct ClaudeContext {
  LocalThread thread = 0;
  std::uint64_t place = 0;
  std::int64_t time_ns = kNoTime;
  CopyRank rank = CopyRank::kMain;
  bool is_agents = false;  // Of a sub-agent.
  std::string_view session{};
  std::string_view agent{};
  std::uint64_t line_key = 0;  // 0 where the record has no id.

  // The keys of what stands in the record under `id`.
  std::uint64_t ToolKey(std::string_view id) const noexcept;
  std::uint64_t ToolLineKey(std::string_view id) const noexcept;
  std::uint64_t ResponseLineKey(std::string_view id) const noexcept;
  // `file_key` and the place tell a response apart that has no id at all.
  std::uint64_t ResponseKey(std::string_view id, std::string_view request_id,
                            std::uint64_t file_key) const noexcept;
};

// The main thread and the sub-agents of a file. Not thread-safe.
class ClaudeThreads {
 public:
  // Records that name no session are of the one named last, or else of `file_name`. `sink` outlives
  // it.
  ClaudeThreads(LogSink& sink, std::string_view file_name) : sink_(sink), session_(file_name) {}

  // The next record of the file names its session, even where it is no one's.
  void SeeSession(std::string_view session) {
    if (!session.empty()) session_ = session;
  }
  // Whose `record` is. Tells the sink that it was there.
  ClaudeContext Enter(const ClaudeRecord& record, std::uint64_t place);
  // `context` within the account of the sub-agent `agent`, repeated in its parent's log.
  void EnterProgress(std::string_view agent, ClaudeContext& context);

  LocalThread Main(std::string_view session, std::string_view forked_from = {});
  // The title of the session at hand.
  void Title(std::string_view title);

 private:
  struct InlineRecord {
    std::uint64_t key = 0;
    std::uint32_t root = 0;  // In `inline_roots_`.
  };
  struct Told {
    bool folder = false;
    bool version = false;
  };
  LocalThread Sub(std::string_view session, std::string_view agent);
  std::string_view InlineAgent(const ClaudeRecord& record);
  void Tell(const ClaudeRecord& record, const ClaudeContext& context);

  LogSink& sink_;
  std::string session_;
  std::string pending_title_;

  bool has_main_ = false;
  std::string main_session_;
  LocalThread main_ = 0;
  bool has_sub_ = false;
  std::string sub_session_;
  std::string sub_agent_;
  LocalThread sub_ = 0;
  std::vector<Told> told_;  // By thread.

  RowTable<InlineRecord> inline_records_;  // By uuid.
  std::vector<std::string> inline_roots_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CLAUDE_THREADS_H_
