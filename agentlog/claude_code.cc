// ClaudeDialect: what the records of a Claude Code transcript mean.

#include <algorithm>
#include <map>
#include <string>

#include "agentlog/claude_prompt.h"
#include "agentlog/claude_queue.h"
#include "agentlog/claude_record.h"
#include "agentlog/claude_threads.h"
#include "agentlog/dialect.h"
#include "agentlog/hash.h"
#include "agentlog/iso_time.h"

namespace sonde::agentlog {
namespace {

class ClaudeDialect : public Dialect {
 public:
  ClaudeDialect(LogSink& sink, const DialectOptions& options)
      : sink_(sink), options_(options), threads_(sink, options.file_name) {}

  LineOutcome Take(std::string_view text, std::uint64_t line, std::string_view& rest) override {
    line_ = line;
    arena_.Clear();
    record_.Clear();
    inner_.Clear();
    const LineOutcome outcome = parser_.Parse(text, rest, [&](json::od::object object) {
      return ReadClaudeRecord(object, arena_, record_, &inner_);
    });
    if (outcome == LineOutcome::kRecord) Understand(record_);
    return outcome;
  }

  void Finish() override {
    for (const auto& [session, queue] : queues_) {
      for (const ClaudeQueue::Removed& removed : queue.NotRecorded()) {
        sink_.OnMark({.thread = threads_.Main(session),
                      .place = removed.place,
                      .key = Hash64('q')
                                 .Add(session)
                                 .Add(static_cast<std::uint64_t>(removed.time_ns))
                                 .Add(removed.text_key)
                                 .value(),
                      .time_ns = removed.time_ns,
                      .kind = MarkKind::kQueuedNotRecorded});
      }
    }
  }

 private:
  using Context = ClaudeContext;

  void Understand(const ClaudeRecord& record) {
    ++place_;
    threads_.SeeSession(record.session_id);
    const std::string_view type = TypeOf(record);
    if (type == "user") return User(record, threads_.Enter(record, place_));
    if (type == "assistant") return Assistant(record, threads_.Enter(record, place_));
    if (type == "progress") return Progress(record);
    if (type == "attachment") return Attachment(record);
    if (type == "system") return System(record);
    if (type == "queue-operation") return Queue(record);
    if (options_.wants_text && !record.title.empty() &&
        (type == "summary" || type == "ai-title" || type == "custom-title")) {
      threads_.Title(record.title);
    }
  }

  // Some writers leave the type out.
  static std::string_view TypeOf(const ClaudeRecord& record) {
    if (!record.type.empty() || !record.message.is_present) return record.type;
    if (record.message.usage.is_present || record.message.role == "assistant") return "assistant";
    return record.message.role == "user" ? "user" : std::string_view();
  }

  void TellTime(const Context& context) {
    if (context.time_ns == kNoTime) sink_.OnOddity(kNoTimeOfRecord, line_);
  }

  void User(const ClaudeRecord& record, const Context& context) {
    TellTime(context);
    const ClaudeContent& content = record.message.content;
    for (const ClaudeBlock& block : content.blocks) {
      if (block.kind == ClaudeBlock::Kind::kToolResult) ToolResult(record, block, context);
    }
    if (record.is_compact_summary) {
      sink_.OnMark(MarkOf(MarkKind::kCompactionNotice, record, context));
    }
    if (record.is_meta || record.is_compact_summary || record.is_transcript_only) return;
    if (record.prompt_source == "system") return;
    Prompt(context, content, record.origin_kind);
  }

  void Prompt(const Context& context, const ClaudeContent& content, std::string_view origin) {
    SetText(content);
    const bool has_image = std::ranges::any_of(content.blocks, [](const ClaudeBlock& block) {
      return block.kind == ClaudeBlock::Kind::kImage;
    });
    PromptOfText(context, has_image, origin);
  }

