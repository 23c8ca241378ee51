// The keys of sonde.toml that a session has, bound to its options.

#ifndef SONDE_CONSOLE_SESSION_CONFIG_H_
#define SONDE_CONSOLE_SESSION_CONFIG_H_

#include "console/config.h"
#include "sonde/session.h"

namespace sonde {

// Every key once. `options` outlives the result.
ConfigKeys KeysOf(SessionOptions& options);

// Puts the configuration file and then `environment` over `options`, and checks what code
// may have set out of range. Errors as ConfigKeys has them.
Status ApplyConfiguration(const char* const* environment, SessionOptions& options);

}  // namespace sonde

#endif  // SONDE_CONSOLE_SESSION_CONFIG_H_
