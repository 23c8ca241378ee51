// sonde mcp, codex-config and claude-config: profiles for coding agents.

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/mcp/conversation.h"
#include "cli/version.h"

namespace sonde::cli {
namespace {

struct ConfigOptions {
  std::string workspace = ".";
  std::string artifact_root;
  std::string command;
  bool allow_process_execution = false;
};

Result<int> Serve(const mcp::WorkspaceOptions& options) {
  Result<mcp::Workspace> workspace = mcp::Workspace::Open(options);
  if (!workspace.ok()) return workspace.error();
  mcp::Server server(std::move(workspace).value());
  mcp::Conversation conversation(server, STDIN_FILENO, STDOUT_FILENO);
  if (Status status = conversation.Hold(); !status.ok()) return status.error();
  return 0;
}

// The command and arguments that start the server for a workspace.
struct Registration {
  std::string command;
  std::vector<std::string> arguments;
};

Result<Registration> RegistrationOf(const ConfigOptions& options) {
  namespace fs = std::filesystem;
  std::error_code failure;
  const fs::path workspace = fs::canonical(options.workspace, failure);
  if (failure || !fs::is_directory(workspace)) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "the workspace is not a folder",
                 .file = options.workspace};
  }
  fs::path root = options.artifact_root.empty() ? "sonde-results" : options.artifact_root;
  if (root.is_relative()) root = workspace / root;
  root = fs::weakly_canonical(root, failure);
  const auto outside = std::mismatch(workspace.begin(), workspace.end(), root.begin(), root.end());
  if (failure || outside.first != workspace.end()) {
    return Error{.code = ErrorCode::kPathSafety,
                 .message = "the artifact root is outside the workspace",
                 .file = root.string()};
  }
  if (fs::exists(root) && !fs::is_directory(root)) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "the artifact root is not a folder",
                 .file = root.string()};
  }
  const fs::path program =
      fs::canonical(options.command.empty() ? "/proc/self/exe" : options.command, failure);
  const bool runnable =
      !failure && fs::is_regular_file(program) &&
      (fs::status(program).permissions() & fs::perms::owner_exec) != fs::perms::none;
  if (!runnable) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "the command is not an executable file",
                 .file = options.command};
  }
  Registration registration{program.string(),
                            {"mcp", "--allowed-root", workspace.string(), "--artifact-root",
                             root.string(), "--allow-writes"}};
  if (options.allow_process_execution) {
    registration.arguments.emplace_back("--allow-process-execution");
  }
  return registration;
}

// A TOML basic string is written like a JSON one.
std::string Quoted(const std::string& text) { return nlohmann::json(text).dump(); }

Result<int> CodexConfig(const ConfigOptions& options) {
  const Result<Registration> registration = RegistrationOf(options);
  if (!registration.ok()) return registration.error();
  std::cout << "[mcp_servers.sonde]\ncommand = " << Quoted(registration.value().command)
            << "\nargs = [\n";
  for (const std::string& argument : registration.value().arguments) {
    std::cout << "  " << Quoted(argument) << ",\n";
  }
  std::cout << "]\nrequired = true\ndefault_tools_approval_mode = \"writes\"\n"
               "tool_timeout_sec = 300\n";
  return 0;
}

Result<int> ClaudeConfig(const ConfigOptions& options) {
  const Result<Registration> registration = RegistrationOf(options);
  if (!registration.ok()) return registration.error();
  const nlohmann::json config = {
      {"mcpServers",
       {{"sonde",
         {{"command", registration.value().command}, {"args", registration.value().arguments}}}}}};
  std::cout << config.dump(2) << '\n';
  return 0;
}

void AddConfig(Program& program, const char* name, const char* description,
               Result<int> (*run)(const ConfigOptions&)) {
  auto options = std::make_shared<ConfigOptions>();
  CLI::App* command = program.Command(name, description, [options, run] { return run(*options); });
  command->add_option("--workspace", options->workspace, "Folder the agent works in")
      ->capture_default_str();
  command->add_option("--artifact-root", options->artifact_root,
                      "Where artifacts go; sonde-results in the workspace when not given");
  command->add_option("--mcp-command", options->command, "The sonde program to register");
  command->add_flag("--allow-process-execution", options->allow_process_execution,
                    "Let the server run other programs");
}

}  // namespace

void AddMcp(Program& program) {
  auto options = std::make_shared<mcp::WorkspaceOptions>();
  CLI::App* command = program.Command("mcp", "Serve profiles to a coding agent over stdio",
                                      [options] { return Serve(*options); });
  command->set_version_flag("--version", kVersion);
  command
      ->add_option("--allowed-root", options->allowed_roots,
                   "Folder whose files may be read (repeatable)")
      ->required();
  command
      ->add_option("--artifact-root", options->artifact_root,
                   "Where artifacts go; inside an allowed root")
      ->required();
  command->add_flag("--allow-writes", options->allow_writes,
                    "Artifacts and pictures may be written");
  command->add_flag("--allow-process-execution", options->allow_process_execution,
                    "Other programs may be run");
  command->add_flag("--allow-agent-logs", options->allow_agent_logs,
                    "Logs of coding agents may be read");
  command->add_flag("--allow-live", options->allow_live,
                    "Programs of this user that run with sonde inside may be asked");
  command->add_flag("--allow-active-collection", options->allow_active_collection,
                    "Programs may be recorded through perf, once a person says the phrase");
  command->add_flag("--allow-pid-attach", options->allow_pid_attach,
                    "Running processes may be attached to, once a person says the second phrase");
  command->add_option("--perf-path", options->perf_path,
                      "perf, by its absolute path; the one on the PATH when not given");
  command->add_option("--max-artifact-bytes", options->max_artifact_bytes, "Largest artifact")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}))
      ->capture_default_str();
  AddConfig(program, "codex-config", "Print how Codex registers the server", CodexConfig);
  AddConfig(program, "claude-config", "Print how Claude Code registers the server", ClaudeConfig);
}

}  // namespace sonde::cli
