// What the texts in a Codex log say: which inputs nobody typed, and how a tool ended.

#include "agentlog/codex_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "agentlog/claude_prompt.h"

namespace sonde::agentlog {
namespace {

constexpr std::array<std::string_view, 25> kInjected = {
    "# AGENTS.md",
    "<INSTRUCTIONS>",
    "<user_instructions>",
    "<environment_context>",
    "<environments",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<personality",
    "<model_switch>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
    "<skills_instructions>",
    "<apps_instructions>",
    "<app-context>",
    "<plugins_instructions>",
    "<recommended_plugins>",
    "<token_budget",
    "<hook_prompt",
    "<ghost_snapshot",
    "<user_shell_command>",
    "<image_generation",
    "<memories",
    "Warning: apply_patch was requested via",
    "<agent_message",
};

constexpr std::array<std::string_view, 14> kFailures = {
    "failed in sandbox",
    "execution error",
    "exec_command failed",
    "write_stdin failed",
    "apply_patch verification failed",
    "apply_patch failed",
    "failed to parse function arguments",
    "failed to parse",
    "unsupported call",
    "unsupported custom tool call",
    "aborted by user",
    "tool call error",
    "Script failed",
    "command timed out",
};

constexpr std::array<std::string_view, 4> kRefusals = {
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "exec_command rejected",
};

bool StartsWithAny(std::string_view text, const auto& prefixes) noexcept {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// The number behind `label` at the start of `line`.
std::optional<bool> IsZeroBehind(std::string_view line, std::string_view label) noexcept {
  if (!line.starts_with(label)) return std::nullopt;
  line.remove_prefix(label.size());
  while (line.starts_with(' ')) line.remove_prefix(1);
  const std::string_view number = line.substr(0, line.find_first_of(" \t\r"));
  if (number.empty()) return std::nullopt;
  const std::string_view digits = number.substr(number.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  return digits.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

bool IsInjectedByCodex(std::string_view text) noexcept {
  return StartsWithAny(Trimmed(text), kInjected);
}

std::optional<ToolStatus> TellCodexStatus(std::string_view text) noexcept {
  text = Trimmed(text);
  if (StartsWithAny(text, kRefusals)) return ToolStatus::kRejected;
  if (StartsWithAny(text, kFailures)) return ToolStatus::kFailed;
  std::optional<ToolStatus> status;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    // What follows was printed by the command.
    if (line.starts_with("Output:")) break;
    for (const std::string_view label : {"Exit code:", "Process exited with code"}) {
      if (const std::optional<bool> is_zero = IsZeroBehind(line, label)) {
        if (!*is_zero) return ToolStatus::kFailed;
        status = ToolStatus::kOk;
      }
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return status;
}

}  // namespace sonde::agentlog
