// CodexDialect: what the records of a Codex log mean, in all its generations.

#include <optional>
#include <string>

#include "agentlog/claude_prompt.h"
#include "agentlog/codex_record.h"
#include "agentlog/codex_text.h"
#include "agentlog/dialect.h"
#include "agentlog/hash.h"
#include "agentlog/iso_time.h"

namespace sonde::agentlog {
namespace {

// Of an output, only its start is looked at.
constexpr std::size_t kStatusBytes = 4096;

bool IsFailure(std::string_view status) { return status == "failed" || status == "error"; }

bool IsRefusal(std::string_view status) { return status == "declined" || status == "rejected"; }

// "019b..." of "rollout-2026-01-01T00-00-00-019b....jsonl".
std::string_view ThreadIdIn(std::string_view file_name) {
  file_name = file_name.substr(0, file_name.find(".json"));
  constexpr std::size_t kUuid = 36;
  return file_name.size() > kUuid && file_name.starts_with("rollout-")
             ? file_name.substr(file_name.size() - kUuid)
             : file_name;
}

class CodexDialect : public Dialect {
 public:
  CodexDialect(LogSink& sink, const DialectOptions& options) : sink_(sink), options_(options) {}

  LineOutcome Take(std::string_view text, std::uint64_t line, std::string_view& rest) override {
    line_ = line;
    arena_.Clear();
    record_.Clear();
    const LineOutcome outcome = parser_.Parse(text, rest, [&](json::od::object object) {
      return ReadCodexRecord(object, arena_, record_);
    });
    if (outcome == LineOutcome::kRecord) Understand();
    return outcome;
  }

  void Finish() override {}

 private:
  using Payload = CodexPayload;

  void Understand() {
    ++place_;
    time_ns_ = ParseTime(record_.timestamp);
    const Payload& payload = record_.payload;
    if (record_.type == "session_meta") {
      Meta(payload);
    } else if (IsHeader()) {
      Header(payload);
    }
    // Records before the thread's own first one were copied from its parent.
    is_own_ = record_.ordinal < 0 || record_.ordinal >= start_ordinal_;
    if (has_thread_ && is_own_ && time_ns_ != kNoTime) sink_.OnRecord(thread_, time_ns_);
    if (!record_.has_payload) return Bare(payload);
    if (record_.type == "event_msg") return Event(payload);
    if (record_.type == "response_item") return Item(payload, payload.type);
    if (record_.type == "turn_context") return TurnContext(payload);
    if (record_.type == "token_usage_record") return LedgerRow(payload);
    if (record_.type == "compacted") return Mark(MarkKind::kCompaction);
    if (payload.type.starts_with("thread.") || payload.type.starts_with("turn.") ||
        payload.type.starts_with("item.")) {
      Stream(payload, payload.type);
    }
  }

  bool IsHeader() const {
    return !has_thread_ && record_.type.empty() && !record_.has_payload &&
           !record_.payload.id.empty() && !record_.payload.has_record_type &&
           (record_.payload.has_header_keys || time_ns_ != kNoTime);
  }

  void EnsureThread() {
    if (has_thread_) return;
    Name({.agent = AgentKind::kCodex, .session_id = ThreadIdIn(options_.file_name)});
    if (time_ns_ != kNoTime) sink_.OnRecord(thread_, time_ns_);
  }

  void Name(const ThreadEvent& event) {
    has_thread_ = true;
    is_subagent_ = event.is_subagent;
    thread_key_ = Hash64('x').Add(event.session_id).value();
    thread_ = sink_.OnThread(event);
    // A thread may leave no other trace.
    sink_.OnRecord(thread_, kNoTime);
  }

