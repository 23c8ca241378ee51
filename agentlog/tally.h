// Tally: what one log adds to the account, before copies in other logs are known.

#ifndef SONDE_AGENTLOG_TALLY_H_
#define SONDE_AGENTLOG_TALLY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentlog/log_event.h"
#include "agentlog/row_list.h"
#include "agentlog/row_table.h"
#include "agentlog/rows.h"
#include "sonde/losses.h"

namespace sonde::agentlog {

// Short names (models, tools), each kept once. 0 is the empty one. Not thread-safe.
class NameTable {
 public:
  NameTable() : names_(1) {}
  // 0 when there are more than `limit`. All that look like secrets share one name.
  std::uint32_t Intern(std::string_view name, std::uint32_t limit);
  const std::string& name(std::uint32_t number) const noexcept { return names_[number]; }
  const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

struct TallyThread {
  AgentKind agent = AgentKind::kCodex;
  bool is_subagent = false;
  bool runs_nested = false;
  std::string session_id;
  std::string agent_id;
  std::string parent_id;
  std::string version;
  std::int64_t start_ns = kNoTime;
  std::int64_t end_ns = kNoTime;
  std::vector<std::uint64_t> folders;  // HashOfPath of the working folder and those above it.
};

// A turn or a call of a Codex log, in order: what forks are compared by.
struct OriginPoint {
  std::uint32_t key = 0;  // Of the turn, or of the counters.
  std::uint32_t place : 31 = 0;
  std::uint32_t is_turn : 1 = 0;
};
static_assert(sizeof(OriginPoint) == 8);

// Where the history of a Codex thread came from.
struct Origin {
  std::uint64_t parent_key = 0;
  std::int64_t created_ns = kNoTime;
  bool is_spawned = false;
  bool tells_start = false;
  bool is_stream = false;
  std::uint32_t own_turn_place = 0;  // 0: no turn says that it is the thread's own.
  std::uint32_t burst_calls = 0;     // Calls within the first second,
  std::uint32_t burst_place = 0;     // and the place of the last of them.
  RowList<OriginPoint> points;
};

// The same record under a key that holds in its session alone and under its line's own id.
struct Alias {
  std::uint64_t key = 0;  // Of the line.
  std::uint64_t record_key = 0;
};

// Fed by a dialect; read by the ledger. Not thread-safe.
class Tally : public LogSink {
 public:
  LocalThread OnThread(const ThreadEvent& event) override;
  void OnRecord(LocalThread thread, std::int64_t time_ns) override;
  void OnFolder(LocalThread thread, std::string_view folder) override;
  void OnVersion(LocalThread thread, std::string_view version) override;
  void OnOrigin(const OriginEvent& event) override;
  void OnTurn(LocalThread thread, std::uint64_t place, std::uint64_t turn_key) override;
  void OnOwnTurn(LocalThread thread, std::uint64_t place) override;
  void OnPrompt(const PromptEvent& event) override;
  void OnResponse(const ResponseEvent& event) override;
  void OnTool(const ToolEvent& event) override;
  void OnToolResult(const ToolResultEvent& event) override;
  void OnMark(const MarkEvent& event) override;
  void OnOddity(std::string_view cause, std::uint64_t line) override;

  // After the last record.
  void DropIndexes();

  std::string file;  // For places of losses.
  std::optional<AgentKind> agent;
  std::vector<TallyThread> threads;
  NameTable models;
  NameTable efforts;
  NameTable tools;
  RowTable<CallRow> calls;
  RowTable<ToolRow> tool_calls;
  RowTable<PromptRow> prompts;
  RowTable<MarkRow> marks;
  WideTokens wide;
  RowList<Alias> call_aliases;
  RowList<Alias> tool_aliases;
  Origin origin;
  Losses losses;

 private:
  std::unordered_map<std::uint64_t, LocalThread> thread_numbers_;
};

inline constexpr std::uint32_t kMostModels = 0xffff;
inline constexpr std::uint32_t kMostEfforts = 0xff;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_TALLY_H_
