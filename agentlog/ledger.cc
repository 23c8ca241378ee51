// Ledger: the account over all logs, every record once.

#include "agentlog/ledger.h"

#include <algorithm>

#include "agentlog/hash.h"

namespace sonde::agentlog {
namespace {

std::uint64_t KeyOfThread(AgentKind agent, std::string_view session_id, std::string_view agent_id,
                          bool is_subagent) {
  return Hash64(static_cast<std::uint64_t>(agent) + 1)
      .Add(session_id)
      .Add(agent_id)
      .Add(is_subagent ? 1 : 0)
      .value();
}

std::vector<std::uint32_t> Translate(const NameTable& from, NameTable& to, std::uint32_t limit) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : from.names()) numbers.push_back(to.Intern(name, limit));
  return numbers;
}

// The places of rows in a large table are far apart in memory: asked for early, they are there in
// time.
template <typename Row>
void AnnounceAhead(const RowList<Row>& rows, const RowTable<Row>& table) {
  constexpr std::size_t kAhead = 12;
  if (rows.size() > kAhead) table.Announce(rows[kAhead].key);
}

// Which source of prompts counts in each turn of a log.
class PromptSources {
 public:
  explicit PromptSources(const RowList<PromptRow>& rows, std::uint32_t start) {
    for (const PromptRow& row : rows) {
      if (row.place < start || !Competes(row)) continue;
      const auto [best, is_new] = best_.try_emplace(row.turn, row.source);
      if (!is_new) best->second = std::min(best->second, row.source);
      has_better_ = has_better_ || Source(row) != PromptSource::kInput;
    }
  }

  bool Counts(const PromptRow& row) const {
    if (!Competes(row)) return true;
    // A bare input is the last resort of a whole log.
    if (Source(row) == PromptSource::kInput && has_better_) return false;
    return row.source == best_.at(row.turn);
  }

 private:
  static PromptSource Source(const PromptRow& row) { return static_cast<PromptSource>(row.source); }
  static bool Competes(const PromptRow& row) {
    const auto kind = static_cast<PromptKind>(row.kind);
    return kind == PromptKind::kUser || kind == PromptKind::kAgent;
  }

  std::unordered_map<std::uint32_t, std::uint8_t> best_;
  bool has_better_ = false;
};

}  // namespace

std::uint32_t Ledger::FindThread(AgentKind agent, std::string_view session_id,
                                 std::string_view agent_id, bool is_subagent) const {
  const auto found = thread_numbers_.find(KeyOfThread(agent, session_id, agent_id, is_subagent));
  return found == thread_numbers_.end() ? kNoIndex : found->second;
}

std::vector<std::uint32_t> Ledger::EnterThreads(Tally& tally, std::uint32_t file) {
  std::vector<std::uint32_t> numbers;
  for (TallyThread& facts : tally.threads) {
    const std::uint64_t key =
        KeyOfThread(facts.agent, facts.session_id, facts.agent_id, facts.is_subagent);
    const auto [found, is_new] =
        thread_numbers_.try_emplace(key, static_cast<std::uint32_t>(threads.size()));
    numbers.push_back(found->second);
    if (is_new) {
      threads.emplace_back().facts = std::move(facts);
    } else {
      TallyThread& known = threads[found->second].facts;
      if (IsEarlier(facts.start_ns, known.start_ns)) {
        known.start_ns = facts.start_ns;
        if (!facts.folders.empty()) known.folders = facts.folders;
      }
      known.end_ns = std::max(known.end_ns, facts.end_ns);
      if (known.folders.empty()) known.folders = facts.folders;
      if (known.version.empty()) known.version = facts.version;
      if (known.parent_id.empty()) known.parent_id = facts.parent_id;
      known.runs_nested = known.runs_nested || facts.runs_nested;
    }
    threads[found->second].files.push_back(file);
  }
  return numbers;
}

void Ledger::Rename(RowList<Alias>& aliases, Aliases& by_line, Aliases& renamed) {
  for (; !aliases.empty(); aliases.DropFront()) {
    const Alias& alias = aliases.front();
    const std::uint64_t key = Renamed(renamed, alias.record_key);
    const auto [line, is_new] = by_line.FindOrAdd(alias.key);
    if (is_new) line->record_key = key;
    if (line->record_key == key) continue;
    renamed.FindOrAdd(alias.record_key).first->record_key = line->record_key;
  }
}

