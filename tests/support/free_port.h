// FreePort: a port to listen on.

#ifndef SONDE_TESTS_SUPPORT_FREE_PORT_H_
#define SONDE_TESTS_SUPPORT_FREE_PORT_H_

#include <unistd.h>

#include <cstdint>

#include "tests/support/loopback_socket.h"

namespace sonde {

// A port of loopback that nobody listens on at this moment.
inline std::uint16_t FreePort() {
  const LoopbackSocket probe = BindToLoopback();
  ::close(probe.fd);
  return probe.port;
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_FREE_PORT_H_