  // The first one names the thread; later ones are its ancestors'.
  void Meta(const Payload& payload) {
    if (has_thread_) return;
    const bool is_subagent = payload.is_subagent || payload.thread_source == "subagent" ||
                             payload.source == "subagent" || !payload.parent_thread_id.empty();
    std::string_view parent = payload.parent_thread_id;
    if (parent.empty()) parent = payload.forked_from_id;
    if (parent.empty() && is_subagent && payload.session_id != payload.id) {
      parent = payload.session_id;
    }
    Name({.agent = AgentKind::kCodex,
          .session_id = payload.id.empty() ? ThreadIdIn(options_.file_name) : payload.id,
          .agent_id = is_subagent ? payload.id : std::string_view(),
          .is_subagent = is_subagent,
          .parent_id = parent});
    thread_id_ = payload.id;
    if (payload.start_ordinal > 0) start_ordinal_ = payload.start_ordinal;
    if (!payload.cwd.empty()) sink_.OnFolder(thread_, payload.cwd);
    if (!payload.cli_version.empty()) sink_.OnVersion(thread_, payload.cli_version);
    created_ns_ = ParseTime(payload.timestamp);
    if (created_ns_ == kNoTime) created_ns_ = time_ns_;
    const std::string_view origin =
        payload.forked_from_id.empty() ? payload.parent_thread_id : payload.forked_from_id;
    sink_.OnOrigin({.thread = thread_,
                    .parent_key = origin.empty() ? 0 : HashOf(origin),
                    .created_ns = created_ns_,
                    .is_spawned = payload.is_spawned,
                    .tells_start = start_ordinal_ >= 0});
  }

  void Header(const Payload& payload) {
    Name({.agent = AgentKind::kCodex, .session_id = payload.id});
    thread_id_ = payload.id;
    if (!payload.cwd.empty()) sink_.OnFolder(thread_, payload.cwd);
  }

  void Bare(const Payload& payload) {
    if (record_.type.starts_with("thread.") || record_.type.starts_with("turn.") ||
        record_.type.starts_with("item.")) {
      return Stream(payload, record_.type);
    }
    if (!record_.type.empty()) Item(payload, record_.type);
  }

  void TurnContext(const Payload& payload) {
    EnsureThread();
    model_ = payload.model;
    effort_ = payload.effort;
    if (is_own_ && !payload.turn_id.empty()) sink_.OnTurn(thread_, place_, HashOf(payload.turn_id));
    if (!payload.cwd.empty() && !told_folder_) sink_.OnFolder(thread_, payload.cwd);
    told_folder_ = true;
  }

  void Event(const Payload& payload) {
    EnsureThread();
    const std::string_view type = payload.type;
    if (type == "token_count") return TokenCount(payload);
    if (type == "user_message") {
      if (!payload.kind.empty() && payload.kind != "plain") return;
      return Prompt(PromptSource::kRecord, Decoded(payload.raw_message), payload.has_image);
    }
    if (type == "task_started") return TaskStarted(payload);
    if (type == "item_completed") return ItemCompleted(payload);
    if (type == "turn_aborted") {
      if (payload.reason == "interrupted") Interruption();
      return;
    }
    if (type == "context_compacted") return Mark(MarkKind::kCompactionNotice);
    if (type == "exec_command_end" || type == "patch_apply_end" || type == "mcp_tool_call_end" ||
        type == "dynamic_tool_call_response") {
      return Mirror(payload.call_id, type == "patch_apply_end" ? "apply_patch" : payload.name,
                    payload.status, payload.failed || payload.exit_code != 0, payload.command);
    }
    if (type == "thread_name_updated" && !payload.thread_name.empty()) {
      sink_.OnTitle(thread_, payload.thread_name);
    }
    if (type.starts_with("turn.")) Stream(payload, type);
  }