void Ledger::Expect(std::size_t more_calls, std::size_t more_tools, std::size_t more_prompts) {
  calls.Reserve(calls.size() + more_calls);
  tool_calls.Reserve(tool_calls.size() + more_tools);
  prompts.Reserve(prompts.size() + more_prompts);
}

void Ledger::Enter(Tally& tally, std::uint32_t file, std::uint32_t own_start) {
  const std::vector<std::uint32_t> numbers = EnterThreads(tally, file);
  Rename(tally.call_aliases, call_by_line_, renamed_calls_);
  Rename(tally.tool_aliases, tool_by_line_, renamed_tools_);
  // Calls do not know their place; the points stand in the same order.
  std::size_t first_call = 0;
  for (const OriginPoint& point : tally.origin.points) {
    if (point.is_turn == 0 && point.place < own_start) ++first_call;
  }
  tally.origin.points.Clear();
  EnterPrompts(tally, own_start, numbers);
  EnterCalls(tally, first_call, numbers);
  EnterTools(tally, own_start, numbers);
  EnterMarks(tally, own_start, numbers);
}

void Ledger::NoteCopy(std::uint32_t owner, std::uint32_t a, std::uint32_t b, std::int64_t time_ns) {
  if (a == b) return;
  std::int64_t& until = threads[owner == a ? b : a].copied_until_ns;
  until = std::max(until, time_ns);
}

void Ledger::EnterCalls(Tally& tally, std::size_t first,
                        const std::vector<std::uint32_t>& numbers) {
  const std::vector<std::uint32_t> model_of = Translate(tally.models, models, kMostModels);
  const std::vector<std::uint32_t> effort_of = Translate(tally.efforts, efforts, kMostEfforts);
  tally.calls.DropIndex();
  RowList<CallRow>& rows = tally.calls.rows();
  for (; !rows.empty(); rows.DropFront()) {
    if (first != 0) {
      --first;
      continue;
    }
    AnnounceAhead(rows, calls);
    CallRow copy = rows.front();
    copy.key = CallKey(copy.key);
    copy.thread = numbers[copy.thread];
    copy.model = static_cast<std::uint16_t>(model_of[copy.model]);
    copy.effort = static_cast<std::uint8_t>(effort_of[copy.effort]);
    const auto [row, is_new] = calls.FindOrAdd(copy.key);
    if (is_new) {
      *row = copy;
      if (copy.is_wide != 0) Pack(Unpack(copy, tally.wide), *row, wide);
    } else {
      const std::uint32_t other = row->thread;
      MergeCall(*row, wide, copy, tally.wide);
      NoteCopy(row->thread, other, copy.thread, copy.time_ns);
    }
  }
}

void Ledger::EnterTools(Tally& tally, std::uint32_t start,
                        const std::vector<std::uint32_t>& numbers) {
  const std::vector<std::uint32_t> name_of = Translate(tally.tools, tools, kMostModels);
  tally.tool_calls.DropIndex();
  RowList<ToolRow>& rows = tally.tool_calls.rows();
  for (; !rows.empty(); rows.DropFront()) {
    AnnounceAhead(rows, tool_calls);
    ToolRow copy = rows.front();
    if (copy.place < start) continue;
    copy.key = ToolKey(copy.key);
    copy.thread = numbers[copy.thread];
    copy.name = static_cast<std::uint16_t>(name_of[copy.name]);
    const auto [row, is_new] = tool_calls.FindOrAdd(copy.key);
    if (is_new) {
      *row = copy;
    } else {
      const std::uint32_t other = row->thread;
      MergeTool(*row, copy);
      NoteCopy(row->thread, other, copy.thread, std::max(copy.time_ns, copy.end_ns));
    }
  }
}

void Ledger::EnterPrompts(Tally& tally, std::uint32_t start,
                          const std::vector<std::uint32_t>& numbers) {
  tally.prompts.DropIndex();
  RowList<PromptRow>& rows = tally.prompts.rows();
  const PromptSources sources(rows, start);
  for (; !rows.empty(); rows.DropFront()) {
    PromptRow copy = rows.front();
    if (copy.place < start || !sources.Counts(copy)) continue;
    copy.thread = numbers[copy.thread];
    const auto [row, is_new] = prompts.FindOrAdd(copy.key);
    if (is_new) {
      *row = copy;
    } else {
      const std::uint32_t other = row->thread;
      MergePrompt(*row, copy);
      NoteCopy(row->thread, other, copy.thread, copy.time_ns);
    }
  }
}

