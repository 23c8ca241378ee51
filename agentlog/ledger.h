// Ledger: the account over all logs, every record once.

#ifndef SONDE_AGENTLOG_LEDGER_H_
#define SONDE_AGENTLOG_LEDGER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentlog/tally.h"
#include "sonde/agent_history.h"

namespace sonde::agentlog {

struct LedgerThread {
  TallyThread facts;
  std::uint32_t parent = kNoIndex;
  std::vector<std::uint32_t> files;
  std::int64_t copied_until_ns = kNoTime;  // The last of its records that another thread owns.
};

// Logs are entered one after the other, in an order that does not depend on the machine. Not
// thread-safe.
class Ledger {
 public:
  // Says how many rows are to come, copies included.
  void Expect(std::size_t calls, std::size_t tools, std::size_t prompts);
  // Takes what `tally` says behind `own_start` and empties it as it goes.
  void Enter(Tally& tally, std::uint32_t file, std::uint32_t own_start);
  // After the last log: names parents, settles which prompts and compactions repeat others.
  void Settle();
  // Marks the rows that pass: `keeps` is asked for each thread; times as in SessionFilter.
  void Choose(const std::function<bool(std::uint32_t thread)>& keeps, std::int64_t since_ns,
              std::int64_t until_ns);

  std::uint32_t FindThread(AgentKind agent, std::string_view session_id, std::string_view agent_id,
                           bool is_subagent) const;
  // Where a record of this key is kept.
  std::uint64_t CallKey(std::uint64_t key) const { return Renamed(renamed_calls_, key); }
  std::uint64_t ToolKey(std::uint64_t key) const { return Renamed(renamed_tools_, key); }

  std::vector<LedgerThread> threads;
  NameTable models;
  NameTable efforts;
  NameTable tools;
  RowTable<CallRow> calls;
  RowTable<ToolRow> tool_calls;
  RowTable<PromptRow> prompts;
  RowTable<MarkRow> marks;
  WideTokens wide;

 private:
  using Aliases = RowTable<Alias>;

  static std::uint64_t Renamed(const Aliases& renamed, std::uint64_t key) {
    const Alias* const found = renamed.Find(key);
    return found == nullptr ? key : found->record_key;
  }
  static void Rename(RowList<Alias>& aliases, Aliases& by_line, Aliases& renamed);
  std::vector<std::uint32_t> EnterThreads(Tally& tally, std::uint32_t file);
  // Of two threads that have the same record, one does not own it.
  void NoteCopy(std::uint32_t owner, std::uint32_t a, std::uint32_t b, std::int64_t time_ns);
  void EnterCalls(Tally& tally, std::size_t first, const std::vector<std::uint32_t>& numbers);
  void EnterTools(Tally& tally, std::uint32_t start, const std::vector<std::uint32_t>& numbers);
  void EnterPrompts(Tally& tally, std::uint32_t start, const std::vector<std::uint32_t>& numbers);
  void EnterMarks(Tally& tally, std::uint32_t start, const std::vector<std::uint32_t>& numbers);

  std::unordered_map<std::uint64_t, std::uint32_t> thread_numbers_;
  Aliases call_by_line_;
  Aliases tool_by_line_;
  Aliases renamed_calls_;  // By the key a record is not kept under.
  Aliases renamed_tools_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_LEDGER_H_
