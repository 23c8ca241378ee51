// Operation: one prompt, model call or tool call, reduced to names, numbers and hashes.

#include "agentlog/operation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sonde::agentlog {
namespace {

// By time, then as the log has them; what has no time stays behind what is before it in the log.
std::vector<std::uint32_t> OrderInTime(const std::vector<Operation>& operations) {
  std::vector<std::uint32_t> order(operations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::int64_t> times(operations.size());
  std::int64_t last = kNoTime;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].time_ns != kNoTime) last = operations[i].time_ns;
    times[i] = last;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return times[a] < times[b]; });
  return order;
}

void MarkRepeats(SessionOperations& recorded) {
  std::vector<Operation>& operations = recorded.operations;
  const auto same_values = [&](const ValueRange& a, const ValueRange& b) {
    return a.count == b.count && std::equal(recorded.values.begin() + a.first,
                                            recorded.values.begin() + a.first + a.count,
                                            recorded.values.begin() + b.first);
  };
  const std::vector<std::uint32_t> order = OrderInTime(operations);
  for (std::size_t i = 1; i < order.size(); ++i) {
    Operation& now = operations[order[i]];
    const Operation& before = operations[order[i - 1]];
    now.is_repeat = now.kind == OperationKind::kTool && before.kind == OperationKind::kTool &&
                    before.time_ns != kNoTime && before.time_ns < now.time_ns &&
                    before.prompt == now.prompt && before.name == now.name &&
                    before.text_hash == now.text_hash && before.command == now.command &&
                    same_values(before.domains, now.domains) &&
                    before.path_count == now.path_count &&
                    std::equal(recorded.paths.begin() + now.first_path,
                               recorded.paths.begin() + now.first_path + now.path_count,
                               recorded.paths.begin() + before.first_path,
                               [](const PathValue& a, const PathValue& b) {
                                 return a.group == b.group && a.access == b.access;
                               });
  }
}

// Where a log does not say which answer ended a turn, it is the last text of the turn, unless tools
// or an interruption come after it.
void MarkFinalAnswers(std::vector<Operation>& operations) {
  Operation* last = nullptr;
  for (Operation& operation : operations) {
    if (operation.kind != OperationKind::kPrompt) {
      last = &operation;
      continue;
    }
    const bool is_stopped = operation.prompt_kind == PromptKind::kInterruption;
    if (last != nullptr && !is_stopped) last->is_final |= last->has_text;
    last = nullptr;
  }
  if (last != nullptr) last->is_final |= last->has_text;
}

}  // namespace

bool IsPrompt(PromptKind kind) noexcept {
  return kind == PromptKind::kUser || kind == PromptKind::kAgent;
}

std::string_view NameOf(PromptKind kind) noexcept {
  switch (kind) {
    case PromptKind::kUser:
      return "user";
    case PromptKind::kAgent:
      return "agent";
    case PromptKind::kSlashCommand:
      return "slash_command";
    case PromptKind::kBashInput:
      return "bash_input";
    case PromptKind::kInterruption:
      break;
  }
  return "interruption";
}

std::string_view SourceKindOf(const Operation& operation) noexcept {
  switch (operation.kind) {
    case OperationKind::kPrompt:
      return IsPrompt(operation.prompt_kind) ? "prompt" : NameOf(operation.prompt_kind);
    case OperationKind::kTool:
      return "tool";
    case OperationKind::kLlm:
      break;
  }
  return "llm";
}

TaggedSession TagSession(SessionOperations recorded, Tagger& tagger, Tagger* task_tagger) {
  TaggedSession tagged;
  tagged.recorded = std::move(recorded);
  SessionOperations& session = tagged.recorded;
  tagged.tag = tagger.Answer(
      tagger.Ask(TagKind::kSession, session.session_text, NameOf(session.session->agent)));
  std::string_view declared;
  if (task_tagger != nullptr && session.has_task_choice) {
    declared = task_tagger->Answer(session.task_choice);
    if (declared == kUnmatchedTag) declared = {};
  }
  tagged.tags.resize(session.operations.size());
  std::string_view task = kUnmatchedTag;
  for (std::size_t i = 0; i < session.operations.size(); ++i) {
    const Operation& operation = session.operations[i];
    if (operation.kind == OperationKind::kTool) continue;
    tagged.tags[i] = tagger.Answer(operation.tag);
    if (operation.kind != OperationKind::kPrompt) continue;
    if (operation.prompt_kind == PromptKind::kInterruption) tagged.tags[i] = "interrupt";
    if (operation.prompt >= tagged.prompt_tags.size()) {
      tagged.prompt_tags.resize(operation.prompt + 1);
      tagged.tasks.resize(operation.prompt + 1);
    }
    // "Go on" belongs to the task at hand, whatever it is tagged itself.
    if (!operation.keeps_task) task = tagged.tags[i];
    tagged.prompt_tags[operation.prompt] = tagged.tags[i];
    tagged.tasks[operation.prompt] = declared.empty() ? task : declared;
  }
  MarkRepeats(session);
  MarkFinalAnswers(session.operations);
  return tagged;
}

}  // namespace sonde::agentlog
