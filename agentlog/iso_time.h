// ParseTime: RFC 3339 instants as agent logs write them.

#ifndef SONDE_AGENTLOG_ISO_TIME_H_
#define SONDE_AGENTLOG_ISO_TIME_H_

#include <cstdint>
#include <string_view>

namespace sonde::agentlog {

// "2026-01-01T00:00:02.500Z" or with an offset ("+02:00") to nanoseconds since 1970 UTC.
// kNoTime for anything else, also for a time without a zone. **Any thread.**
std::int64_t ParseTime(std::string_view text) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_ISO_TIME_H_
