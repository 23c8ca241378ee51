// Replay: hands the events of one session to its visitor, call by call.

#include "agentlog/replay.h"

#include <algorithm>

namespace sonde::agentlog {
namespace {

// More than one response asks for; what is kept stays bounded in a log without any usage.
constexpr std::size_t kMostWaiting = 1024;
constexpr std::size_t kMostWaitingBytes = 4 << 20;

bool IsAnswerable(PromptKind kind) { return kind != PromptKind::kInterruption; }

}  // namespace

void Timeline::Sort() { std::sort(times_.begin(), times_.end()); }

std::int64_t Timeline::Next(std::int64_t time_ns) {
  if (time_ns == kNoTime) return kNoTime;
  const auto [first, last] = std::equal_range(times_.begin(), times_.end(), time_ns);
  const auto equal = static_cast<std::uint32_t>(last - first);
  if (equal > 1 && ++asked_[time_ns] < equal) return time_ns;
  return last == times_.end() ? kNoTime : *last;
}

Replay::Replay(const AgentHistory::State& state, std::uint32_t session, SessionVisitors& visitors,
               Delivered& delivered, Timeline timeline)
    : state_(state),
      session_(session),
      thread_(state.thread_of[session]),
      visitors_(visitors),
      delivered_(delivered),
      timeline_(std::move(timeline)) {}

SessionVisitor& Replay::visitor() {
  if (!visitor_) {
    visitor_ = visitors_.Begin(session_, state_.sessions[session_], folder_);
    if (!title_.empty()) visitor_->OnTitle(title_);
  }
  return *visitor_;
}

void Replay::Folder(std::string_view folder) {
  if (folder_.empty()) folder_ = folder;
}

void Replay::Title(std::string_view title) {
  title_ = title;
  if (visitor_) visitor_->OnTitle(title);
}

void Replay::Prompt(const PromptEvent& event) {
  const PromptRow* const row = state_.ledger.prompts.Find(event.key);
  if (event.time_ns != kNoTime) asked_ns_ = event.time_ns;
  if (!IsMine(row) || static_cast<std::uint8_t>(event.rank) > row->rank) return;
  std::uint8_t& is_delivered = delivered_.prompts[state_.ledger.prompts.IndexOf(event.key)];
  if (is_delivered != 0) return;
  is_delivered = 1;
  Flush();
  const auto kind = static_cast<PromptKind>(row->kind);
  if (IsAnswerable(kind)) prompt_ = prompts_;
  visitor().OnPrompt({.index = prompts_++,
                      .kind = kind,
                      .time_ns = row->time_ns,
                      .next_ns = timeline_.Next(row->time_ns),
                      .has_image = event.has_image,
                      .text = event.text});
}

void Replay::Response(const ResponseEvent& event) {
  const std::uint64_t key = state_.ledger.CallKey(event.key);
  const CallRow* const row = state_.ledger.calls.Find(key);
  if (!IsMine(row) || static_cast<std::uint8_t>(event.rank) > row->rank) return;
  const auto known = std::find_if(answers_.begin(), answers_.end(),
                                  [&](const Answer& answer) { return answer.key == key; });
  if (known != answers_.end()) {
    known->end_ns = std::max(known->end_ns, event.end_ns);
    known->is_final = known->is_final || event.is_final;
    if (!known->text.empty() && !event.text.empty()) known->text += '\n';
    known->text += event.text;
    return;
  }
  std::uint8_t& is_delivered = delivered_.calls[state_.ledger.calls.IndexOf(key)];
  if (is_delivered != 0) return;
  is_delivered = 1;
  // Where counters follow the answer, the tools that wait were asked for by this call.
  const bool follows_answer = event.counters != 0;
  if (!event.is_advisor && !follows_answer) Flush();
  answers_.push_back({.row = row,
                      .key = key,
                      .start_ns = asked_ns_,
                      .end_ns = event.end_ns,
                      .is_final = event.is_final,
                      .id = std::string(event.id),
                      .text = std::string(event.text)});
  if (follows_answer) Flush();
}

void Replay::Tool(const ToolEvent& event) {
  const std::uint64_t key = state_.ledger.ToolKey(event.key);
  const ToolRow* const row = state_.ledger.tool_calls.Find(key);
  if (!IsMine(row) || static_cast<std::uint8_t>(event.rank) > row->rank) return;
  if (event.may_be_nested && row->is_nested == 0) return;
  std::uint8_t& is_delivered = delivered_.tools[state_.ledger.tool_calls.IndexOf(key)];
  if (is_delivered != 0) return;
  is_delivered = 1;
  WaitingTool tool{.row = row,
                   .name = std::string(event.name),
                   .call_id = std::string(event.call_id),
                   .input_kind = event.input_kind,
                   .input = std::string(event.input)};
  const std::uint64_t response = event.response == 0 ? 0 : state_.ledger.CallKey(event.response);
  if (response != 0 && (answers_.empty() || answers_.front().key != response)) {
    return Deliver(tool, response == last_key_ ? last_call_ : kNoIndex);
  }
  waiting_bytes_ += tool.input.size();
  waiting_.push_back(std::move(tool));
  if (waiting_.size() > kMostWaiting || waiting_bytes_ > kMostWaitingBytes) Flush();
}

void Replay::ToolResult(const ToolResultEvent& event) {
  if (event.time_ns != kNoTime) asked_ns_ = event.time_ns;
}

void Replay::Flush() {
  std::uint32_t call = kNoIndex;
  for (const Answer& answer : answers_) {
    const std::uint32_t index = Deliver(answer);
    if (call == kNoIndex) {
      call = index;
      last_key_ = answer.key;
      last_call_ = index;
    }
  }
  answers_.clear();
  for (const WaitingTool& tool : waiting_) Deliver(tool, call);
  waiting_.clear();
  waiting_bytes_ = 0;
}

std::uint32_t Replay::Deliver(const Answer& answer) {
  const CallRow& row = *answer.row;
  visitor().OnCall({.index = calls_,
                    .prompt = prompt_,
                    .time_ns = row.time_ns,
                    .end_ns = answer.end_ns,
                    .start_ns = answer.start_ns,
                    .next_ns = timeline_.Next(row.time_ns),
                    .id = answer.id,
                    .model = state_.ledger.models.name(row.model),
                    .effort = state_.ledger.efforts.name(row.effort),
                    .tokens = Unpack(row, state_.ledger.wide),
                    .text = answer.text,
                    .is_final = answer.is_final,
                    .is_advisor = row.is_advisor != 0});
  return calls_++;
}

void Replay::Deliver(const WaitingTool& tool, std::uint32_t call) {
  visitor().OnTool({.index = tools_++,
                    .prompt = prompt_,
                    .call = call,
                    .time_ns = tool.row->time_ns,
                    .end_ns = tool.row->end_ns,
                    .next_ns = timeline_.Next(tool.row->time_ns),
                    .name = tool.name,
                    .call_id = tool.call_id,
                    .input_kind = tool.input_kind,
                    .input = tool.input,
                    .status = static_cast<ToolStatus>(tool.row->status),
                    .is_nested = tool.row->is_nested != 0});
}

Status Replay::Finish() {
  Flush();
  visitor();
  const AgentCounts& counts = state_.sessions[session_].counts;
  const std::uint64_t prompts = counts.user_prompts + counts.agent_prompts + counts.slash_commands +
                                counts.bash_inputs + counts.interruptions;
  if (calls_ == counts.llm_calls && prompts_ == prompts &&
      tools_ == counts.tool_calls_total + counts.nested_tool_calls) {
    return {};
  }
  const std::vector<std::uint32_t>& files = state_.sessions[session_].files;
  return Error{.code = ErrorCode::kInvalid,
               .message = "the log was changed while it was read",
               .file = files.empty() ? std::string() : state_.files[files.front()]};
}

}  // namespace sonde::agentlog
