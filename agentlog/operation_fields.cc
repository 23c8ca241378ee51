// OperationFields: the values of every field of the operations of one session.

#include "agentlog/operation_fields.h"

#include <algorithm>

#include "agentlog/frame_namer.h"

namespace sonde::agentlog {
namespace {

// What a tool call does, in the words of its effect and its category.
std::string_view ActionOf(const Operation& operation, std::string_view tool) noexcept {
  if (tool == "spawn_agent" || tool == "task" || tool == "agent") return "delegate";
  if (tool == "wait" || tool == "wait_agent" || tool == "list_agents") return "await_delegate";
  if (tool == "composite") return "run_several";
  switch (operation.effect) {
    case Effect::kRead:
      return "read_or_search";
    case Effect::kWrite:
      return "edit";
    case Effect::kTest:
      return "validate";
    case Effect::kNetwork:
      return "fetch";
    case Effect::kRepository:
      return "record";
    case Effect::kProcess:
      break;
  }
  if (operation.category == ToolCategory::kPlan) return "plan";
  if (operation.category == ToolCategory::kSubagent) return "coordinate";
  return {};
}

}  // namespace

std::string_view StatusName(const Operation& operation) noexcept {
  if (operation.kind != OperationKind::kTool) return "observed";
  switch (operation.status) {
    case ToolStatus::kOk:
      return "ok";
    case ToolStatus::kFailed:
      return "fail";
    case ToolStatus::kRejected:
      return "rejected";
    case ToolStatus::kPending:
      break;
  }
  return "observed";
}

OperationFields::OperationFields(TaggedSession& session, std::string_view project)
    : session_(session), project_(project) {
  const AgentSession& source = *session.recorded.session;
  StringTable& strings = session.recorded.strings;
  session_id_ = strings.text(strings.Intern(NameOfId(source.id)));
  if (source.is_subagent) {
    subagent_ = strings.text(
        strings.Intern(NameOfId(source.agent_id.empty() ? source.id : source.agent_id)));
  }
  agent_ = NameOf(source.agent);
  for (const Operation& operation : session.recorded.operations) {
    if (operation.kind == OperationKind::kLlm && operation.is_final) {
      answered_tasks_.push_back(session.Task(operation));
    }
  }
}

std::string_view OperationFields::Joined(std::string_view first, std::string_view second) {
  StringTable& strings = session_.recorded.strings;
  std::string joined(first);
  joined += second;
  return strings.text(strings.Intern(joined));
}

void OperationFields::Fill(std::size_t index, FieldBag& bag) {
  const Operation& operation = session_.recorded.operations[index];
  bag.Clear();
  bag.Add(Field::kProject, project_);
  bag.Add(Field::kAgent, agent_);
  bag.Add(Field::kSession, session_.tag);
  bag.Add(Field::kSourceSession, session_id_);
  bag.Add(Field::kSubagent, subagent_);
  const std::string_view prompt = session_.PromptTag(operation);
  const std::string_view task = session_.Task(operation);
  bag.Add(Field::kPrompt, prompt.empty() ? "unprompted" : prompt);
  bag.Add(Field::kTask, task.empty() ? "unprompted" : task);
  const std::string_view skill = Text(operation.skill);
  bag.Add(Field::kSkill, skill.empty() ? "unscoped" : skill);
  const std::string_view source_kind = SourceKindOf(operation);
  for (const Field field : {Field::kSourceKind, Field::kOp, Field::kKind}) {
    bag.Add(field, source_kind);
  }
  bag.Add(Field::kStatus, StatusName(operation));
  const bool is_answered =
      std::find(answered_tasks_.begin(), answered_tasks_.end(), task) != answered_tasks_.end();
  bag.Add(Field::kOutcome, is_answered ? "answered" : "unanswered");
  switch (operation.kind) {
    case OperationKind::kPrompt:
      return FillPrompt(operation, session_.tags[index], bag);
    case OperationKind::kLlm:
      return FillCall(operation, session_.tags[index], bag);
    case OperationKind::kTool:
      return FillTool(operation, bag);
  }
}

void OperationFields::FillPrompt(const Operation& operation, std::string_view, FieldBag& bag) {
  bag.Add(Field::kPromptHash, Text(operation.text_hash));
  bag.Add(Field::kPhase, SourceKindOf(operation));
  const bool is_stop = operation.prompt_kind == PromptKind::kInterruption;
  bag.Add(Field::kAction, is_stop                                       ? "interrupt"
                          : operation.prompt_kind == PromptKind::kAgent ? "delegated_task"
                                                                        : "state_task");
  bag.Add(Field::kObject, "task_request");
  bag.Add(Field::kResult, is_stop ? "interrupted" : "task_received");
}

void OperationFields::FillCall(const Operation& operation, std::string_view tag, FieldBag& bag) {
  bag.Add(Field::kLlm, tag);
  bag.Add(Field::kCall, Joined("llm/", tag));
  bag.Add(Field::kModel, Text(operation.name));
  bag.Add(Field::kPhase, tag == kUnmatchedTag ? "llm" : tag);
  bag.Add(Field::kAction, "reason_or_report");
  bag.Add(Field::kObject, "current_task");
  const bool is_final = operation.is_final && operation.has_text;
  bag.Add(Field::kResponsePhase, is_final             ? "final_answer"
                                 : operation.has_text ? "assistant_message"
                                                      : "token_only");
  bag.Add(Field::kResult, is_final             ? "final_answer_reported"
                          : operation.has_text ? "response_reported"
                                               : "tokens_reported");
}

void OperationFields::FillTool(const Operation& operation, FieldBag& bag) {
  const SessionOperations& recorded = session_.recorded;
  const std::string_view tool = Text(operation.name);
  const std::string_view command = Text(operation.command);
  const std::string_view category = NameOf(operation.category);
  bag.Add(Field::kTool, tool);
  bag.Add(Field::kCategory, category);
  bag.Add(Field::kCall, Joined("tool/", category));
  if (operation.category == ToolCategory::kShell) bag.Add(Field::kCmd, command);
  bag.Add(Field::kEffect, NameOf(operation.effect));
  for (std::uint32_t i = 0; i < operation.processes.count; ++i) {
    bag.Add(Field::kProcess, Text(recorded.values[operation.processes.first + i]));
  }
  bag.Add(Field::kPhase, operation.effect != Effect::kProcess        ? NameOf(operation.effect)
                         : operation.category != ToolCategory::kTool ? category
                         : command != "unknown"                      ? command
                                                                     : tool);
  const std::string_view action = ActionOf(operation, tool);
  bag.Add(Field::kAction,
          action.empty() ? Joined("run_", command == "unknown" ? tool : command) : action);
  std::string_view object = command == "unknown" ? tool : command;
  if (operation.domains.count > 0) object = Text(recorded.values[operation.domains.first]);
  if (operation.path_count > 0) object = Text(recorded.paths[operation.first_path].group);
  bag.Add(Field::kObject, object);
  if (operation.is_repeat) bag.Add(Field::kRepeat, "exact_repeat");
  switch (operation.status) {
    case ToolStatus::kOk:
      bag.Add(Field::kResult, "completed");
      break;
    case ToolStatus::kFailed:
      bag.Add(Field::kResult, "failed");
      break;
    case ToolStatus::kRejected:
      bag.Add(Field::kResult, "rejected");
      break;
    case ToolStatus::kPending:
      bag.Add(Field::kResult, "unobserved");
      break;
  }
  // Until a view chooses one of them.
  if (operation.path_count > 0) {
    const PathValue& path = recorded.paths[operation.first_path];
    bag.Add(Field::kPath, Text(path.group));
    bag.Add(Field::kFile, Text(path.group));
    bag.Add(Field::kAccess, NameOf(path.access));
  }
  if (operation.domains.count > 0) {
    bag.Add(Field::kDomain, Text(recorded.values[operation.domains.first]));
  }
  bag.Add(Field::kTarget, operation.path_count > 0 || operation.domains.count > 0
                              ? object
                              : std::string_view("none"));
}

}  // namespace sonde::agentlog
