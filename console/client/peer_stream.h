// PeerStream: bytes to and from a server, in the clear or through TLS.

#ifndef SONDE_CONSOLE_CLIENT_PEER_STREAM_H_
#define SONDE_CONSOLE_CLIENT_PEER_STREAM_H_

#include <memory>
#include <string>
#include <string_view>

#include "console/client/deadline.h"
#include "console/client/server_address.h"
#include "sonde/result.h"

namespace sonde {

// Not thread-safe. Raises no SIGPIPE.
class PeerStream {
 public:
  virtual ~PeerStream() = default;

  // Connects, and over https shakes hands: the server needs a certificate for its host by an
  // authority of `authorities` (a PEM file), or of the system where that is empty. Fails with
  // kNotFound, kTimeout, and kDenied for a certificate that does not hold.
  static Result<std::unique_ptr<PeerStream>> Open(const ServerAddress& address,
                                                  const std::string& authorities,
                                                  const Deadline& deadline);

  // Fails with kTimeout, and with kSystem when the connection breaks.
  virtual Status Write(std::string_view bytes, const Deadline& deadline) = 0;
  // What has come, at least a byte; empty at the end.
  virtual Result<std::string_view> Read(const Deadline& deadline) = 0;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_CLIENT_PEER_STREAM_H_
