// GrpcStream: the server's side of one remote procedure call.

#ifndef SONDE_CONSOLE_GRPC_STREAM_H_
#define SONDE_CONSOLE_GRPC_STREAM_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "console/grpc_request.h"
#include "console/grpc_status.h"
#include "console/wire/grpc_frame.h"

namespace sonde {

// Used by the server's thread only. After the stream is closed all calls do nothing.
class GrpcStream {
 public:
  virtual ~GrpcStream() = default;

  // Sends the response headers at once, before any message is there.
  virtual void Accept() = 0;
  virtual void Send(GrpcFrame frame) = 0;
  // Ends the call, after what was sent; without a message before, also without headers.
  virtual void Finish(GrpcStatus status, std::string_view message = {}) = 0;
  // Bytes that were sent and are not yet on their way.
  virtual std::size_t queued_bytes() const = 0;
  virtual bool is_closed() const = 0;

  // Called each time that all queued bytes went out.
  std::function<void()> on_drained;
  // Called once, when the call is over for whatever reason.
  std::function<void()> on_closed;
};

using GrpcHandler = std::function<void(const GrpcRequest&, const std::shared_ptr<GrpcStream>&)>;

}  // namespace sonde

#endif  // SONDE_CONSOLE_GRPC_STREAM_H_
