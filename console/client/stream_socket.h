// StreamSocket: a connection to a server, by TCP or through a Unix socket.

#ifndef SONDE_CONSOLE_CLIENT_STREAM_SOCKET_H_
#define SONDE_CONSOLE_CLIENT_STREAM_SOCKET_H_

#include <utility>

#include "console/client/deadline.h"
#include "console/client/server_address.h"
#include "sonde/result.h"

namespace sonde {

// Owns a connected descriptor, which blocks. Not thread-safe.
class StreamSocket {
 public:
  // Fails with kNotFound when nothing answers there, with kTimeout past the deadline (which the
  // look-up of a name does not know).
  static Result<StreamSocket> Connect(const ServerAddress& address, const Deadline& deadline);
  StreamSocket(StreamSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  StreamSocket& operator=(StreamSocket&&) = delete;
  ~StreamSocket();
  int descriptor() const noexcept { return descriptor_; }

 private:
  explicit StreamSocket(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_CLIENT_STREAM_SOCKET_H_
