// CodexDialect: what the records of a Codex log mean, in all its generations.

#include <memory>

#include "agentlog/codex_calls.h"
#include "agentlog/codex_prompts.h"
#include "agentlog/codex_record.h"
#include "agentlog/codex_thread.h"
#include "agentlog/codex_tools.h"
#include "agentlog/dialect.h"
#include "agentlog/hash.h"

namespace sonde::agentlog {
namespace {

bool IsStreamType(std::string_view type) noexcept {
  return type.starts_with("thread.") || type.starts_with("turn.") || type.starts_with("item.");
}

class CodexDialect : public Dialect {
 public:
  CodexDialect(LogSink& sink, const DialectOptions& options)
      : sink_(sink),
        options_(options),
        thread_(sink, options_),
        prompts_(sink, thread_, arena_),
        calls_(sink, thread_, options_, arena_),
        tools_(sink, thread_, options_, arena_) {}

  LineOutcome Take(std::string_view text, std::uint64_t line, std::string_view& rest) override {
    arena_.Clear();
    record_.Clear();
    const LineOutcome outcome = parser_.Parse(text, rest, [&](json::od::object object) {
      return ReadCodexRecord(object, arena_, record_);
    });
    if (outcome == LineOutcome::kRecord) {
      thread_.Enter(record_, line);
      TellTime(line);
      Understand(record_.payload);
    }
    return outcome;
  }

  void Finish() override {}

 private:
  // Neither the oldest logs nor the events of `codex exec` have times: those have no payload.
  void TellTime(std::uint64_t line) {
    const std::string_view type = record_.type;
    const bool may_count =
        type == "event_msg" || type == "response_item" || type == "token_usage_record";
    if (record_.has_payload && may_count && thread_.time_ns() == kNoTime) {
      sink_.OnOddity(kNoTimeOfRecord, line);
    }
  }

  void Understand(const CodexPayload& payload) {
    const std::string_view type = record_.type;
    if (!record_.has_payload) {
      if (IsStreamType(type)) return Stream(payload, type);
      return Item(payload, type);
    }
    if (type == "event_msg") return Event(payload);
    if (type == "response_item") return Item(payload, payload.type);
    if (type == "turn_context") {
      thread_.EnterTurn(payload);
      return calls_.TakeContext(payload);
    }
    if (type == "token_usage_record") return calls_.TakeLedgerRow(payload);
    if (type == "compacted") return Mark(MarkKind::kCompaction);
    if (IsStreamType(payload.type)) Stream(payload, payload.type);
  }

  void Event(const CodexPayload& payload) {
    thread_.Ensure();
    const std::string_view type = payload.type;
    if (type == "token_count") return calls_.TakeTokenCount(payload);
    if (type == "user_message") return Asked(prompts_.TakeMessage(payload));
    if (type == "task_started") return thread_.BeginTurn(payload.started_at_s);
    if (type == "item_completed") return CompletedItem(payload.item);
    if (type == "turn_aborted") {
      if (payload.reason == "interrupted") prompts_.TakeInterruption();
      return;
    }
    if (type == "context_compacted") return Mark(MarkKind::kCompactionNotice);
    if (type == "thread_name_updated" && !payload.thread_name.empty()) {
      return sink_.OnTitle(thread_.number(), payload.thread_name);
    }
    if (type.starts_with("turn.")) return Stream(payload, type);
    tools_.TakeEnd(payload);
  }

  void Item(const CodexPayload& payload, std::string_view type) {
    if (type == "message") return Message(payload);
    if (type == "reasoning" || tools_.TakeCall(payload, type)) return calls_.NoteAnswer();
    if (type.ends_with("_output")) tools_.TakeOutput(payload);
  }

  void Message(const CodexPayload& payload) {
    thread_.Ensure();
    if (payload.role == "user") return Asked(prompts_.TakeInput(payload));
    if (payload.role != "assistant") return;
    calls_.NoteAnswer();
    if (payload.phase == "final_answer") calls_.MarkFinal();
    for (const std::string_view raw : payload.raw_texts) calls_.AddText(raw);
  }

  void Asked(bool was_prompt) {
    if (was_prompt) calls_.BeginAnswer();
  }

  void CompletedItem(const CodexItem& item) {
    if (item.type == "ContextCompaction") return Mark(MarkKind::kCompactionNotice);
    Asked(prompts_.TakeItem(item));
    tools_.TakeItem(item);
  }

  // The events that `codex exec --json` prints.
  void Stream(const CodexPayload& payload, std::string_view type) {
    if (type == "thread.started") thread_.EnsureStream(payload.thread_id);
    thread_.Ensure();
    if (type == "turn.completed" && payload.usage.is_present) return calls_.TakeRunUsage(payload);
    if (type == "item.started") StreamItem(payload.item, false);
    if (type == "item.completed") StreamItem(payload.item, true);
  }

  void StreamItem(const CodexItem& item, bool is_done) {
    if (item.type == "agent_message" || item.type == "assistant_message") {
      calls_.NoteAnswer();
      if (is_done) calls_.AddText(item.raw_text);
    } else if (tools_.TakeStreamItem(item, is_done, calls_.runs())) {
      calls_.NoteAnswer();
    }
  }

  void Mark(MarkKind kind) {
    thread_.Ensure();
    if (!thread_.is_own()) return;
    const std::int64_t time_ns = thread_.time_ns();
    sink_.OnMark({.thread = thread_.number(),
                  .place = thread_.place(),
                  .key = Hash64('m')
                             .Add(static_cast<std::uint64_t>(kind))
                             .Add(thread_.key())
                             .Add(static_cast<std::uint64_t>(time_ns))
                             .Add(time_ns == kNoTime ? thread_.place() : 0)
                             .value(),
                  .time_ns = time_ns,
                  .kind = kind});
  }

  LogSink& sink_;
  const DialectOptions options_;
  json::Parser parser_;
  json::TextArena arena_;
  CodexRecord record_;
  CodexThread thread_;
  CodexPrompts prompts_;
  CodexCalls calls_;
  CodexTools tools_;
};

}  // namespace

std::unique_ptr<Dialect> MakeCodexDialect(LogSink& sink, const DialectOptions& options) {
  return std::make_unique<CodexDialect>(sink, options);
}

}  // namespace sonde::agentlog