  void TaskStarted(const Payload& payload) {
    ++turn_;
    if (!is_own_ || payload.started_at_s < 0 || created_ns_ == kNoTime) return;
    if (payload.started_at_s >= created_ns_ / 1'000'000'000) sink_.OnOwnTurn(thread_, place_);
  }

  void TokenCount(const Payload& payload) {
    if (payload.info.last.is_odd || payload.info.total.is_odd) {
      sink_.OnOddity("token count that is no count", line_);
    }
    const std::optional<CodexCounters> counters = usage_.Take(payload.info);
    // From the first row of the ledger on, counts repeat what the ledger says.
    if (!counters || has_ledger_ || !is_own_) return;
    const std::uint64_t number = payload.info.total.is_present ? 0 : ++without_total_;
    Hash64 key('k');
    // A line with the same instant and the same counters in another file is a copy of this one.
    if (time_ns_ == kNoTime) key.Add(thread_key_).Add(place_);
    key.Add(static_cast<std::uint64_t>(time_ns_))
        .Add(payload.info.last.Key())
        .Add(payload.info.total.Key())
        .Add(number);
    usage_was_counted_ = true;
    std::string_view model = payload.info.model;
    if (model.empty()) model = model_;
    Call(key.value(), *counters, model, {},
         Hash64('v').Add(payload.info.last.Key()).Add(payload.info.total.Key()).value());
  }

  void LedgerRow(const Payload& payload) {
    EnsureThread();
    if (!payload.usage.is_present) return;
    if (!payload.thread_id.empty() && !thread_id_.empty() && payload.thread_id != thread_id_) {
      return;
    }
    has_ledger_ = true;
    usage_was_counted_ = true;
    if (payload.usage.is_odd) sink_.OnOddity("token count that is no count", line_);
    if (!is_own_) return;
    Hash64 key('l');
    key.Add(thread_key_);
    if (payload.response_id.empty()) {
      key.Add(options_.file_key).Add(place_);
    } else {
      key.Add(payload.response_id);
    }
    std::string_view model = payload.model;
    if (model.empty()) model = model_;
    Call(key.value(), payload.usage, model, payload.response_id, payload.usage.Key());
  }

  void Call(std::uint64_t key, const CodexCounters& counters, std::string_view model,
            std::string_view id, std::uint64_t vector_key) {
    sink_.OnResponse({.thread = thread_,
                      .place = place_,
                      .key = key,
                      .time_ns = first_item_ns_ == kNoTime ? time_ns_ : first_item_ns_,
                      .end_ns = time_ns_,
                      .is_final = is_final_,
                      .id = id,
                      .model = model,
                      .effort = effort_,
                      .tokens = counters.Tokens(),
                      .counters = vector_key,
                      .text = text_});
    BeginAnswer();
  }

  void BeginAnswer() {
    first_item_ns_ = kNoTime;
    is_final_ = false;
    text_.clear();
  }

  void NoteAnswer() {
    if (is_own_ && first_item_ns_ == kNoTime) first_item_ns_ = time_ns_;
  }

  void Item(const Payload& payload, std::string_view type) {
    if (type == "message") return Message(payload);
    if (type == "reasoning") return NoteAnswer();
    if (type == "function_call" || type == "custom_tool_call") {
      return Tool(payload, payload.name, ToolStatus::kPending);
    }
    if (type == "local_shell_call") return Tool(payload, "local_shell", ToolStatus::kPending);
    if (type == "tool_search_call") return Tool(payload, "tool_search", ToolStatus::kPending);
    // These have no output record.
    const ToolStatus status = IsFailure(payload.status) ? ToolStatus::kFailed : ToolStatus::kOk;
    if (type == "web_search_call") return Tool(payload, "web_search", status);
    if (type == "image_generation_call") return Tool(payload, "image_generation", status);
    if (type.ends_with("_output")) Output(payload);
  }

  void Message(const Payload& payload) {
    EnsureThread();
    if (payload.role == "user") return UserInput(payload);
    if (payload.role != "assistant") return;
    NoteAnswer();
    if (payload.phase == "final_answer") is_final_ = true;
    if (!options_.wants_text || !is_own_) return;
    for (const std::string_view raw : payload.raw_texts) {
      if (text_.size() + raw.size() > kMostText) break;
      if (!text_.empty()) text_ += '\n';
      text_ += Decoded(raw);
    }
  }

  void UserInput(const Payload& payload) {
    bool is_marked = false;
    std::string text;
    for (std::size_t i = 0; i < payload.raw_texts.size(); ++i) {
      const bool has_kind = payload.has_kinds && i < payload.kinds.size();
      const bool is_users = has_kind && payload.kinds[i].starts_with("user.");
      is_marked = is_marked || is_users;
      if (payload.has_kinds && !is_users) continue;
      const std::string_view part = Decoded(payload.raw_texts[i]);
      if (!text.empty() && !part.empty()) text += '\n';
      text += part;
    }
    for (const std::string_view kind : payload.kinds) {
      is_marked = is_marked || kind.starts_with("user.");
    }
    if (payload.has_kinds) {
      if (is_marked) Prompt(PromptSource::kMarked, text, payload.has_image);
      return;
    }
    const std::string_view trimmed = Trimmed(text);
    if (trimmed.starts_with("<user_shell_command>")) {
      return Prompt(PromptSource::kRecord, Inside(trimmed, "<command>", "</command>"), false,
                    PromptKind::kBashInput);
    }
    if (trimmed.empty() ? !payload.has_image : IsInjectedByCodex(trimmed)) return;
    Prompt(PromptSource::kInput, trimmed, payload.has_image);
  }

  static std::string_view Inside(std::string_view text, std::string_view open,
                                 std::string_view close) {
    const std::size_t begin = text.find(open);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin + open.size());
    return Trimmed(text.substr(0, text.find(close)));
  }