void Ledger::EnterMarks(Tally& tally, std::uint32_t start,
                        const std::vector<std::uint32_t>& numbers) {
  tally.marks.DropIndex();
  RowList<MarkRow>& rows = tally.marks.rows();
  for (; !rows.empty(); rows.DropFront()) {
    if (rows.front().place < start) continue;
    const auto [row, is_new] = marks.FindOrAdd(rows.front().key);
    const std::uint32_t thread = numbers[rows.front().thread];
    if (!is_new) {
      NoteCopy(row->thread, row->thread, thread, rows.front().time_ns);
      continue;
    }
    *row = rows.front();
    row->thread = thread;
  }
}

void Ledger::Settle() {
  for (std::size_t i = 0; i < threads.size(); ++i) {
    if (threads[i].facts.parent_id.empty() || !threads[i].facts.is_subagent) continue;
    const AgentKind agent = threads[i].facts.agent;
    const std::string parent_id = threads[i].facts.parent_id;
    std::uint32_t parent = FindThread(agent, parent_id, {}, false);
    if (parent == kNoIndex) parent = FindThread(agent, parent_id, parent_id, true);
    if (parent == kNoIndex && agent == AgentKind::kClaude) {
      // The sub-agent's records name the session, though none of its own were read.
      parent = static_cast<std::uint32_t>(threads.size());
      thread_numbers_.emplace(KeyOfThread(agent, parent_id, {}, false), parent);
      LedgerThread session;
      session.facts.agent = agent;
      session.facts.session_id = parent_id;
      session.facts.version = threads[i].facts.version;
      session.facts.folders = threads[i].facts.folders;
      threads.push_back(std::move(session));
    }
    if (parent != i) threads[i].parent = parent;
  }
  for (ToolRow& row : tool_calls.rows()) {
    row.is_nested =
        row.is_asked == 0 && row.may_be_nested != 0 && threads[row.thread].facts.runs_nested ? 1
                                                                                             : 0;
  }
}

void Ledger::Choose(const std::function<bool(std::uint32_t thread)>& keeps, std::int64_t since_ns,
                    std::int64_t until_ns) {
  std::vector<bool> kept(threads.size());
  for (std::uint32_t i = 0; i < threads.size(); ++i) kept[i] = keeps(i);
  const auto passes = [&](std::uint32_t thread, std::int64_t time_ns) {
    if (!kept[thread]) return false;
    if (since_ns != kNoTime && (time_ns == kNoTime || time_ns < since_ns)) return false;
    return until_ns == kNoTime || (time_ns != kNoTime && time_ns < until_ns);
  };
  for (CallRow& row : calls.rows()) row.counts = passes(row.thread, row.time_ns) ? 1 : 0;
  for (ToolRow& row : tool_calls.rows()) {
    const bool is_call = row.is_asked != 0 || row.is_nested != 0;
    row.counts = is_call && passes(row.thread, row.time_ns) ? 1 : 0;
  }
  // A sub-agent's prompts repeated in its parent's log count when its own log has none.
  std::vector<bool> has_own_prompts(threads.size());
  for (const PromptRow& row : prompts.rows()) {
    if (row.rank != static_cast<std::uint8_t>(CopyRank::kProgress)) {
      has_own_prompts[row.thread] = true;
    }
  }
  for (PromptRow& row : prompts.rows()) {
    const bool repeats =
        row.rank == static_cast<std::uint8_t>(CopyRank::kProgress) && has_own_prompts[row.thread];
    row.counts = !repeats && passes(row.thread, row.time_ns) ? 1 : 0;
  }
  std::vector<bool> has_compaction(threads.size());
  for (const MarkRow& row : marks.rows()) {
    if (static_cast<MarkKind>(row.kind) == MarkKind::kCompaction) has_compaction[row.thread] = true;
  }
  for (MarkRow& row : marks.rows()) {
    const bool repeats = static_cast<MarkKind>(row.kind) == MarkKind::kCompactionNotice &&
                         has_compaction[row.thread];
    row.counts = !repeats && passes(row.thread, row.time_ns) ? 1 : 0;
  }
}

}  // namespace sonde::agentlog
