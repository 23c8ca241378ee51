// MakeSessions: which sessions pass the filter, in which order, and what each adds up to.

#include <stdlib.h>

#include <algorithm>
#include <tuple>

#include "agentlog/frame_namer.h"
#include "agentlog/hash.h"
#include "agentlog/history.h"
#include "agentlog/secret.h"

namespace sonde::agentlog {
namespace {

using State = AgentHistory::State;

// An id as it is, unless it looks like a secret; hexadecimal ids are common.
std::string ShownId(const std::string& id) {
  const bool is_hex = id.find_first_not_of("0123456789abcdef-") == std::string::npos;
  return is_hex || !LooksSecret(id) ? id : NameOfId(id);
}

class SessionMaker {
 public:
  SessionMaker(State& state, const SessionFilter& filter)
      : state_(state), ledger_(state.ledger), filter_(filter) {}

  void Make() {
    NoteModels();
    std::vector<std::uint32_t> roots = Roots();
    std::erase_if(roots, [&](std::uint32_t root) { return !Matches(root); });
    kept_.assign(ledger_.threads.size(), false);
    for (const std::uint32_t root : roots) kept_[root] = true;
    for (std::uint32_t i = 0; i < ledger_.threads.size(); ++i) kept_[i] = kept_[RootOf(i)];
    ledger_.Choose([&](std::uint32_t thread) { return kept_[thread]; }, filter_.since_ns,
                   filter_.until_ns);
    ClipTimes();
    Order(roots);
    Count();
  }

 private:
  // The thread itself or, of a sub-agent, what started it all.
  std::uint32_t RootOf(std::uint32_t thread) const {
    // Damaged logs may name each other as parents.
    for (std::size_t steps = 0; steps < ledger_.threads.size(); ++steps) {
      const std::uint32_t parent = ledger_.threads[thread].parent;
      if (parent == kNoIndex) return thread;
      thread = parent;
    }
    return thread;
  }

  std::vector<std::uint32_t> Roots() const {
    std::vector<bool> is_root(ledger_.threads.size(), false);
    for (std::uint32_t i = 0; i < ledger_.threads.size(); ++i) is_root[RootOf(i)] = true;
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < ledger_.threads.size(); ++i) {
      if (is_root[i]) roots.push_back(i);
    }
    return roots;
  }

  void NoteModels() {
    model_matches_.resize(ledger_.models.names().size());
    for (std::size_t i = 0; i < model_matches_.size(); ++i) {
      model_matches_[i] = ledger_.models.names()[i].find(filter_.model) != std::string::npos;
    }
    has_model_.resize(ledger_.threads.size());
    for (const CallRow& row : ledger_.calls.rows()) {
      if (model_matches_[row.model]) has_model_[row.thread] = true;
    }
    if (!filter_.project_root.empty()) {
      project_keys_.push_back(HashOfPath(filter_.project_root));
      if (char* const real = realpath(filter_.project_root.c_str(), nullptr)) {
        project_keys_.push_back(HashOfPath(real));
        free(real);
      }
    }
  }

  bool Matches(std::uint32_t thread) const {
    const TallyThread& facts = ledger_.threads[thread].facts;
    if (!NameOf(facts.agent).starts_with(filter_.agent)) return false;
    if (facts.session_id.find(filter_.session_id) == std::string::npos) return false;
    if (!project_keys_.empty() &&
        std::none_of(facts.folders.begin(), facts.folders.end(), [&](std::uint64_t folder) {
          return std::find(project_keys_.begin(), project_keys_.end(), folder) !=
                 project_keys_.end();
        })) {
      return false;
    }
    if (filter_.model.empty()) return true;
    for (std::uint32_t i = 0; i < ledger_.threads.size(); ++i) {
      if (has_model_[i] && RootOf(i) == thread) return true;
    }
    return false;
  }

