// SessionRecorder: turns the events of one session into operations, keeping no text.

#include "agentlog/session_recorder.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sonde::agentlog {
namespace {

constexpr std::size_t kHashDigits = 12;

std::uint32_t Clamped(std::size_t size) noexcept {
  return static_cast<std::uint32_t>(std::min<std::size_t>(size, UINT32_MAX));
}

// A file that is gone or elsewhere at the end was not only written.
Access MoreLasting(Access before, Access now) noexcept {
  const bool ends = now == Access::kDelete || now == Access::kRename;
  return ends || before == Access::kRead ? now : before;
}

}  // namespace

std::string PreviewText(std::string_view text, std::size_t limit) {
  std::string preview;
  bool blank = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f) {
      blank = true;
      continue;
    }
    if (blank && !preview.empty()) preview += ' ';
    blank = false;
    preview += c;
    if (preview.size() > limit) break;
  }
  if (preview.size() <= limit) return preview;
  std::size_t end = limit - 1;
  while (end > 0 && (static_cast<unsigned char>(preview[end]) & 0xc0) == 0x80) --end;
  return preview.substr(0, end) + '.';
}

bool IsContinuation(std::string_view prompt) {
  constexpr std::string_view kWords[] = {
      "continue", "go on", "go ahead", "proceed", "keep going",
      "carry on", "do it", "ok",       "okay",    "yes",
      "y",        "sure",  "go",       "next",    "please continue",
      "继续",     "接着",  "好",       "好的",    "可以",
      "是",       "嗯",    "行",       "开始"};
  if (prompt.size() > 64) return false;
  std::string text = PreviewText(prompt, 64);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const std::string_view end : {".", "!", "。", "！", ","}) {
    while (text.ends_with(end)) text.resize(text.size() - end.size());
  }
  return std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords);
}

SessionRecorder::SessionRecorder(const RecorderOptions& options, const AgentSession& session,
                                 std::string_view cwd)
    : options_(options),
      scope_(ScopeOf(options.project_root, cwd, options.path_depth)),
      hints_(NameOf(session.agent)),
      cwd_(cwd) {
  recorded_.session = &session;
}

StringId SessionRecorder::HashId(std::string_view text) { return Named(HashOf(text, kHashDigits)); }

StringId SessionRecorder::PreviewOf(std::string_view text) {
  return options_.include_previews ? Named(PreviewText(text, kPreviewBytes)) : StringId{};
}

void SessionRecorder::OnPrompt(const AgentPrompt& prompt) {
  TagSilentCall();
  skill_ = StringId{};
  Operation operation{.kind = OperationKind::kPrompt, .prompt_kind = prompt.kind};
  operation.status = ToolStatus::kOk;
  operation.prompt = prompt.index;
  operation.time_ns = prompt.time_ns;
  operation.next_ns = prompt.next_ns;
  operation.keeps_task = prompt.kind == PromptKind::kInterruption || IsContinuation(prompt.text);
  operation.has_text = !prompt.text.empty();
  operation.text_bytes = Clamped(prompt.text.size());
  operation.text_hash = HashId(prompt.text);
  operation.preview = PreviewOf(prompt.text);
  operation.tag = options_.tagger->Ask(TagKind::kPrompt, prompt.text, hints_);
  recorded_.operations.push_back(operation);
  if (options_.on_unmatched_prompt && IsPrompt(prompt.kind) &&
      options_.tagger->Answer(operation.tag) == kUnmatchedTag) {
    options_.on_unmatched_prompt(prompt.text);
  }
  if (prompt.kind != PromptKind::kInterruption && session_prompts_ < kSessionPrompts) {
    ++session_prompts_;
    session_prompt_text_.append(prompt.text.substr(0, kSessionPromptBytes)).push_back('\n');
  }
}