  // `text_` as a prompt, if it is one.
  void PromptOfText(const Context& context, bool has_image, std::string_view origin) {
    const std::optional<ClaudePrompt> told = TellClaudePrompt(text_, has_image);
    if (!told) return;
    PromptKind kind = told->kind;
    if (kind == PromptKind::kUser && context.is_agents) kind = PromptKind::kAgent;
    const bool is_persons = origin.empty() || origin == "human";
    if (kind != PromptKind::kAgent && !is_persons) return;
    const std::uint64_t text_key = HashOf(told->text);
    std::uint64_t key = context.line_key;
    if (context.rank == CopyRank::kProgress) {
      key = Hash64('p').Add(context.session).Add(context.agent).Add(text_key).value();
    } else if (key == 0) {
      key = Hash64('t')
                .Add(context.session)
                .Add(static_cast<std::uint64_t>(context.time_ns))
                .Add(text_key)
                .value();
    } else {
      key = Hash64('p').Add(key).value();
    }
    sink_.OnPrompt({.thread = context.thread,
                    .place = context.place,
                    .key = key,
                    .time_ns = context.time_ns,
                    .kind = kind,
                    .rank = context.rank,
                    .has_image = has_image,
                    .text = told->text});
    if (!context.is_agents) QueueOf(context.session).Recorded(text_key);
  }

  void ToolResult(const ClaudeRecord& record, const ClaudeBlock& block, const Context& context) {
    if (block.id.empty()) return;
    ToolStatus status = ToolStatus::kOk;
    if (block.is_error) {
      status = record.was_denied || SaysRejected(block.content) ? ToolStatus::kRejected
                                                                : ToolStatus::kFailed;
    }
    sink_.OnToolResult({.thread = context.thread,
                        .place = context.place,
                        .key = context.ToolKey(block.id),
                        .time_ns = context.time_ns,
                        .status = status});
  }

  void Assistant(const ClaudeRecord& record, const Context& context) {
    TellTime(context);
    const ClaudeMessage& message = record.message;
    if (message.model == "<synthetic>" || record.is_api_error) {
      if (record.is_api_error) sink_.OnMark(MarkOf(MarkKind::kApiError, record, context));
      return;
    }
    const std::uint64_t key = context.ResponseKey(message.id, record.request_id, options_.file_key);
    if (message.usage.is_present) Responses(record, context, key);
    for (const ClaudeBlock& block : message.content.blocks) {
      if (block.kind == ClaudeBlock::Kind::kServerToolUse) {
        MarkEvent mark = MarkOf(MarkKind::kServerTool, record, context);
        if (!block.id.empty()) mark.key = Hash64('s').Add(context.session).Add(block.id).value();
        sink_.OnMark(mark);
      }
      if (block.kind != ClaudeBlock::Kind::kToolUse || block.id.empty()) continue;
      sink_.OnTool({.thread = context.thread,
                    .place = context.place,
                    .key = context.ToolKey(block.id),
                    .line_key = context.ToolLineKey(block.id),
                    .response = message.usage.is_present ? key : 0,
                    .time_ns = context.time_ns,
                    .rank = context.rank,
                    .name = block.name,
                    .call_id = block.id,
                    .input_kind = block.input.empty() ? ToolInput::kNone : ToolInput::kJson,
                    .input = block.input});
    }
  }

  void Responses(const ClaudeRecord& record, const Context& context, std::uint64_t key) {
    const ClaudeMessage& message = record.message;
    if (message.usage.is_odd) sink_.OnOddity("token count that is no count", line_);
    text_.clear();
    if (options_.wants_text) SetText(message.content);
    ResponseEvent event{
        .thread = context.thread,
        .place = context.place,
        .key = key,
        .line_key = context.ResponseLineKey(message.id),
        .time_ns = context.time_ns,
        .end_ns = context.time_ns,
        .rank = context.rank,
        .is_final = message.stop_reason == "end_turn" || message.stop_reason == "stop_sequence",
        .id = message.id,
        .model = message.model,
        .effort = record.effort,
        .tokens = message.usage.tokens,
        .text = text_};
    sink_.OnResponse(event);
    std::uint64_t number = 0;
    for (const ClaudeUsage::Advisor& advisor : message.usage.advisors) {
      event.key = Hash64('a').Add(key).Add(++number).value();
      event.is_advisor = true;
      event.is_final = false;
      event.model = advisor.model;
      event.effort = {};
      event.tokens = advisor.tokens;
      event.text = {};
      sink_.OnResponse(event);
    }
  }

