// ClaudeDialect: what the records of a Claude Code transcript mean.

#include <map>
#include <string>
#include <vector>

#include "agentlog/claude_prompt.h"
#include "agentlog/claude_queue.h"
#include "agentlog/claude_record.h"
#include "agentlog/dialect.h"
#include "agentlog/hash.h"
#include "agentlog/iso_time.h"
#include "agentlog/row_table.h"

namespace sonde::agentlog {
namespace {

// Ids made by Anthropic are unique in the world; those of gateways may not be.
bool IsWorldwide(std::string_view id, std::string_view prefix) {
  return id.starts_with(prefix) && id.size() >= prefix.size() + 16;
}

class ClaudeDialect : public Dialect {
 public:
  ClaudeDialect(LogSink& sink, const DialectOptions& options)
      : sink_(sink), options_(options), file_session_(options.file_name) {}

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
        sink_.OnMark({.thread = MainThread(session),
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
  // The record at hand, once it is known whose it is.
  struct Context {
    LocalThread thread = 0;
    std::int64_t time_ns = kNoTime;
    CopyRank rank = CopyRank::kMain;
    bool is_agents = false;  // Of a sub-agent.
    std::string_view session;
    std::string_view agent;
    std::uint64_t line_key = 0;
  };

  void Understand(const ClaudeRecord& record) {
    ++place_;
    if (!record.session_id.empty()) file_session_ = record.session_id;
    const std::string_view type = TypeOf(record);
    if (type == "user") return User(record, ContextOf(record));
    if (type == "assistant") return Assistant(record, ContextOf(record));
    if (type == "progress") return Progress(record);
    if (type == "attachment") return Attachment(record);
    if (type == "system") return System(record);
    if (type == "queue-operation") return Queue(record);
    if (options_.wants_text && !record.title.empty() &&
        (type == "summary" || type == "ai-title" || type == "custom-title")) {
      Title(record.title);
    }
  }

  // Some writers leave the type out.
  static std::string_view TypeOf(const ClaudeRecord& record) {
    if (!record.type.empty() || !record.message.is_present) return record.type;
    if (record.message.usage.is_present || record.message.role == "assistant") return "assistant";
    return record.message.role == "user" ? "user" : std::string_view();
  }

  std::string_view SessionOf(const ClaudeRecord& record) const {
    return record.session_id.empty() ? std::string_view(file_session_) : record.session_id;
  }

  Context ContextOf(const ClaudeRecord& record) {
    Context context;
    context.session = SessionOf(record);
    context.time_ns = ParseTime(record.timestamp);
    if (!record.uuid.empty()) context.line_key = Hash64('u').Add(record.uuid).value();
    if (record.is_sidechain) {
      context.rank = CopyRank::kSidechain;
      context.is_agents = true;
      context.agent = record.agent_id.empty() ? InlineAgent(record) : record.agent_id;
      context.thread = SubThread(context.session, context.agent);
    } else {
      if (!record.forked_from.empty() || record.session_kind == "bg") {
        context.rank = CopyRank::kForked;
      }
      context.thread = MainThread(context.session, record.forked_from);
    }
    Note(record, context);
    return context;
  }

  void Note(const ClaudeRecord& record, const Context& context) {
    sink_.OnRecord(context.thread, context.time_ns);
    if (context.thread >= told_.size()) told_.resize(context.thread + 1);
    Told& told = told_[context.thread];
    if (!told.folder && !record.cwd.empty()) {
      told.folder = true;
      sink_.OnFolder(context.thread, record.cwd);
    }
    if (!told.version && !record.version.empty()) {
      told.version = true;
      sink_.OnVersion(context.thread, record.version);
    }
    if (!pending_title_.empty()) {
      sink_.OnTitle(context.thread, pending_title_);
      pending_title_.clear();
    }
  }

  LocalThread MainThread(std::string_view session, std::string_view forked_from = {}) {
    if (has_main_ && session == main_session_) return main_;
    main_ = sink_.OnThread(
        {.agent = AgentKind::kClaude, .session_id = session, .parent_id = forked_from});
    main_session_ = session;
    has_main_ = true;
    return main_;
  }

  LocalThread SubThread(std::string_view session, std::string_view agent) {
    if (has_sub_ && session == sub_session_ && agent == sub_agent_) return sub_;
    sub_ = sink_.OnThread({.agent = AgentKind::kClaude,
                           .session_id = session,
                           .agent_id = agent,
                           .is_subagent = true,
                           .parent_id = session});
    sub_session_ = session;
    sub_agent_ = agent;
    has_sub_ = true;
    return sub_;
  }

  // Side chains of 1.x stand between the main lines and have no agent id: each is known by the
  // record that began it.
  std::string_view InlineAgent(const ClaudeRecord& record) {
    const std::uint64_t self = HashOf(record.uuid);
    std::uint32_t root = static_cast<std::uint32_t>(inline_roots_.size());
    if (!record.parent_uuid.empty()) {
      const InlineRecord* const parent = inline_records_.Find(HashOf(record.parent_uuid));
      if (parent != nullptr) root = parent->root;
    }
    if (!record.uuid.empty()) {
      const auto [known, is_new] = inline_records_.FindOrAdd(self);
      if (is_new) known->root = root;
      root = known->root;
    }
    if (root == inline_roots_.size()) inline_roots_.emplace_back(record.uuid);
    return inline_roots_[root];
  }

  void User(const ClaudeRecord& record, const Context& context) {
    const ClaudeContent& content = record.message.content;
    bool has_image = false;
    text_.clear();
    if (content.is_text) text_ = Decoded(content.raw_text);
    for (const ClaudeBlock& block : content.blocks) {
      switch (block.kind) {
        case ClaudeBlock::Kind::kToolResult:
          ToolResult(record, block, context);
          break;
        case ClaudeBlock::Kind::kText:
          AppendText(Decoded(block.raw_text));
          break;
        case ClaudeBlock::Kind::kImage:
          has_image = true;
          break;
        default:
          break;
      }
    }
    if (record.is_compact_summary) {
      sink_.OnMark(MarkOf(MarkKind::kCompactionNotice, record, context));
    }
    if (record.is_meta || record.is_compact_summary || record.is_transcript_only) return;
    if (record.prompt_source == "system") return;
    Prompt(context, has_image, record.origin_kind);
  }

  // `text_` as a prompt, if it is one.
  void Prompt(const Context& context, bool has_image, std::string_view origin) {
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
                    .place = place_,
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
                        .place = place_,
                        .key = ToolKey(block.id, context),
                        .time_ns = context.time_ns,
                        .status = status});
  }

