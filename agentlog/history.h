// AgentHistory::State: what a history keeps for visiting its sessions again.

#ifndef SONDE_AGENTLOG_HISTORY_H_
#define SONDE_AGENTLOG_HISTORY_H_

#include <stop_token>
#include <string>
#include <vector>

#include "agentlog/ledger.h"
#include "agentlog/log_file.h"
#include "sonde/agent_history.h"

namespace sonde {

struct AgentHistory::State {
  std::vector<AgentSession> sessions;
  std::vector<std::string> files;
  std::vector<bool> is_dropped;            // By file: another copy of the whole log counts.
  std::vector<agentlog::OpenFile> spools;  // By file: kept of what can be read once alone.
  AgentCounts totals;
  Losses losses;
  agentlog::Ledger ledger;
  std::vector<std::uint32_t> session_of;  // By thread of the ledger; kNoIndex = not chosen.
  std::vector<std::uint32_t> thread_of;   // By session.
  std::uint64_t max_line_bytes = 0;
  std::stop_token stop;
};

}  // namespace sonde

namespace sonde::agentlog {

// One a processor, within reason. **Any thread.**
unsigned ThreadsByDefault() noexcept;

// Opens file `index` of the history for reading from its start. **Any thread** for one index.
Result<OpenFile> OpenAgain(const AgentHistory::State& state, std::uint32_t index);

// Sessions, their counts and the totals, from a settled ledger. Not thread-safe.
void MakeSessions(AgentHistory::State& state, const SessionFilter& filter);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_HISTORY_H_