  void Prompt(PromptSource source, std::string_view text, bool has_image,
              PromptKind kind = PromptKind::kUser) {
    if (!is_own_) return;
    text = Trimmed(text);
    if (text.empty() && !has_image && kind == PromptKind::kUser) return;
    if (kind == PromptKind::kUser && is_subagent_) kind = PromptKind::kAgent;
    const std::uint64_t text_key = HashOf(text);
    Hash64 key('p');
    key.Add(thread_key_)
        .Add(static_cast<std::uint64_t>(source))
        .Add(static_cast<std::uint64_t>(time_ns_))
        .Add(text_key);
    if (time_ns_ == kNoTime) key.Add(place_);
    sink_.OnPrompt({.thread = thread_,
                    .place = place_,
                    .key = key.value(),
                    .time_ns = time_ns_,
                    .kind = kind,
                    .source = source,
                    .turn = turn_,
                    .has_image = has_image,
                    .text = text});
    BeginAnswer();
  }

  void Interruption() {
    if (!is_own_) return;
    sink_.OnPrompt({.thread = thread_,
                    .place = place_,
                    .key = Hash64('i')
                               .Add(thread_key_)
                               .Add(static_cast<std::uint64_t>(time_ns_))
                               .Add(time_ns_ == kNoTime ? place_ : 0)
                               .value(),
                    .time_ns = time_ns_,
                    .kind = PromptKind::kInterruption});
  }

  void Mark(MarkKind kind) {
    EnsureThread();
    if (!is_own_) return;
    sink_.OnMark({.thread = thread_,
                  .place = place_,
                  .key = Hash64('m')
                             .Add(static_cast<std::uint64_t>(kind))
                             .Add(thread_key_)
                             .Add(static_cast<std::uint64_t>(time_ns_))
                             .Add(time_ns_ == kNoTime ? place_ : 0)
                             .value(),
                  .time_ns = time_ns_,
                  .kind = kind});
  }

  std::uint64_t ToolKey(std::string_view call_id) const {
    Hash64 key('c');
    key.Add(thread_key_);
    if (call_id.empty()) return key.Add(options_.file_key).Add(place_).value();
    return key.Add(call_id).value();
  }

  void Tool(const Payload& payload, std::string_view name, ToolStatus status) {
    EnsureThread();
    NoteAnswer();
    if (!is_own_) return;
    const std::string_view call_id = payload.call_id.empty() ? payload.id : payload.call_id;
    ToolEvent event{.thread = thread_,
                    .place = place_,
                    .key = ToolKey(call_id),
                    .time_ns = time_ns_,
                    .status = status,
                    .runs_nested = name == "exec",
                    .name = name,
                    .call_id = call_id};
    if (options_.wants_text) {
      event.input = payload.arguments.empty() ? payload.action : payload.arguments;
      event.input_kind = event.input.empty() ? ToolInput::kNone : ToolInput::kJson;
      if (!payload.raw_arguments.empty()) {
        event.input = Trimmed(Decoded(payload.raw_arguments));
        event.input_kind = event.input.starts_with('{') ? ToolInput::kJson : ToolInput::kText;
      } else if (!payload.raw_input.empty()) {
        event.input = Decoded(payload.raw_input);
        event.input_kind = ToolInput::kText;
      }
    }
    sink_.OnTool(event);
  }

  void Output(const Payload& payload) {
    EnsureThread();
    if (!is_own_ || payload.call_id.empty()) return;
    const CodexOutput& output = payload.output;
    ToolStatus status = StatusOf(output.raw_text);
    if (output.has_success && !output.success && status == ToolStatus::kOk) {
      status = ToolStatus::kFailed;
    }
    if (IsFailure(payload.status) && status == ToolStatus::kOk) status = ToolStatus::kFailed;
    sink_.OnToolResult({.thread = thread_,
                        .place = place_,
                        .key = ToolKey(payload.call_id),
                        .time_ns = time_ns_,
                        .status = status});
  }

