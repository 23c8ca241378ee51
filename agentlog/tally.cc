// Tally: what one log adds to the account, before copies in other logs are known.

#include "agentlog/tally.h"

#include "agentlog/frame_namer.h"
#include "agentlog/hash.h"
#include "agentlog/secret.h"
#include "sonde/agent_history.h"

namespace sonde::agentlog {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::string_view kRedacted = "redacted";

std::uint32_t Narrow(std::uint64_t place) noexcept {
  constexpr std::uint64_t kMost = INT32_MAX;
  return static_cast<std::uint32_t>(place > kMost ? kMost : place);
}

OriginPoint PointOf(std::uint64_t key, std::uint64_t place, bool is_turn) noexcept {
  OriginPoint point;
  point.key = static_cast<std::uint32_t>(key ^ (key >> 32));
  point.place = Narrow(place) & 0x7fff'ffffU;
  point.is_turn = is_turn ? 1 : 0;
  return point;
}

std::uint8_t Number(auto value) noexcept { return static_cast<std::uint8_t>(value); }

}  // namespace

std::uint32_t NameTable::Intern(std::string_view name, std::uint32_t limit) {
  if (name.empty()) return 0;
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  if (name != kRedacted && LooksSecret(name)) return Intern(kRedacted, limit);
  if (names_.size() > limit) return 0;
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(names_.back(), number);
  return number;
}

LocalThread Tally::OnThread(const ThreadEvent& event) {
  const std::uint64_t key =
      Hash64().Add(event.session_id).Add(event.agent_id).Add(event.is_subagent ? 1 : 0).value();
  const auto [found, is_new] =
      thread_numbers_.try_emplace(key, static_cast<LocalThread>(threads.size()));
  if (is_new) {
    TallyThread& thread = threads.emplace_back();
    thread.agent = event.agent;
    thread.is_subagent = event.is_subagent;
    thread.session_id = event.session_id;
    thread.agent_id = event.agent_id;
    thread.parent_id = event.parent_id;
  }
  return found->second;
}

void Tally::OnRecord(LocalThread thread, std::int64_t time_ns) {
  if (time_ns == kNoTime) return;
  TallyThread& row = threads[thread];
  if (IsEarlier(time_ns, row.start_ns)) row.start_ns = time_ns;
  if (row.end_ns == kNoTime || time_ns > row.end_ns) row.end_ns = time_ns;
}

void Tally::OnFolder(LocalThread thread, std::string_view folder) {
  TallyThread& row = threads[thread];
  if (!row.folders.empty() || folder.empty()) return;
  for (;;) {
    row.folders.push_back(HashOfPath(folder));
    while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
    const std::size_t slash = folder.rfind('/');
    if (slash == std::string_view::npos || folder.size() == 1) return;
    folder = folder.substr(0, slash == 0 ? 1 : slash);
  }
}

void Tally::OnVersion(LocalThread thread, std::string_view version) {
  if (threads[thread].version.empty()) threads[thread].version = version;
}

void Tally::OnOrigin(const OriginEvent& event) {
  origin.parent_key = event.parent_key;
  origin.created_ns = event.created_ns;
  origin.is_spawned = event.is_spawned;
  origin.tells_start = event.tells_start;
  origin.is_stream = event.is_stream;
}

void Tally::OnTurn(LocalThread, std::uint64_t place, std::uint64_t turn_key) {
  origin.points.Add(PointOf(turn_key, place, true));
}

void Tally::OnOwnTurn(LocalThread, std::uint64_t place) {
  if (origin.own_turn_place == 0) origin.own_turn_place = Narrow(place);
}

void Tally::OnPrompt(const PromptEvent& event) {
  PromptRow copy;
  copy.key = event.key;
  copy.time_ns = event.time_ns;
  copy.place = Narrow(event.place);
  copy.turn = event.turn;
  copy.thread = event.thread;
  copy.kind = Number(event.kind) & 7U;
  copy.source = Number(event.source) & 3U;
  copy.rank = Number(event.rank) & 3U;
  const auto [row, is_new] = prompts.FindOrAdd(event.key);
  if (is_new) {
    *row = copy;
  } else {
    MergePrompt(*row, copy);
  }
}

void Tally::OnResponse(const ResponseEvent& event) {
  CallRow copy;
  copy.key = event.key;
  copy.time_ns = event.time_ns;
  copy.thread = event.thread;
  copy.model = static_cast<std::uint16_t>(models.Intern(event.model, kMostModels));
  copy.effort = static_cast<std::uint8_t>(efforts.Intern(event.effort, kMostEfforts));
  copy.rank = Number(event.rank) & 3U;
  copy.is_advisor = event.is_advisor ? 1 : 0;
  const auto [row, is_new] = calls.FindOrAdd(event.key);
  if (is_new) {
    *row = copy;
    Pack(event.tokens, *row, wide);
  } else {
    WideTokens copy_wide;
    Pack(event.tokens, copy, copy_wide);
    MergeCall(*row, wide, copy, copy_wide);
  }
  if (event.line_key != 0) call_aliases.Add({event.line_key, event.key});
  if (event.counters == 0 || !is_new) return;
  origin.points.Add(PointOf(event.counters, event.place, false));
  if (origin.created_ns != kNoTime && event.end_ns != kNoTime &&
      event.end_ns < origin.created_ns + kSecond) {
    ++origin.burst_calls;
    origin.burst_place = Narrow(event.place);
  }
}

void Tally::OnTool(const ToolEvent& event) {
  if (event.runs_nested) threads[event.thread].runs_nested = true;
  ToolRow copy;
  copy.key = event.key;
  copy.time_ns = event.time_ns;
  copy.place = Narrow(event.place);
  copy.thread = event.thread;
  copy.name = static_cast<std::uint16_t>(tools.Intern(event.name, kMostModels));
  copy.rank = Number(event.rank) & 3U;
  copy.status = Number(event.status) & 3U;
  copy.is_asked = event.may_be_nested ? 0 : 1;
  copy.may_be_nested = event.may_be_nested ? 1 : 0;
  if (event.status != ToolStatus::kPending) copy.end_ns = event.time_ns;
  const auto [row, is_new] = tool_calls.FindOrAdd(event.key);
  if (is_new) {
    *row = copy;
  } else {
    MergeTool(*row, copy);
  }
  if (event.line_key != 0) tool_aliases.Add({event.line_key, event.key});
}

void Tally::OnToolResult(const ToolResultEvent& event) {
  const auto [row, is_new] = tool_calls.FindOrAdd(event.key);
  if (is_new) {
    row->thread = event.thread;
    row->place = Narrow(event.place);
  }
  row->status = std::max(std::uint8_t{row->status}, Number(event.status)) & 3U;
  if (IsEarlier(event.time_ns, row->end_ns)) row->end_ns = event.time_ns;
}

void Tally::OnMark(const MarkEvent& event) {
  const auto [row, is_new] = marks.FindOrAdd(event.key);
  if (!is_new) return;
  row->time_ns = event.time_ns;
  row->place = Narrow(event.place);
  row->thread = event.thread;
  row->kind = static_cast<std::uint8_t>(event.kind);
}

void Tally::DropIndexes() {
  calls.DropIndex();
  tool_calls.DropIndex();
  prompts.DropIndex();
  marks.DropIndex();
}

void Tally::OnOddity(std::string_view cause, std::uint64_t line) {
  losses.Add(cause, "lines", 1, NameOfLog(file) + ':' + std::to_string(line));
}

}  // namespace sonde::agentlog
