// StreamSocket: a connection to a server, by TCP or through a Unix socket.

#include "console/client/stream_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sonde {
namespace {

Error NothingAnswers(const std::string& where, int reason) {
  return {.code = reason == ETIMEDOUT ? ErrorCode::kTimeout : ErrorCode::kNotFound,
          .message = "nothing answers at " + where + ": " + std::strerror(reason)};
}

// 0, or an errno.
int ConnectWithin(int descriptor, const sockaddr* name, socklen_t size, const Deadline& deadline) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
  int reason = ::connect(descriptor, name, size) == 0 ? 0 : errno;
  if (reason == EINPROGRESS || reason == EINTR) {
    if (!deadline.Wait(descriptor, POLLOUT)) return ETIMEDOUT;
    socklen_t length = sizeof(reason);
    ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &length);
  }
  ::fcntl(descriptor, F_SETFL, flags);
  return reason;
}

}  // namespace

Result<StreamSocket> StreamSocket::Connect(const ServerAddress& address, const Deadline& deadline) {
  if (!address.unix_path.empty()) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (address.unix_path.size() >= sizeof(name.sun_path)) {
      return Error{.code = ErrorCode::kUsage, .message = "the socket's path is too long"};
    }
    std::memcpy(name.sun_path, address.unix_path.data(), address.unix_path.size());
    StreamSocket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int reason = ConnectWithin(socket.descriptor_, reinterpret_cast<const sockaddr*>(&name),
                                     sizeof(name), deadline);
    if (reason != 0) return NothingAnswers(address.unix_path, reason);
    return socket;
  }

  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failure = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
      failure != 0) {
    return Error{.code = ErrorCode::kNotFound,
                 .message = address.host + ":" + address.port + ": " + ::gai_strerror(failure)};
  }
  int connected = -1;
  int reason = 0;
  for (const addrinfo* one = found; one != nullptr && connected < 0; one = one->ai_next) {
    const int descriptor = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, one->ai_protocol);
    if (descriptor < 0) continue;
    reason = ConnectWithin(descriptor, one->ai_addr, one->ai_addrlen, deadline);
    if (reason == 0) {
      connected = descriptor;
    } else {
      ::close(descriptor);
    }
  }
  ::freeaddrinfo(found);
  if (connected < 0) return NothingAnswers(address.host + ":" + address.port, reason);
  const int on = 1;
  ::setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return StreamSocket(connected);
}

StreamSocket::~StreamSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace sonde
