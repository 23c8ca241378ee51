// LooksSecret: tells keys, tokens and passwords by their shape.

#ifndef SONDE_AGENTLOG_SECRET_H_
#define SONDE_AGENTLOG_SECRET_H_

#include <string_view>

namespace sonde::agentlog {

// A key, a token or a password by its shape: a known prefix, or too random for a name. Any thread.
bool LooksSecret(std::string_view word) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SECRET_H_