  void Assistant(const ClaudeRecord& record, const Context& context) {
    const ClaudeMessage& message = record.message;
    if (message.model == "<synthetic>" || record.is_api_error) {
      if (record.is_api_error) sink_.OnMark(MarkOf(MarkKind::kApiError, record, context));
      return;
    }
    const std::uint64_t key = ResponseKey(record, context);
    if (message.usage.is_present) Responses(record, context, key);
    for (const ClaudeBlock& block : message.content.blocks) {
      if (block.kind == ClaudeBlock::Kind::kServerToolUse) {
        MarkEvent mark = MarkOf(MarkKind::kServerTool, record, context);
        if (!block.id.empty()) mark.key = Hash64('s').Add(context.session).Add(block.id).value();
        sink_.OnMark(mark);
      }
      if (block.kind != ClaudeBlock::Kind::kToolUse || block.id.empty()) continue;
      sink_.OnTool({.thread = context.thread,
                    .place = place_,
                    .key = ToolKey(block.id, context),
                    .line_key = ToolLineKey(block.id, context),
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
    if (options_.wants_text) {
      if (message.content.is_text) text_ = Decoded(message.content.raw_text);
      for (const ClaudeBlock& block : message.content.blocks) {
        if (block.kind == ClaudeBlock::Kind::kText) AppendText(Decoded(block.raw_text));
      }
    }
    ResponseEvent event{
        .thread = context.thread,
        .place = place_,
        .key = key,
        .line_key = IsWorldwide(message.id, "msg_") ? 0 : context.line_key,
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
    Context context = ContextOf(record);
    if (record.inner_type != "agent_progress") return;
    context.agent =
        record.inner_agent_id.empty() ? record.parent_tool_use_id : record.inner_agent_id;
    if (context.agent.empty()) return;
    context.rank = CopyRank::kProgress;
    context.is_agents = true;
    context.thread = SubThread(context.session, context.agent);
    sink_.OnRecord(context.thread, context.time_ns);
    if (!record.raw_inner_prompt.empty()) {
      text_ = Decoded(record.raw_inner_prompt);
      Prompt(context, false, {});
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
    const Context context = ContextOf(record);
    if (record.inner_type != "queued_command" || record.inner_mode != "prompt" || record.is_meta ||
        record.inner_is_meta) {
      return;
    }
    bool has_image = false;
    text_.clear();
    if (record.content.is_text) text_ = Decoded(record.content.raw_text);
    for (const ClaudeBlock& block : record.content.blocks) {
      if (block.kind == ClaudeBlock::Kind::kText) AppendText(Decoded(block.raw_text));
      if (block.kind == ClaudeBlock::Kind::kImage) has_image = true;
    }
    Prompt(context, has_image, record.inner_origin);
  }

  void System(const ClaudeRecord& record) {
    const Context context = ContextOf(record);
    if (record.subtype == "compact_boundary") {
      sink_.OnMark(MarkOf(MarkKind::kCompaction, record, context));
    }
  }

  void Queue(const ClaudeRecord& record) {
    const Context context = ContextOf(record);
    ClaudeQueue& queue = QueueOf(context.session);
    std::uint64_t text_key = 0;
    text_.clear();
    if (record.content.is_text) text_ = Decoded(record.content.raw_text);
    for (const ClaudeBlock& block : record.content.blocks) {
      if (block.kind == ClaudeBlock::Kind::kText) AppendText(Decoded(block.raw_text));
    }
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

  void Title(std::string_view title) {
    if (has_main_ && main_session_ == file_session_) {
      sink_.OnTitle(main_, title);
    } else {
      pending_title_ = title;
    }
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
            .place = place_,
            .key = key.value(),
            .time_ns = context.time_ns,
            .kind = kind};
  }

  std::uint64_t ResponseKey(const ClaudeRecord& record, const Context& context) const {
    const std::string_view id = record.message.id;
    if (IsWorldwide(id, "msg_")) return Hash64('r').Add(id).value();
    if (!id.empty()) {
      return Hash64('r').Add(context.session).Add(id).Add(record.request_id).value();
    }
    if (context.line_key != 0) return Hash64('r').Add(context.line_key).value();
    return Hash64('r').Add(options_.file_key).Add(place_).value();
  }

  static std::uint64_t ToolKey(std::string_view id, const Context& context) {
    if (IsWorldwide(id, "toolu_")) return Hash64('c').Add(id).value();
    return Hash64('c').Add(context.session).Add(id).value();
  }

  static std::uint64_t ToolLineKey(std::string_view id, const Context& context) {
    if (IsWorldwide(id, "toolu_") || context.line_key == 0) return 0;
    return Hash64('c').Add(context.line_key).Add(id).value();
  }

  std::string_view Decoded(std::string_view raw) {
    return raw.find('\\') == std::string_view::npos ? raw : arena_.Unescape(raw);
  }

  void AppendText(std::string_view text) {
    if (!text_.empty() && !text.empty()) text_ += '\n';
    text_ += text;
  }

  struct InlineRecord {
    std::uint64_t key = 0;
    std::uint32_t root = 0;  // In `inline_roots_`.
  };
  struct Told {
    bool folder = false;
    bool version = false;
  };

  LogSink& sink_;
  const DialectOptions options_;
  json::Parser parser_;
  json::TextArena arena_;
  ClaudeRecord record_;
  ClaudeRecord inner_;
  std::string text_;
  std::string file_session_;  // Of the last record that named one.
  std::string pending_title_;
  std::uint64_t line_ = 0;
  std::uint64_t place_ = 0;

  bool has_main_ = false;
  std::string main_session_;
  LocalThread main_ = 0;
  bool has_sub_ = false;
  std::string sub_session_;
  std::string sub_agent_;
  LocalThread sub_ = 0;
  std::vector<Told> told_;

  RowTable<InlineRecord> inline_records_;  // By uuid.
  std::vector<std::string> inline_roots_;
  std::map<std::string, ClaudeQueue, std::less<>> queues_;
};

}  // namespace

std::unique_ptr<Dialect> MakeClaudeDialect(LogSink& sink, const DialectOptions& options) {
  return std::make_unique<ClaudeDialect>(sink, options);
}

}  // namespace sonde::agentlog
