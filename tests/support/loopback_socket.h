// LoopbackSocket: a socket on a port of loopback that nobody else has.

#ifndef SONDE_TESTS_SUPPORT_LOOPBACK_SOCKET_H_
#define SONDE_TESTS_SUPPORT_LOOPBACK_SOCKET_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace sonde {

// Who asks for one closes it.
struct LoopbackSocket {
  int fd = -1;
  std::uint16_t port = 0;
};

inline LoopbackSocket BindToLoopback() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return {fd, ntohs(address.sin_port)};
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_LOOPBACK_SOCKET_H_
