// Connection: one accepted socket, whatever is spoken on it.

#ifndef SONDE_CONSOLE_CONNECTION_H_
#define SONDE_CONSOLE_CONNECTION_H_

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "console/grpc_stream.h"
#include "console/http_exchange.h"

namespace sonde {

using Socket = boost::asio::generic::stream_protocol::socket;

// The bytes that all connections together hold for their peers: requests that are not whole yet,
// answers that are not taken yet.
struct ByteBudget {
  std::size_t limit = std::size_t{64} << 20;
  std::size_t used = 0;

  // One answer alone may be of any size.
  bool HasRoom(std::size_t bytes) const noexcept { return used == 0 || used + bytes <= limit; }
};

struct ConnectionLimits {
  std::size_t connections = 256;
  std::size_t streams = 100;                          // At the same time, of one connection.
  std::size_t request_bytes = std::size_t{64} << 10;  // Of a body.
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t resets = 200;                          // Of streams, in ten seconds.
  std::size_t empty_frames = 5'000;                  // That ask for nothing, in ten seconds.
  std::chrono::milliseconds header_timeout{10'000};  // From the first byte to a whole request.
  std::chrono::milliseconds idle_timeout{120'000};   // Without a request in progress.
  std::chrono::milliseconds write_timeout{20'000};   // Until the peer takes what is written.
  std::shared_ptr<ByteBudget> budget = std::make_shared<ByteBudget>();  // Shared by all.
};

struct ConnectionHandlers {
  GrpcHandler on_call;
  HttpHandler on_request;
};

// Used by the server's thread only. Keeps itself alive while its socket is open.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  virtual ~Connection() = default;
  // `received` was read from the socket already.
  virtual void Start(std::string received) = 0;
  // Tells the peer that no more is served, lets what is in progress end, then closes.
  virtual void Drain() = 0;
  virtual void Close() = 0;
  // Since when nothing was asked; nullopt while something is being answered.
  virtual std::optional<std::chrono::steady_clock::time_point> idle_since() const = 0;

  std::function<void()> on_closed;
};

// What stands for an answer for which the budget has no room.
HttpResponse TooMuchHeld();

std::shared_ptr<Connection> MakeHttp2Connection(Socket socket, const ConnectionLimits& limits,
                                                const ConnectionHandlers& handlers,
                                                bool over_unix_socket);
std::shared_ptr<Connection> MakeHttp1Connection(Socket socket, const ConnectionLimits& limits,
                                                const ConnectionHandlers& handlers,
                                                bool over_unix_socket);

}  // namespace sonde

#endif  // SONDE_CONSOLE_CONNECTION_H_
