// CodexCalls: the calls of the model in a Codex log: what each cost, and what it answered.

#include "agentlog/codex_calls.h"

#include <optional>

#include "agentlog/hash.h"

namespace sonde::agentlog {
namespace {

// Of an answer; a text that would make it longer is left out.
constexpr std::size_t kMostText = 1 << 20;

}  // namespace

void CodexCalls::BeginAnswer() {
  began_ns_ = kNoTime;
  is_final_ = false;
  text_.clear();
}

void CodexCalls::NoteAnswer() {
  if (thread_.is_own() && began_ns_ == kNoTime) began_ns_ = thread_.time_ns();
}

void CodexCalls::AddText(std::string_view raw) {
  if (!options_.wants_text || !thread_.is_own() || text_.size() + raw.size() > kMostText) return;
  if (!text_.empty()) text_ += '\n';
  text_ += arena_.Decoded(raw);
}

void CodexCalls::TakeContext(const CodexPayload& payload) {
  model_ = payload.model;
  effort_ = payload.effort;
}

void CodexCalls::TakeTokenCount(const CodexPayload& payload) {
  const CodexTokenInfo& info = payload.info;
  if (info.last.is_odd || info.total.is_odd) TellOdd();
  const std::optional<CodexCounters> counters = usage_.Take(info);
  // From the first row of the ledger on, counts repeat what the ledger says.
  if (!counters || has_ledger_ || !thread_.is_own()) return;
  const std::uint64_t number = info.total.is_present ? 0 : ++without_total_;
  const std::int64_t time_ns = thread_.time_ns();
  Hash64 key('k');
  // A line with the same instant and the same counters in another file is a copy of this one.
  if (time_ns == kNoTime) key.Add(thread_.key()).Add(thread_.place());
  key.Add(static_cast<std::uint64_t>(time_ns))
      .Add(info.last.Key())
      .Add(info.total.Key())
      .Add(number);
  was_counted_ = true;
  Call(key.value(), *counters, Hash64('v').Add(info.last.Key()).Add(info.total.Key()).value(),
       info.model);
}

void CodexCalls::TakeLedgerRow(const CodexPayload& payload) {
  thread_.Ensure();
  if (!payload.usage.is_present) return;
  if (!payload.thread_id.empty() && !thread_.id().empty() && payload.thread_id != thread_.id()) {
    return;
  }
  has_ledger_ = true;
  was_counted_ = true;
  if (payload.usage.is_odd) TellOdd();
  if (!thread_.is_own()) return;
  Hash64 key('l');
  key.Add(thread_.key());
  if (payload.response_id.empty()) {
    key.Add(options_.file_key).Add(thread_.place());
  } else {
    key.Add(payload.response_id);
  }
  Call(key.value(), payload.usage, payload.usage.Key(), payload.model, payload.response_id);
}

// One sum for all calls of a run.
void CodexCalls::TakeRunUsage(const CodexPayload& payload) {
  if (was_counted_ || payload.usage.IsEstimate() || !thread_.is_own()) return;
  if (payload.usage.is_odd) TellOdd();
  ++runs_;
  Call(Hash64('e').Add(thread_.key()).Add(payload.usage.Key()).Add(runs_).value(), payload.usage,
       payload.usage.Key(), payload.model);
}

void CodexCalls::Call(std::uint64_t key, const CodexCounters& counters, std::uint64_t counters_key,
                      std::string_view model, std::string_view id) {
  const std::int64_t time_ns = thread_.time_ns();
  sink_.OnResponse({.thread = thread_.number(),
                    .place = thread_.place(),
                    .key = key,
                    .time_ns = began_ns_ == kNoTime ? time_ns : began_ns_,
                    .end_ns = time_ns,
                    .is_final = is_final_,
                    .id = id,
                    .model = model.empty() ? std::string_view(model_) : model,
                    .effort = effort_,
                    .tokens = counters.Tokens(),
                    .counters = counters_key,
                    .text = text_});
  BeginAnswer();
}

void CodexCalls::TellOdd() { sink_.OnOddity("token count that is no count", thread_.line()); }

}  // namespace sonde::agentlog