  void Progress(const ClaudeRecord& record) {
    Context context = threads_.Enter(record, place_);
    if (record.inner_type != "agent_progress") return;
    const std::string_view agent =
        record.inner_agent_id.empty() ? record.parent_tool_use_id : record.inner_agent_id;
    if (agent.empty()) return;
    threads_.EnterProgress(agent, context);
    if (!record.raw_inner_prompt.empty()) {
      text_ = arena_.Decoded(record.raw_inner_prompt);
      PromptOfText(context, false, {});
    }
    const std::string_view type = TypeOf(inner_);
    if (const std::int64_t time_ns = ParseTime(inner_.timestamp); time_ns != kNoTime) {
      context.time_ns = time_ns;
    }
    context.line_key = inner_.uuid.empty() ? 0 : Hash64('u').Add(inner_.uuid).value();
    if (type == "user") User(inner_, context);
    if (type == "assistant") Assistant(inner_, context);
  }

  void Attachment(const ClaudeRecord& record) {
    const Context context = threads_.Enter(record, place_);
    if (record.inner_type != "queued_command" || record.inner_mode != "prompt" || record.is_meta ||
        record.inner_is_meta) {
      return;
    }
    TellTime(context);
    Prompt(context, record.content, record.inner_origin);
  }

  void System(const ClaudeRecord& record) {
    const Context context = threads_.Enter(record, place_);
    if (record.subtype == "compact_boundary") {
      sink_.OnMark(MarkOf(MarkKind::kCompaction, record, context));
    }
  }

  void Queue(const ClaudeRecord& record) {
    const Context context = threads_.Enter(record, place_);
    ClaudeQueue& queue = QueueOf(context.session);
    std::uint64_t text_key = 0;
    SetText(record.content);
    if (!text_.empty()) {
      const std::optional<ClaudePrompt> told = TellClaudePrompt(text_, false);
      // Notifications wait in the same queue; they are nobody's prompts.
      text_key = told ? HashOf(told->text) : HashOf(text_);
      if (!told) queue.Recorded(text_key);
    }
    if (record.subtype == "enqueue") queue.Enqueue(text_key, context.time_ns);
    if (record.subtype == "dequeue") queue.Dequeue(context.time_ns);
    if (record.subtype == "remove") queue.Remove(text_key, context.time_ns, place_);
    if (record.subtype == "popAll") queue.Empty();
  }

  ClaudeQueue& QueueOf(std::string_view session) {
    const auto found = queues_.find(session);
    if (found != queues_.end()) return found->second;
    return queues_.emplace(std::string(session), ClaudeQueue()).first->second;
  }

  MarkEvent MarkOf(MarkKind kind, const ClaudeRecord& record, const Context& context) {
    Hash64 key(static_cast<std::uint64_t>(kind) + 'm');
    if (record.uuid.empty()) {
      key.Add(context.session).Add(static_cast<std::uint64_t>(context.time_ns));
    } else {
      key.Add(record.uuid);
    }
    return {.thread = context.thread,
            .place = context.place,
            .key = key.value(),
            .time_ns = context.time_ns,
            .kind = kind};
  }

  void SetText(const ClaudeContent& content) {
    text_.clear();
    if (content.is_text) text_ = arena_.Decoded(content.raw_text);
    for (const ClaudeBlock& block : content.blocks) {
      if (block.kind != ClaudeBlock::Kind::kText) continue;
      const std::string_view text = arena_.Decoded(block.raw_text);
      if (!text_.empty() && !text.empty()) text_ += '\n';
      text_ += text;
    }
  }

  LogSink& sink_;
  const DialectOptions options_;
  ClaudeThreads threads_;
  json::Parser parser_;
  json::TextArena arena_;
  ClaudeRecord record_;
  ClaudeRecord inner_;
  std::string text_;
  std::uint64_t line_ = 0;
  std::uint64_t place_ = 0;

  std::map<std::string, ClaudeQueue, std::less<>> queues_;
};

}  // namespace

std::unique_ptr<Dialect> MakeClaudeDialect(LogSink& sink, const DialectOptions& options) {
  return std::make_unique<ClaudeDialect>(sink, options);
}

}  // namespace sonde::agentlog
