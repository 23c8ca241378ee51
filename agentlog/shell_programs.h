// ShellPrograms: what well-known programs do with their arguments.

#ifndef SONDE_AGENTLOG_SHELL_PROGRAMS_H_
#define SONDE_AGENTLOG_SHELL_PROGRAMS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "agentlog/shell_lexer.h"

namespace sonde::agentlog {

// How a program treats the operands that are left when its options are taken away.
enum class OperandRole : std::uint8_t {
  kNone,             // Nothing is known: no file is assumed.
  kRead,             // cat a b
  kReadAfterFirst,   // grep PATTERN a b
  kReadUntilOption,  // find a b -name x
  kReadPaths,        // pytest tests/x.py: only what looks like a path.
  kReadFirstPath,    // python script.py arg arg
  kWrite,            // tee a b
  kWriteAfterFirst,  // chmod MODE a b
  kCreate,           // touch a b
  kDelete,           // rm a b
  kCopy,             // cp a b TO
  kMove,             // mv a b TO
  kEditInPlace,      // sed SCRIPT a b: written with the option, else read.
  kFormatInPlace,    // clang-format a b: likewise, without a script.
  kHost,             // ping HOST
  kScript,           // perl -e CODE a b, perl script.pl arg
  kTar,
  kRemote,  // scp a user@host:b
  kGit,
};

struct ShellProgram {
  std::string_view name;
  OperandRole role = OperandRole::kNone;
  // Short options that take a value, as letters; long ones as words: "nc lines bytes".
  std::string_view value_options{};
  // The options by which it writes in place, or names an output file.
  std::string_view write_option{};
};

// Null when nothing is known. Any thread.
const ShellProgram* FindShellProgram(std::string_view name) noexcept;

// A program whose arguments are another command: sudo, env, timeout.
struct ShellWrapper {
  std::string_view name;
  std::string_view value_options{};
  int operands = 0;         // Operands of its own before the command: 1 for timeout's duration.
  bool is_process = false;  // Counts as a process itself: xargs.
  std::string_view sub_command{};  // Is a wrapper only with this as its first argument: uv run.
};
const ShellWrapper* FindShellWrapper(std::string_view name, std::string_view argument) noexcept;

// Built into the shell: starts no process.
bool IsShellBuiltin(std::string_view name) noexcept;
// "if", "{", "!": stands before a command and is none.
bool IsShellReserved(std::string_view word) noexcept;
// sh, bash, zsh: runs the text behind -c.
bool IsShell(std::string_view name) noexcept;
// Where git's sub-command stands in its arguments; their number when there is none.
std::size_t GitSubCommand(std::span<const ShellToken> arguments) noexcept;

// True when the option `word` ("-n", "--lines") takes the next word as its value.
bool TakesValue(std::string_view value_options, std::string_view word) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_PROGRAMS_H_
