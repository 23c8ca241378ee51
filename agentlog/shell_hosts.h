// ShellHosts: the hosts that a program contacts, as its arguments name them.

#ifndef SONDE_AGENTLOG_SHELL_HOSTS_H_
#define SONDE_AGENTLOG_SHELL_HOSTS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/shell_lexer.h"

namespace sonde::agentlog {

// What a program of the network takes as its target; a URL in any other argument (a header, a
// message, a script) is not visited. Sorted, each once. Any thread.
std::vector<std::string> DomainsOfArguments(std::string_view program,
                                            std::span<const ShellToken> arguments);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_HOSTS_H_
