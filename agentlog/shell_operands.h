// ShellOperands: the files among a program's arguments.

#ifndef SONDE_AGENTLOG_SHELL_OPERANDS_H_
#define SONDE_AGENTLOG_SHELL_OPERANDS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/shell_command.h"
#include "agentlog/shell_lexer.h"

namespace sonde::agentlog {

// A word that can name a file of interest: not empty, no device, no URL, one line, no revision
// such as origin/main. Any thread.
bool IsFilePath(std::string_view word) noexcept;

// Any thread.
std::vector<FileTouch> FilesOfArguments(std::string_view program,
                                        std::span<const ShellToken> arguments);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_OPERANDS_H_
