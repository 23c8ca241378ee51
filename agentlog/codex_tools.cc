// CodexTools: the calls of tools in a Codex log, in every form that its generations gave them.

#include "agentlog/codex_tools.h"

#include "agentlog/claude_prompt.h"
#include "agentlog/hash.h"

namespace sonde::agentlog {

bool CodexTools::TakeCall(const CodexPayload& payload, std::string_view type) {
  if (type == "function_call" || type == "custom_tool_call") {
    Call(payload, payload.name, ToolStatus::kPending);
  } else if (type == "local_shell_call") {
    Call(payload, "local_shell", ToolStatus::kPending);
  } else if (type == "tool_search_call") {
    Call(payload, "tool_search", ToolStatus::kPending);
  } else if (type == "web_search_call" || type == "image_generation_call") {
    // These have no output record.
    Call(payload, type.substr(0, type.rfind("_call")),
         IsFailure(payload.status) ? ToolStatus::kFailed : ToolStatus::kOk);
  } else {
    return false;
  }
  return true;
}

void CodexTools::Call(const CodexPayload& payload, std::string_view name, ToolStatus status) {
  thread_.Ensure();
  if (!thread_.is_own()) return;
  const std::string_view call_id = payload.call_id.empty() ? payload.id : payload.call_id;
  ToolEvent event = EventOf(KeyOf(call_id), status);
  event.runs_nested = name == "exec";
  event.name = name;
  event.call_id = call_id;
  if (options_.wants_text) {
    event.input = payload.arguments.empty() ? payload.action : payload.arguments;
    event.input_kind = event.input.empty() ? ToolInput::kNone : ToolInput::kJson;
    if (!payload.raw_arguments.empty()) {
      event.input = Trimmed(arena_.Decoded(payload.raw_arguments));
      event.input_kind = event.input.starts_with('{') ? ToolInput::kJson : ToolInput::kText;
    } else if (!payload.raw_input.empty()) {
      event.input = arena_.Decoded(payload.raw_input);
      event.input_kind = ToolInput::kText;
    }
  }
  sink_.OnTool(event);
}

void CodexTools::TakeOutput(const CodexPayload& payload) {
  thread_.Ensure();
  if (!thread_.is_own() || payload.call_id.empty()) return;
  sink_.OnToolResult({.thread = thread_.number(),
                      .place = thread_.place(),
                      .key = KeyOf(payload.call_id),
                      .time_ns = thread_.time_ns(),
                      .status = outputs_.StatusOf(payload)});
}

void CodexTools::TakeEnd(const CodexPayload& payload) {
  const std::string_view type = payload.type;
  if (type != "exec_command_end" && type != "patch_apply_end" && type != "mcp_tool_call_end" &&
      type != "dynamic_tool_call_response") {
    return;
  }
  Mirror({.id = payload.call_id,
          .name = type == "patch_apply_end" ? "apply_patch" : payload.name,
          .status = payload.status,
          .has_failed = payload.failed || payload.exit_code != 0,
          .command = payload.command});
}

void CodexTools::TakeItem(const CodexItem& item) {
  Mirrored mirrored{
      .id = item.id, .status = item.status, .has_failed = item.failed || item.exit_code != 0};
  if (item.type == "CommandExecution") {
    mirrored.name = "exec_command";
    mirrored.command = CommandOf(item);
  } else if (item.type == "FileChange") {
    mirrored.name = "apply_patch";
    mirrored.command = item.changes;
  } else if (item.type == "McpToolCall") {
    mirrored.name = item.tool;
    mirrored.command = item.arguments;
  } else {
    return;
  }
  Mirror(mirrored);
}

void CodexTools::Mirror(const Mirrored& mirrored) {
  if (!thread_.is_own() || mirrored.id.empty()) return;
  ToolStatus status =
      mirrored.has_failed || IsFailure(mirrored.status) ? ToolStatus::kFailed : ToolStatus::kOk;
  if (IsRefusal(mirrored.status)) status = ToolStatus::kRejected;
  ToolEvent event = EventOf(KeyOf(mirrored.id), status);
  event.may_be_nested = true;
  event.name = mirrored.name.empty() ? "exec_command" : mirrored.name;
  event.call_id = mirrored.id;
  SetInput(event, "command", mirrored.command);
  sink_.OnTool(event);
}

bool CodexTools::TakeStreamItem(const CodexItem& item, bool is_done, std::uint64_t run) {
  if (item.type != "command_execution" && item.type != "file_change" &&
      item.type != "mcp_tool_call" && item.type != "web_search") {
    return false;
  }
  ToolStatus status = ToolStatus::kPending;
  if (is_done) {
    const bool has_failed = item.failed || item.exit_code != 0 || IsFailure(item.status);
    status = has_failed ? ToolStatus::kFailed : ToolStatus::kOk;
    if (IsRefusal(item.status)) status = ToolStatus::kRejected;
  }
  // Item numbers begin again with every run.
  const std::uint64_t key =
      Hash64('c').Add(thread_.key()).Add(options_.file_key).Add(run).Add(item.id).value();
  ToolEvent event = EventOf(key, status);
  event.name = item.type == "mcp_tool_call" ? item.tool : item.type;
  event.call_id = item.id;
  if (!item.arguments.empty()) {
    SetInput(event, "arguments", item.arguments);
  } else if (!item.changes.empty()) {
    SetInput(event, "changes", item.changes);
  } else {
    SetInput(event, "command", CommandOf(item));
  }
  sink_.OnTool(event);
  if (is_done) {
    sink_.OnToolResult({.thread = event.thread,
                        .place = event.place,
                        .key = key,
                        .time_ns = event.time_ns,
                        .status = status});
  }
  return true;
}

std::uint64_t CodexTools::KeyOf(std::string_view call_id) const {
  Hash64 key('c');
  key.Add(thread_.key());
  if (call_id.empty()) return key.Add(options_.file_key).Add(thread_.place()).value();
  return key.Add(call_id).value();
}

ToolEvent CodexTools::EventOf(std::uint64_t key, ToolStatus status) const {
  return {.thread = thread_.number(),
          .place = thread_.place(),
          .key = key,
          .time_ns = thread_.time_ns(),
          .status = status};
}

// The JSON {"label": inner}, valid until the next one.
void CodexTools::SetInput(ToolEvent& event, std::string_view label, std::string_view inner) {
  if (!options_.wants_text || inner.empty()) return;
  input_ = "{\"";
  input_ += label;
  input_ += "\":";
  input_ += inner;
  input_ += '}';
  event.input = input_;
  event.input_kind = ToolInput::kJson;
}

std::string_view CodexTools::CommandOf(const CodexItem& item) {
  if (!item.command.empty() || item.raw_command.empty()) return item.command;
  command_ = '"';
  command_ += item.raw_command;
  command_ += '"';
  return command_;
}

}  // namespace sonde::agentlog