void SessionRecorder::OnCall(const LlmCall& call) {
  TagSilentCall();
  Operation operation{.kind = OperationKind::kLlm};
  operation.status = ToolStatus::kOk;
  operation.prompt = call.prompt;
  operation.time_ns = call.time_ns;
  operation.end_ns = call.end_ns;
  operation.next_ns = call.next_ns;
  operation.is_final = call.is_final;
  operation.has_text = !call.text.empty();
  operation.text_bytes = Clamped(call.text.size());
  operation.name = Named(call.model.empty() ? "unknown" : NameOfModel(call.model));
  operation.skill = skill_;
  operation.id = Named(NameOfId(call.id));
  operation.text_hash = HashId(call.text);
  operation.preview = PreviewOf(call.text);
  operation.tokens = call.tokens;
  if (operation.has_text) {
    operation.tag = options_.tagger->Ask(TagKind::kLlm, call.text, hints_);
  } else {
    silent_call_ = recorded_.operations.size();
    silent_index_ = call.index;
  }
  recorded_.operations.push_back(operation);
}

void SessionRecorder::TagSilentCall() {
  if (silent_call_ == SIZE_MAX) return;
  const std::string tools = std::exchange(silent_tools_, {});
  recorded_.operations[silent_call_].tag =
      options_.tagger->Ask(TagKind::kLlm, tools.empty() ? tools : "tool: " + tools, hints_);
  silent_call_ = SIZE_MAX;
}

void SessionRecorder::AddFacts(Operation& operation, const ToolFacts& facts) {
  std::vector<StringId>& values = recorded_.values;
  operation.processes = {Clamped(values.size()), Clamped(facts.processes.size())};
  for (const std::string& process : facts.processes) values.push_back(Named(NameOfWord(process)));
  operation.domains = {Clamped(values.size()), Clamped(facts.domains.size())};
  for (const std::string& domain : facts.domains) values.push_back(Named(NameOfDomain(domain)));

  // One entry a group of paths; the most lasting access stands for the group.
  operation.first_path = Clamped(recorded_.paths.size());
  const auto add = [&](std::string_view path, Access access) {
    const StringId group = Named(NameOfPath(path, scope_));
    for (std::size_t i = operation.first_path; i < recorded_.paths.size(); ++i) {
      PathValue& known = recorded_.paths[i];
      if (known.group != group) continue;
      known.access = MoreLasting(known.access, access);
      return;
    }
    recorded_.paths.push_back({group, access});
  };
  for (const FileTouch& touch : facts.files) {
    add(touch.path, touch.access);
    if (!touch.previous_path.empty()) add(touch.previous_path, touch.access);
  }
  operation.path_count = Clamped(recorded_.paths.size()) - operation.first_path;
}

void SessionRecorder::OnTool(const ToolCall& tool) {
  const ToolFacts facts = FactsOf(tool);
  if (silent_call_ != SIZE_MAX && tool.call == silent_index_ && silent_tools_.size() < 512) {
    if (!silent_tools_.empty()) silent_tools_ += ", ";
    silent_tools_ += tool.name;
  }
  if (!facts.skill.empty()) skill_ = Named(NameOfWord(facts.skill));
  Operation operation{.kind = OperationKind::kTool};
  operation.status = tool.status;
  operation.effect = facts.effect;
  operation.category = facts.category;
  operation.is_nested = tool.is_nested;
  operation.prompt = tool.prompt;
  operation.time_ns = tool.time_ns;
  operation.end_ns = tool.end_ns;
  operation.next_ns = tool.next_ns;
  operation.name = Named(NameOfWord(tool.name));
  operation.command = Named(facts.category == ToolCategory::kNetwork && !facts.domains.empty()
                                ? NameOfDomain(facts.command_name)
                                : NameOfWord(facts.command_name));
  operation.skill = skill_;
  operation.id = Named(NameOfId(tool.call_id));
  operation.text_bytes = Clamped(facts.command.size());
  operation.text_hash = HashId(facts.command);
  operation.preview = PreviewOf(facts.command);
  AddFacts(operation, facts);
  recorded_.operations.push_back(operation);
}

SessionOperations SessionRecorder::Take() && {
  TagSilentCall();
  std::string text = title_ + '\n' + cwd_ + '\n' + session_prompt_text_;
  if (options_.task_tagger != nullptr) {
    recorded_.task_choice = options_.task_tagger->Ask(TagKind::kSession, text, hints_);
    recorded_.has_task_choice = true;
  }
  recorded_.session_text = std::move(text);
  return std::move(recorded_);
}

}  // namespace sonde::agentlog
