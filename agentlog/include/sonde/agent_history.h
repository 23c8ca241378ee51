// AgentHistory: the sessions in a set of agent logs, counted once each.

#ifndef SONDE_AGENT_HISTORY_H_
#define SONDE_AGENT_HISTORY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/agent_session.h"
#include "sonde/losses.h"
#include "sonde/result.h"

namespace sonde {

// Where logs are looked for when no files are named.
struct AgentLogPlaces {
  std::vector<std::string> codex_roots;  // Folders; each is searched whole.
  std::vector<std::string> claude_roots;
};

// From CODEX_HOME, CLAUDE_CONFIG_DIR and HOME: sessions/ and archived_sessions/ of Codex,
// projects/ of Claude Code. **Any thread** that does not change the environment.
AgentLogPlaces DefaultAgentLogPlaces();

// What a search has found.
struct FoundAgentLogs {
  std::vector<std::string> files;  // The newest first.
  // Folders that could not be searched, under their whole names, which end in '/'.
  Losses losses;
};

// Every log below the places. Links to folders are not followed; a place that is missing holds
// nothing. **Any thread.**
FoundAgentLogs FindAgentLogs(const AgentLogPlaces& places);

// Which sessions are kept, after copies were removed over all files. Empty or 0 = no condition.
struct SessionFilter {
  std::string project_root{};       // Kept: the session's working folder is this one or below it.
  std::string agent{};              // The agent's name starts with it.
  std::string session_id{};         // The session's id contains it.
  std::string model{};              // A call was made to a model whose name contains it.
  std::int64_t since_ns = kNoTime;  // Only events at or after; a session without any is left out.
  std::int64_t until_ns = kNoTime;  // Only events before.
  std::size_t max_sessions = 0;     // The newest of those a person started, with their sub-agents.
};

struct HistoryOptions {
  SessionFilter filter{};
  std::string parse_cache{};  // Folder of the parse cache; empty = none.
  unsigned threads = 0;       // 0 = one a processor.
  // Read besides the files that are named. Of these, one that cannot be opened is a loss, not an
  // error; what the search has lost is in the losses of the history.
  FoundAgentLogs found{};
  // A longer line is skipped and counted.
  std::uint64_t max_line_bytes = std::uint64_t{256} << 20;
  // Asked to, the reading ends with kTimeout, and so does reading again in VisitSessions.
  std::stop_token stop{};
};

// The folder of the parse cache when none is named: $XDG_CACHE_HOME/sonde/agentlog or
// ~/.cache/sonde/agentlog. Empty without either. **Any thread** that does not change the
// environment.
std::string DefaultParseCache();

// How outputs call a log: the last part of its path, or "redacted" when that looks like a key or
// somebody's address. **Any thread.**
std::string ShownNameOfLog(std::string_view path);

// A hash of a path that is equal for equal normalised absolute paths. **Any thread.**
std::uint64_t HashOfPath(std::string_view path) noexcept;

class AgentHistory {
 public:
  // Reads `files` ("-" is standard input) and what was found. A file that is no agent log, and a
  // line that is damaged, are left out and counted in losses(). Fails with kNotFound or kInvalid
  // when a named file cannot be opened. Memory: the longest line a thread, and under 64 bytes for
  // each distinct message, call and record id. **Any thread.**
  static Result<AgentHistory> Read(const std::vector<std::string>& files,
                                   const HistoryOptions& options = {});

  AgentHistory(AgentHistory&&) noexcept;
  AgentHistory& operator=(AgentHistory&&) noexcept;
  ~AgentHistory();

  // Those the people started, by start, each followed by its sub-agents.
  std::span<const AgentSession> sessions() const noexcept;
  // Names of the files that were read.
  std::span<const std::string> files() const noexcept;
  // The sum over sessions().
  const AgentCounts& totals() const noexcept;
  // Lines and files that could not be used, by cause, with places.
  const Losses& losses() const noexcept;

  struct State;
  const State& state() const noexcept { return *state_; }

 private:
  explicit AgentHistory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Reads the logs of all sessions of `history` again, several files at once, and hands out what
// counted. Fails with kInvalid when a file has changed since in a way that moved its records.
// Not thread-safe for one `visitors`.
Status VisitSessions(const AgentHistory& history, SessionVisitors& visitors, unsigned threads = 0);

}  // namespace sonde

#endif  // SONDE_AGENT_HISTORY_H_
