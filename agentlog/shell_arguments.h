// ShellArguments: a program's arguments, told apart into operands and options with their values.

#ifndef SONDE_AGENTLOG_SHELL_ARGUMENTS_H_
#define SONDE_AGENTLOG_SHELL_ARGUMENTS_H_

#include <span>
#include <string>
#include <vector>

#include "agentlog/shell_lexer.h"
#include "agentlog/shell_programs.h"

namespace sonde::agentlog {

struct ShellOption {
  std::string name;  // "-o" (each letter of "-sSo" is one), "--output".
  ShellToken value{};
  bool has_value = false;  // Behind "=", in the same word or in the next.
};

struct ShellArguments {
  std::vector<const ShellToken*> operands;
  std::vector<ShellOption> options;

  // `names` as in ShellProgram::value_options.
  bool Has(std::string_view names) const;
  std::vector<const ShellToken*> ValuesOf(std::string_view names) const;
};

// The operands point into `words`. Any thread.
ShellArguments SortedArguments(const ShellProgram& program, std::span<const ShellToken> words);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_ARGUMENTS_H_
