// StreamSocket: a connection to a server on this machine, by TCP or through a Unix socket.

#ifndef SONDE_CLI_STREAM_SOCKET_H_
#define SONDE_CLI_STREAM_SOCKET_H_

#include <string>
#include <string_view>
#include <utility>

#include "sonde/result.h"

namespace sonde::cli {

// Where a server is: http://host:port/path, host:port, unix:/path or file://localhost/path.
struct ServerAddress {
  std::string host;
  std::string port;
  std::string unix_path;   // Not empty: the rest is not used.
  std::string path = "/";  // Of the URL.

  std::string Authority() const { return unix_path.empty() ? host + ":" + port : "localhost"; }
};

// Fails with kUsage. `default_port` stands in where the URL names none.
Result<ServerAddress> ParseServerAddress(std::string_view url, std::string_view default_port);

// Owns a connected descriptor.
class StreamSocket {
 public:
  // Fails with kNotFound when nothing answers there.
  static Result<StreamSocket> Connect(const ServerAddress& address);
  StreamSocket(StreamSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  StreamSocket& operator=(StreamSocket&&) = delete;
  ~StreamSocket();
  int descriptor() const noexcept { return descriptor_; }

 private:
  explicit StreamSocket(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_STREAM_SOCKET_H_
