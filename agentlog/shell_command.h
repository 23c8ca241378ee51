// ShellCommand: what a command line does: programs started, files touched, hosts contacted.

#ifndef SONDE_AGENTLOG_SHELL_COMMAND_H_
#define SONDE_AGENTLOG_SHELL_COMMAND_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::agentlog {

// What a command is for. Of several the one that stands first here is reported.
enum class Effect : std::uint8_t {
  kTest,        // Builds, checks or tests.
  kRepository,  // Changes the history of a repository.
  kNetwork,
  kWrite,
  kRead,
  kProcess,  // Anything else.
};

// "test", "repo", "network", "write", "read", "process". Any thread.
std::string_view NameOf(Effect effect) noexcept;

enum class Access : std::uint8_t { kRead, kWrite, kCreate, kDelete, kRename };

// "read", "write", "create", "delete", "rename". Any thread.
std::string_view NameOf(Access access) noexcept;

struct FileTouch {
  Access access = Access::kRead;
  std::string path{};           // As named, below the folder that a cd before it went to.
  std::string previous_path{};  // Of a rename.

  friend bool operator==(const FileTouch&, const FileTouch&) = default;
};

struct ShellCommand {
  // Base names in the order of the text; wrappers (sudo, timeout) and builtins left out. A shell
  // that runs a text (bash -c) stands before what it runs.
  std::vector<std::string> processes{};
  // The first process that is not a shell with others behind it, else a builtin, else empty.
  std::string name{};
  std::vector<FileTouch> files{};      // Each once.
  std::vector<std::string> domains{};  // Sorted, each once.
  Effect effect = Effect::kProcess;
  bool is_cut = false;  // There was more of something than is kept.
};

// Reads `text` as sh, bash or zsh would, without running or expanding anything: a word with a
// variable or a substitution names no file and no program. Never fails. Any thread.
ShellCommand ReadShellCommand(std::string_view text);

// The same for a command given as separate words: {"bash", "-lc", "cargo test"}.
ShellCommand ReadShellArguments(std::span<const std::string> words);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_COMMAND_H_
