// Peer: a TCP connection to a port of loopback, with nothing between.

#ifndef SONDE_TESTS_CONSOLE_PEER_H_
#define SONDE_TESTS_CONSOLE_PEER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

class Peer {
 public:
  explicit Peer(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    ok_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    const timeval limit{5, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~Peer() { ::close(socket_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void Send(std::string_view bytes) { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // Nothing more is sent; what comes can still be read.
  void EndSending() { ::shutdown(socket_, SHUT_WR); }
  // Until the peer closes, or `wanted` is in it.
  std::string Receive(std::string_view wanted = {}) {
    std::string all;
    char bytes[4096];
    ssize_t size = 0;
    while ((size = ::recv(socket_, bytes, sizeof(bytes), 0)) > 0) {
      all.append(bytes, static_cast<std::size_t>(size));
      if (!wanted.empty() && all.find(wanted) != std::string::npos) break;
    }
    return all;
  }
  bool ok() const { return ok_; }

 private:
  int socket_;
  bool ok_;
};

}  // namespace sonde

#endif  // SONDE_TESTS_CONSOLE_PEER_H_