  // Only what passes the filter, and is no copy of another session's, stretches a session.
  void ClipTimes() {
    const bool is_filtered = filter_.since_ns != kNoTime || filter_.until_ns != kNoTime;
    const auto has_copies = [](const LedgerThread& row) { return row.copied_until_ns != kNoTime; };
    if (!is_filtered && std::none_of(ledger_.threads.begin(), ledger_.threads.end(), has_copies)) {
      return;
    }
    std::vector<std::pair<std::int64_t, std::int64_t>> spans(ledger_.threads.size(),
                                                             {kNoTime, kNoTime});
    const auto stretch = [&](const auto& rows) {
      for (const auto& row : rows) {
        if (row.counts == 0) continue;
        auto& [start, end] = spans[row.thread];
        if (IsEarlier(row.time_ns, start)) start = row.time_ns;
        end = std::max(end, row.time_ns);
      }
    };
    stretch(ledger_.calls.rows());
    stretch(ledger_.tool_calls.rows());
    stretch(ledger_.prompts.rows());
    stretch(ledger_.marks.rows());
    for (std::uint32_t i = 0; i < ledger_.threads.size(); ++i) {
      LedgerThread& thread = ledger_.threads[i];
      if (!is_filtered && !has_copies(thread)) continue;
      // Behind the last copy stand records of its own that are no rows.
      const bool ends_itself =
          !is_filtered && spans[i].first != kNoTime && thread.facts.end_ns > thread.copied_until_ns;
      thread.facts.start_ns = spans[i].first;
      if (!ends_itself) thread.facts.end_ns = spans[i].second;
      if (is_filtered && spans[i].first == kNoTime) kept_[i] = false;
    }
    // A session stays for the sake of its sub-agents.
    for (std::uint32_t i = 0; i < ledger_.threads.size(); ++i) {
      if (kept_[i]) kept_[RootOf(i)] = true;
    }
  }

  // A session that owns nothing stands where the history that it repeats ends.
  std::int64_t StartOf(std::uint32_t thread) const {
    const LedgerThread& row = ledger_.threads[thread];
    return row.facts.start_ns != kNoTime ? row.facts.start_ns : row.copied_until_ns;
  }

  bool ComesBefore(std::uint32_t a, std::uint32_t b) const {
    const TallyThread& x = ledger_.threads[a].facts;
    const TallyThread& y = ledger_.threads[b].facts;
    return std::tie(first_start_[a], x.session_id, x.agent_id) <
           std::tie(first_start_[b], y.session_id, y.agent_id);
  }

  void Order(std::vector<std::uint32_t> roots) {
    first_start_.resize(ledger_.threads.size(), kNoTime);
    std::vector<std::vector<std::uint32_t>> children(ledger_.threads.size());
    for (std::uint32_t i = 0; i < ledger_.threads.size(); ++i) {
      const std::uint32_t root = RootOf(i);
      if (IsEarlier(StartOf(i), first_start_[i])) first_start_[i] = StartOf(i);
      if (IsEarlier(StartOf(i), first_start_[root])) first_start_[root] = StartOf(i);
      if (i != root) children[ledger_.threads[i].parent].push_back(i);
    }
    std::erase_if(roots, [&](std::uint32_t root) { return !kept_[root]; });
    const auto by_start = [&](std::uint32_t a, std::uint32_t b) { return ComesBefore(a, b); };
    std::sort(roots.begin(), roots.end(), by_start);
    if (filter_.max_sessions != 0 && roots.size() > filter_.max_sessions) {
      roots.erase(roots.begin(), roots.end() - static_cast<std::ptrdiff_t>(filter_.max_sessions));
    }
    state_.session_of.assign(ledger_.threads.size(), kNoIndex);
    for (std::vector<std::uint32_t>& list : children) {
      std::sort(list.begin(), list.end(), by_start);
    }
    for (const std::uint32_t root : roots) {
      std::vector<std::uint32_t> open = {root};
      while (!open.empty()) {
        const std::uint32_t thread = open.back();
        open.pop_back();
        if (state_.session_of[thread] != kNoIndex) continue;
        if (kept_[thread]) AddSession(thread);
        open.insert(open.end(), children[thread].rbegin(), children[thread].rend());
      }
    }
  }

