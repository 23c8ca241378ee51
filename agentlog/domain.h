// Domains: the hosts that a text names, without port and user-info.

#ifndef SONDE_AGENTLOG_DOMAIN_H_
#define SONDE_AGENTLOG_DOMAIN_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::agentlog {

// The host of "user:secret@Host.example:8443/path?query", in lower case; an
// IPv6 address keeps its brackets. Nothing when there is none, or when it holds
// characters that a host name cannot have. Any thread.
std::optional<std::string> HostOfAuthority(std::string_view authority);

// The hosts of all URLs in `text` ("https://...", "ssh://...", "ws://..."),
// sorted, each once. Any thread.
std::vector<std::string> DomainsIn(std::string_view text);

// The host of a URL that is the whole of `url`, a database's too; a URL in its path or query is
// not visited. Any thread.
std::optional<std::string> HostOfUrl(std::string_view url);

// Adds `domain` where it sorts, unless it is there.
void AddDomain(std::vector<std::string>& domains, std::string domain);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_DOMAIN_H_