  ToolStatus StatusOf(std::string_view raw) {
    if (raw.starts_with("{\\\"")) {
      if (const std::optional<ToolStatus> status = StatusInJson(raw)) return *status;
    }
    return TellCodexStatus(Decoded(raw.substr(0, kStatusBytes))).value_or(ToolStatus::kOk);
  }

  // An output that is itself JSON: {"output": ..., "metadata": {"exit_code": 1}}.
  std::optional<ToolStatus> StatusInJson(std::string_view raw) {
    inner_text_ = Decoded(raw);
    const std::size_t size = inner_text_.size();
    inner_text_.append(kLinePadding, '\0');
    std::optional<ToolStatus> status;
    std::string_view rest;
    const json::Outcome outcome = inner_parser_.Parse(
        std::string_view(inner_text_.data(), size), rest, [&](json::od::object object) {
          return json::ForFields(object, [&](std::string_view key, json::od::value value) {
            if (key == "success") {
              bool success = true;
              if (!json::Read(value, success)) return false;
              if (!success) status = ToolStatus::kFailed;
            }
            return key == "metadata" ? ExitCodeIn(value, status) : true;
          });
        });
    return outcome == json::Outcome::kRecord ? status : std::nullopt;
  }

  static bool ExitCodeIn(json::od::value metadata, std::optional<ToolStatus>& status) {
    return json::ForFields(metadata, [&](std::string_view key, json::od::value value) {
      if (key != "exit_code") return true;
      std::int64_t exit_code = 0;
      if (!json::ReadNumber(value, exit_code)) return false;
      if (exit_code != 0) status = ToolStatus::kFailed;
      if (!status) status = ToolStatus::kOk;
      return true;
    });
  }

  // The end of a call that has records of its own, or a call inside of a call.
  void Mirror(std::string_view call_id, std::string_view name, std::string_view status, bool failed,
              std::string_view command) {
    if (!is_own_ || call_id.empty()) return;
    ToolStatus told = failed || IsFailure(status) ? ToolStatus::kFailed : ToolStatus::kOk;
    if (IsRefusal(status)) told = ToolStatus::kRejected;
    ToolEvent event{.thread = thread_,
                    .place = place_,
                    .key = ToolKey(call_id),
                    .time_ns = time_ns_,
                    .status = told,
                    .may_be_nested = true,
                    .name = name.empty() ? std::string_view("exec_command") : name,
                    .call_id = call_id};
    if (options_.wants_text && !command.empty()) {
      inner_text_ = "{\"command\":";
      inner_text_ += command;
      inner_text_ += '}';
      event.input = inner_text_;
      event.input_kind = ToolInput::kJson;
    }
    sink_.OnTool(event);
  }

  void ItemCompleted(const Payload& payload) {
    const CodexItem& item = payload.item;
    if (item.type == "UserMessage") {
      return Prompt(PromptSource::kItem, Decoded(item.raw_text), item.has_image);
    }
    if (item.type == "ContextCompaction") return Mark(MarkKind::kCompactionNotice);
    const bool failed = item.failed || item.exit_code != 0;
    if (item.type == "CommandExecution") {
      return Mirror(item.id, "exec_command", item.status, failed, CommandOf(item));
    }
    if (item.type == "FileChange") {
      return Mirror(item.id, "apply_patch", item.status, failed, item.changes);
    }
    if (item.type == "McpToolCall") Mirror(item.id, item.tool, item.status, failed, item.arguments);
  }

  std::string_view CommandOf(const CodexItem& item) {
    if (!item.command.empty() || item.raw_command.empty()) return item.command;
    command_ = '"';
    command_ += item.raw_command;
    command_ += '"';
    return command_;
  }

  // The events that `codex exec --json` prints.
  void Stream(const Payload& payload, std::string_view type) {
    if (type == "thread.started" && !has_thread_) {
      Name({.agent = AgentKind::kCodex,
            .session_id =
                payload.thread_id.empty() ? ThreadIdIn(options_.file_name) : payload.thread_id});
      thread_id_ = payload.thread_id;
      sink_.OnOrigin({.thread = thread_, .is_stream = true});
    }
    EnsureThread();
    if (type == "turn.completed" && payload.usage.is_present) return StreamUsage(payload);
    if (type == "item.started") StreamItem(payload.item, false);
    if (type == "item.completed") StreamItem(payload.item, true);
  }

