// AgentInput: which agent logs and sessions a command works on.

#ifndef SONDE_CLI_AGENT_INPUT_H_
#define SONDE_CLI_AGENT_INPUT_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/agent_history.h"
#include "sonde/losses.h"
#include "sonde/result.h"

namespace sonde::cli {

struct AgentInput {
  std::vector<std::string> files;          // Positional: files, folders, "-".
  std::vector<std::string> session_files;  // --session-file
  std::string codex_root;
  std::string claude_root;
  std::string project_root;
  std::string agent;
  std::string session_id;
  std::string session_model;
  std::string since;
  std::string until;
  std::size_t scan_files = 0;
  std::size_t max_sessions = 0;
  std::string parse_cache;
  bool no_parse_cache = false;

  // Logs were named: nothing is looked for.
  bool is_named() const noexcept { return !files.empty() || !session_files.empty(); }
};

// --codex-root, --claude-root, --project-root, --agent, --session-id, --session-model, --since,
// --until, --scan-files, --max-sessions, --session-file, --parse-cache, --no-parse-cache.
void AddInputOptions(CLI::App& command, AgentInput& input);

// The logs of `input`, not yet read.
struct AgentLogFiles {
  std::vector<std::string> named;
  FoundAgentLogs found;  // Below the folders that are named or, without any name, searched.
};
AgentLogFiles FindLogs(const AgentInput& input);

// Reads the logs that FindLogs has found, of these the newest alone where --scan-files says so.
// Fails with kUsage for a time that is none and a span that ends before it begins, kNotFound and
// kInvalid for a named file that cannot be opened, kOutput for a named parse cache that cannot be
// written to.
Result<AgentHistory> ReadHistory(const AgentInput& input, AgentLogFiles logs);

// Why a history of `input` has no session: where was looked, and which options left some out.
std::string WhyNoSession(const AgentInput& input);

// What stands in the logs, for one cell of a table: on one line, as a terminal shows it, and cut
// with "..." when it has more than `width` characters.
std::string Cell(std::string_view text, std::size_t width);

// "2026-01-01T00:00:00.000Z".
std::string TimeText(std::int64_t time_ns);
// "1h02m", "3m05s", "1.250s".
std::string DurationText(std::int64_t ns);

nlohmann::json LossesAsJson(const Losses& losses);
// One line a cause on standard error.
void PrintLosses(const Losses& losses);

}  // namespace sonde::cli

#endif  // SONDE_CLI_AGENT_INPUT_H_
