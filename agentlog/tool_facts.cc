// ToolFacts: what a tool call of an agent did, read off its name and arguments.

#include "agentlog/tool_facts.h"

#include <algorithm>

#include "agentlog/domain.h"
#include "agentlog/patch.h"
#include "agentlog/secret.h"
#include "agentlog/tool_input.h"

namespace sonde::agentlog {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// "mcp__server__tool" and "functions.tool" are judged by the tool.
std::string_view OwnName(std::string_view name) {
  const std::size_t mark = name.rfind("__");
  if (name.starts_with("mcp__") && mark != std::string_view::npos) name.remove_prefix(mark + 2);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

bool Has(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}

// What follows the name of a skill is what it was asked to do.
std::string_view FirstWord(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

template <std::size_t kSize>
bool IsOneOf(const std::string_view (&names)[kSize], std::string_view name) noexcept {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

ToolCategory CategoryOf(std::string_view name) {
  constexpr std::string_view kShells[] = {
      "bash", "exec",  "local_shell", "local_shell_call", "powershell",
      "sh",   "shell", "terminal",    "run_terminal_cmd"};
  constexpr std::string_view kEdits[] = {
      "apply_patch", "create_file",  "delete",     "delete_file",        "edit",  "edit_file",
      "multiedit",   "notebookedit", "strreplace", "str_replace_editor", "write", "write_file"};
  constexpr std::string_view kReads[] = {
      "glob",      "grep",         "grep_files", "list_dir",  "list_files",
      "ls",        "notebookread", "read",       "read_file", "read_many_files",
      "readlints", "view",         "view_image"};
  if (IsOneOf(kShells, name) || name.ends_with("exec_command") || name.ends_with("shell_command")) {
    return ToolCategory::kShell;
  }
  if (IsOneOf(kEdits, name)) return ToolCategory::kEdit;
  if (IsOneOf(kReads, name)) return ToolCategory::kRead;
  if (name == "tool_search" || name == "toolsearch") return ToolCategory::kTool;
  if (Has(name, "web") || Has(name, "browser") || Has(name, "fetch") || Has(name, "search")) {
    return ToolCategory::kNetwork;
  }
  if (Has(name, "plan") || Has(name, "todo")) return ToolCategory::kPlan;
  if (Has(name, "task") || Has(name, "agent")) return ToolCategory::kSubagent;
  return ToolCategory::kTool;
}

bool IsPathKey(std::string_view key) {
  constexpr std::string_view kKeys[] = {
      "file",   "file_path", "file_paths",    "filepath",      "filepaths",    "filename",
      "folder", "directory", "dir_path",      "notebook_path", "old_path",     "new_path",
      "path",   "paths",     "relative_path", "target_file",   "absolute_path"};
  return IsOneOf(kKeys, Lower(key));
}

void Take(ToolFacts& facts, ShellCommand&& command) {
  facts.effect = command.effect;
  facts.command_name = std::move(command.name);
  facts.processes = std::move(command.processes);
  facts.files = std::move(command.files);
  facts.domains = std::move(command.domains);
}

void ReadShell(ToolFacts& facts, const ParsedInput& input) {
  if (!input.argv.empty()) {
    for (const std::string& word : input.argv) {
      if (!facts.command.empty()) facts.command += ' ';
      facts.command += word;
    }
    Take(facts, ReadShellArguments(input.argv));
  } else {
    facts.command = First(input.texts, {"cmd", "command", "script", "text"});
    Take(facts, ReadShellCommand(facts.command));
  }
  const std::string_view folder = First(input.texts, {"workdir", "cwd", "working_directory"});
  if (folder.empty()) return;
  for (FileTouch& touch : facts.files) {
    for (std::string* path : {&touch.path, &touch.previous_path}) {
      if (path->empty() || path->front() == '/' || path->front() == '~') continue;
      *path = std::string(folder) + '/' + *path;
    }
  }
}

void AddNamedFiles(ToolFacts& facts, const ParsedInput& input, std::string_view name) {
  const Access access = facts.category != ToolCategory::kEdit ? Access::kRead
                        : name.starts_with("delete")          ? Access::kDelete
                                                              : Access::kWrite;
  for (const auto& [key, path] : input.texts) {
    if (!IsPathKey(key) || path.empty() || path.size() > 1024 || Has(path, "\n") ||
        Has(path, "://")) {
      continue;
    }
    const FileTouch touch{access, path};
    if (std::find(facts.files.begin(), facts.files.end(), touch) == facts.files.end()) {
      facts.files.push_back(touch);
    }
  }
}

void AddVisitedDomains(ToolFacts& facts, const ParsedInput& input) {
  for (const auto& [key, value] : input.texts) {
    if (!value.starts_with("http://") && !value.starts_with("https://")) continue;
    if (auto host = HostOfUrl(std::string_view(value).substr(0, 2048))) {
      AddDomain(facts.domains, *std::move(host));
    }
  }
}

}  // namespace

std::string_view NameOf(ToolCategory category) noexcept {
  switch (category) {
    case ToolCategory::kShell:
      return "shell";
    case ToolCategory::kEdit:
      return "edit";
    case ToolCategory::kRead:
      return "read";
    case ToolCategory::kNetwork:
      return "network";
    case ToolCategory::kPlan:
      return "plan";
    case ToolCategory::kSubagent:
      return "subagent";
    case ToolCategory::kTool:
      break;
  }
  return "tool";
}

ToolFacts FactsOf(const ToolCall& tool) {
  ToolFacts facts;
  // As it is written, for what looks like a secret is told by its capitals too.
  std::string written(OwnName(tool.name));
  ParsedInput input = ParseInput(tool);
  if (Lower(written) == "exec" && tool.input_kind == ToolInput::kText) {
    const ScriptCall script = ScriptCallIn(tool.input);
    if (script.count == 1) {
      written = script.name;
      if (!script.command.empty()) input.texts.emplace("command", script.command);
    } else if (script.count > 1) {
      written = "composite";
    }
  }
  const std::string name = Lower(written);
  facts.category = CategoryOf(name);
  if (name == "skill") facts.skill = FirstWord(First(input.texts, {"skill", "command", "name"}));

  if (facts.category == ToolCategory::kShell) {
    ReadShell(facts, input);
  } else {
    facts.command = First(input.texts, {"cmd", "command", "pattern", "file_path", "path", "url",
                                        "query", "notebook_path", "text"});
  }
  const std::string_view patch = First(input.texts, {"input", "patch", "text", "command", "cmd"});
  const std::string_view patch_text = IsPatch(patch) ? patch : std::string_view(facts.command);
  if (IsPatch(patch_text)) {
    // Also as the last word of an argument list or as a here-document of a shell.
    if (facts.category != ToolCategory::kShell) facts.category = ToolCategory::kEdit;
    facts.effect = Effect::kWrite;
    for (FileTouch& touch : FilesOfPatch(patch_text)) facts.files.push_back(std::move(touch));
  }
  if (facts.category == ToolCategory::kShell) return facts;

  if (facts.category == ToolCategory::kEdit || facts.category == ToolCategory::kRead) {
    AddNamedFiles(facts, input, name);
    facts.effect = facts.category == ToolCategory::kEdit ? Effect::kWrite : Effect::kRead;
  }
  AddVisitedDomains(facts, input);
  if (facts.category == ToolCategory::kNetwork || !facts.domains.empty()) {
    facts.effect = std::min(facts.effect, Effect::kNetwork);
  }
  facts.command_name = facts.category == ToolCategory::kNetwork && !facts.domains.empty()
                           ? facts.domains.front()
                       : LooksSecret(tool.name) ? "redacted"
                                                : std::move(written);
  return facts;
}

}  // namespace sonde::agentlog
