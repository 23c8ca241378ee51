// EffectOf: what a program is run for, judged by its name and arguments.

#ifndef SONDE_AGENTLOG_SHELL_EFFECT_H_
#define SONDE_AGENTLOG_SHELL_EFFECT_H_

#include <span>
#include <string_view>

#include "agentlog/shell_command.h"
#include "agentlog/shell_lexer.h"

namespace sonde::agentlog {

// Any thread.
Effect EffectOf(std::string_view program, std::span<const ShellToken> arguments);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_EFFECT_H_
