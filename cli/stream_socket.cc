// StreamSocket: a connection to a server on this machine, by TCP or through a Unix socket.

#include "cli/stream_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sonde::cli {
namespace {

Error NothingAnswers(const std::string& where) {
  return {.code = ErrorCode::kNotFound,
          .message = "nothing answers at " + where + ": " + std::strerror(errno)};
}

}  // namespace

Result<ServerAddress> ParseServerAddress(std::string_view url, std::string_view default_port) {
  ServerAddress address;
  for (const std::string_view prefix : {"unix:", "file://localhost"}) {
    if (!url.starts_with(prefix)) continue;
    address.unix_path = url.substr(prefix.size());
    return address;
  }
  const std::string whole(url);
  if (url.starts_with("http://")) url.remove_prefix(7);
  if (url.find("://") != std::string_view::npos) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "not an address that sonde can reach: " + whole};
  }
  if (const std::size_t slash = url.find('/'); slash != std::string_view::npos) {
    address.path = url.substr(slash);
    url = url.substr(0, slash);
  }
  address.host = url;
  address.port = default_port;
  const std::size_t colon = url.rfind(':');
  const bool is_inside_brackets =
      colon != std::string_view::npos && url.find(']', colon) != std::string_view::npos;
  if (colon != std::string_view::npos && !is_inside_brackets) {
    address.host = url.substr(0, colon);
    address.port = url.substr(colon + 1);
  }
  if (address.host.size() > 2 && address.host.front() == '[') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty() || address.port.empty()) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "an address needs a host and a port: " + whole};
  }
  return address;
}

Result<StreamSocket> StreamSocket::Connect(const ServerAddress& address) {
  if (!address.unix_path.empty()) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (address.unix_path.size() >= sizeof(name.sun_path)) {
      return Error{.code = ErrorCode::kUsage, .message = "the socket's path is too long"};
    }
    std::memcpy(name.sun_path, address.unix_path.data(), address.unix_path.size());
    StreamSocket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.descriptor_, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) !=
        0) {
      return NothingAnswers(address.unix_path);
    }
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
  for (const addrinfo* one = found; one != nullptr && connected < 0; one = one->ai_next) {
    const int descriptor = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, one->ai_protocol);
    if (descriptor < 0) continue;
    if (::connect(descriptor, one->ai_addr, one->ai_addrlen) == 0) {
      connected = descriptor;
    } else {
      const int reason = errno;
      ::close(descriptor);
      errno = reason;
    }
  }
  ::freeaddrinfo(found);
  if (connected < 0) return NothingAnswers(address.host + ":" + address.port);
  const int on = 1;
  ::setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return StreamSocket(connected);
}

StreamSocket::~StreamSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace sonde::cli
