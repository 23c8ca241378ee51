// ShellPrograms: what well-known programs do with their arguments.

#ifndef SONDE_AGENTLOG_SHELL_PROGRAMS_H_
#define SONDE_AGENTLOG_SHELL_PROGRAMS_H_

#include <cstdint>
#include <string_view>

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
  kHost,             // curl URL
  kRemote,           // scp a user@host:b
  kGit,
};

struct ShellProgram {
  std::string_view name;
  OperandRole role = OperandRole::kNone;
  // Short options that take a value, as letters; long ones as words: "nc lines bytes".
  std::string_view value_options{};
  // The letters or word of the option by which it writes in place, or names an output file.
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
};
const ShellWrapper* FindShellWrapper(std::string_view name) noexcept;

// Built into the shell: starts no process.
bool IsShellBuiltin(std::string_view name) noexcept;
// "if", "{", "!": stands before a command and is none.
bool IsShellReserved(std::string_view word) noexcept;
// sh, bash, zsh: runs the text behind -c.
bool IsShell(std::string_view name) noexcept;
// Prints or searches text, so that a URL in its arguments is not visited.
bool OnlyHandlesText(std::string_view name) noexcept;

// True when the option `word` ("-n", "--lines") takes the next word as its value.
bool TakesValue(std::string_view value_options, std::string_view word) noexcept;

// True when `word` is one of `write_option`'s letters ("-i", "-i.bak") or words ("--in-place").
bool IsWriteOption(std::string_view write_option, std::string_view word) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_PROGRAMS_H_