  void AddSession(std::uint32_t thread) {
    const LedgerThread& row = ledger_.threads[thread];
    AgentSession session;
    session.agent = row.facts.agent;
    session.id = ShownId(row.facts.session_id);
    session.agent_id = ShownId(row.facts.agent_id);
    session.is_subagent = row.facts.is_subagent;
    session.parent_id = ShownId(row.facts.parent_id);
    session.version = LooksSecret(row.facts.version) ? "redacted" : row.facts.version;
    session.start_ns = row.facts.start_ns;
    session.end_ns = row.facts.end_ns;
    if (!row.facts.folders.empty()) session.cwd_hash = row.facts.folders.front();
    session.files = row.files;
    if (row.parent != kNoIndex) session.parent = state_.session_of[row.parent];
    state_.session_of[thread] = static_cast<std::uint32_t>(state_.sessions.size());
    state_.thread_of.push_back(thread);
    state_.sessions.push_back(std::move(session));
  }

  // The counts of the session that a row belongs to; nullptr when it does not count.
  AgentCounts* CountsOf(const auto& row) {
    const std::uint32_t session = state_.session_of[row.thread];
    if (row.counts == 0 || session == kNoIndex) return nullptr;
    return &state_.sessions[session].counts;
  }

  void Count() {
    for (CallRow& row : ledger_.calls.rows()) {
      AgentCounts* const counts = CountsOf(row);
      if (counts == nullptr) continue;
      const TokenCounts tokens = Unpack(row, ledger_.wide);
      ++counts->llm_calls;
      counts->tokens += tokens;
      counts->models[ledger_.models.name(row.model)] += tokens;
      state_.sessions[state_.session_of[row.thread]].has_usage = true;
    }
    for (const ToolRow& row : ledger_.tool_calls.rows()) CountTool(row);
    for (const PromptRow& row : ledger_.prompts.rows()) {
      AgentCounts* const counts = CountsOf(row);
      if (counts == nullptr) continue;
      switch (static_cast<PromptKind>(row.kind)) {
        case PromptKind::kUser:
          ++counts->user_prompts;
          break;
        case PromptKind::kAgent:
          ++counts->agent_prompts;
          break;
        case PromptKind::kSlashCommand:
          ++counts->slash_commands;
          break;
        case PromptKind::kBashInput:
          ++counts->bash_inputs;
          break;
        case PromptKind::kInterruption:
          ++counts->interruptions;
          break;
      }
    }
    for (const MarkRow& row : ledger_.marks.rows()) {
      AgentCounts* const counts = CountsOf(row);
      if (counts == nullptr) continue;
      switch (static_cast<MarkKind>(row.kind)) {
        case MarkKind::kCompaction:
        case MarkKind::kCompactionNotice:
          ++counts->compactions;
          break;
        case MarkKind::kApiError:
          ++counts->api_errors;
          break;
        case MarkKind::kServerTool:
          ++counts->server_tool_calls;
          break;
        case MarkKind::kQueuedNotRecorded:
          ++counts->queued_not_recorded;
          break;
      }
    }
    for (const AgentSession& session : state_.sessions) state_.totals += session.counts;
  }

  void CountTool(const ToolRow& row) {
    AgentCounts* const counts = CountsOf(row);
    if (counts == nullptr) return;
    const auto status = static_cast<ToolStatus>(row.status);
    const bool failed = status == ToolStatus::kFailed || status == ToolStatus::kRejected;
    if (row.is_nested != 0) {
      ++counts->nested_tool_calls;
      if (failed) ++counts->nested_failed;
      return;
    }
    ++counts->tool_calls[ledger_.tools.name(row.name)];
    ++counts->tool_calls_total;
    if (failed) ++counts->failed_tool_calls;
    if (status == ToolStatus::kRejected) ++counts->rejected_tool_calls;
    if (status == ToolStatus::kPending) ++counts->pending_tool_calls;
  }

  State& state_;
  Ledger& ledger_;
  const SessionFilter& filter_;
  std::vector<bool> kept_;
  std::vector<bool> model_matches_;
  std::vector<bool> has_model_;
  std::vector<std::uint64_t> project_keys_;
  std::vector<std::int64_t> first_start_;
};

}  // namespace

void MakeSessions(AgentHistory::State& state, const SessionFilter& filter) {
  SessionMaker(state, filter).Make();
}

}  // namespace sonde::agentlog
