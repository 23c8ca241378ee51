// CommandWord: which sub-command the arguments of the program ask for.

#ifndef SONDE_CLI_COMMAND_WORD_H_
#define SONDE_CLI_COMMAND_WORD_H_

#include <string_view>

namespace sonde::cli {

// What stands where the name of a sub-command belongs; empty when nothing does.
std::string_view CommandWord(int argc, char** argv) noexcept;

}  // namespace sonde::cli

#endif  // SONDE_CLI_COMMAND_WORD_H_