  // One sum for all calls of a run.
  void StreamUsage(const Payload& payload) {
    if (usage_was_counted_ || payload.usage.IsEstimate() || !is_own_) return;
    if (payload.usage.is_odd) sink_.OnOddity("token count that is no count", line_);
    std::string_view model = payload.model;
    if (model.empty()) model = model_;
    Call(Hash64('e').Add(thread_key_).Add(payload.usage.Key()).Add(++stream_turns_).value(),
         payload.usage, model, {}, payload.usage.Key());
  }

  void StreamItem(const CodexItem& item, bool is_done) {
    std::string_view name = item.type;
    if (item.type == "mcp_tool_call") name = item.tool;
    if (item.type == "agent_message" || item.type == "assistant_message") {
      NoteAnswer();
      if (is_done && options_.wants_text && text_.size() + item.raw_text.size() <= kMostText) {
        if (!text_.empty()) text_ += '\n';
        text_ += Decoded(item.raw_text);
      }
      return;
    }
    if (item.type != "command_execution" && item.type != "file_change" &&
        item.type != "mcp_tool_call" && item.type != "web_search") {
      return;
    }
    NoteAnswer();
    // Item numbers begin again with every run.
    const std::uint64_t key =
        Hash64('c').Add(thread_key_).Add(options_.file_key).Add(stream_turns_).Add(item.id).value();
    ToolStatus status = ToolStatus::kPending;
    if (is_done) {
      const bool failed = item.failed || item.exit_code != 0 || IsFailure(item.status);
      status = failed ? ToolStatus::kFailed : ToolStatus::kOk;
      if (IsRefusal(item.status)) status = ToolStatus::kRejected;
    }
    ToolEvent event{.thread = thread_,
                    .place = place_,
                    .key = key,
                    .time_ns = time_ns_,
                    .status = status,
                    .name = name,
                    .call_id = item.id};
    if (options_.wants_text) {
      const std::string_view inner = !item.arguments.empty() ? item.arguments
                                     : !item.changes.empty() ? item.changes
                                                             : CommandOf(item);
      if (!inner.empty()) {
        const std::string_view label = !item.arguments.empty() ? "arguments"
                                       : !item.changes.empty() ? "changes"
                                                               : "command";
        inner_text_ = "{\"";
        inner_text_ += label;
        inner_text_ += "\":";
        inner_text_ += inner;
        inner_text_ += '}';
        event.input = inner_text_;
        event.input_kind = ToolInput::kJson;
      }
    }
    sink_.OnTool(event);
    if (is_done) {
      sink_.OnToolResult(
          {.thread = thread_, .place = place_, .key = key, .time_ns = time_ns_, .status = status});
    }
  }

  std::string_view Decoded(std::string_view raw) {
    return raw.find('\\') == std::string_view::npos ? raw : arena_.Unescape(raw);
  }

  // Of an answer; what follows is left out.
  static constexpr std::size_t kMostText = 1 << 20;

  LogSink& sink_;
  const DialectOptions options_;
  json::Parser parser_;
  json::Parser inner_parser_;
  json::TextArena arena_;
  CodexRecord record_;
  std::uint64_t line_ = 0;
  std::uint64_t place_ = 0;
  std::int64_t time_ns_ = kNoTime;

  bool has_thread_ = false;
  bool is_subagent_ = false;
  LocalThread thread_ = 0;
  std::uint64_t thread_key_ = 0;
  std::string thread_id_;
  std::int64_t created_ns_ = kNoTime;
  std::int64_t start_ordinal_ = -1;
  bool is_own_ = true;
  bool told_folder_ = false;
  std::uint32_t turn_ = 0;

  CodexUsage usage_;
  bool has_ledger_ = false;
  bool usage_was_counted_ = false;  // By token counts or a ledger.
  std::uint64_t without_total_ = 0;
  std::uint64_t stream_turns_ = 0;
  std::string model_;
  std::string effort_;

  std::int64_t first_item_ns_ = kNoTime;
  bool is_final_ = false;
  std::string text_;
  std::string inner_text_;
  std::string command_;
};

}  // namespace

std::unique_ptr<Dialect> MakeCodexDialect(LogSink& sink, const DialectOptions& options) {
  return std::make_unique<CodexDialect>(sink, options);
}

}  // namespace sonde::agentlog
