// SessionJson: a session as one line of JSON, redacted unless previews were recorded.

#ifndef SONDE_AGENTLOG_SESSION_JSON_H_
#define SONDE_AGENTLOG_SESSION_JSON_H_

#include <string>
#include <string_view>
#include <vector>

#include "agentlog/operation.h"

namespace sonde::agentlog {

// Keys sorted. `files` are names of log files, of which only the last component is shown.
std::string SessionAsJson(const TaggedSession& session, const std::vector<std::string>& files);

// "local:codex:codex:019ec5.615ab": a name short enough for a legend.
std::string ShortSessionId(std::string_view agent, std::string_view id);

// "2026-06-18T09:00:00.000Z"; empty for kNoTime.
std::string InstantText(std::int64_t time_ns);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SESSION_JSON_H_
