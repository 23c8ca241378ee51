// GrpcRequest: a remote procedure call as it came in.

#ifndef SONDE_CONSOLE_GRPC_REQUEST_H_
#define SONDE_CONSOLE_GRPC_REQUEST_H_

#include <string>
#include <string_view>
#include <variant>

#include "console/grpc_status.h"
#include "console/http_exchange.h"

namespace sonde {

struct GrpcRequest {
  std::string path;
  std::string body;  // One whole message, without its five bytes of frame.
  std::string authorization;
};

struct GrpcRefusal {
  GrpcStatus status;
  std::string_view reason;
};

// What `request` calls, or why that cannot be.
std::variant<GrpcRequest, GrpcRefusal> ReadGrpcRequest(const HttpRequest& request);

}  // namespace sonde

#endif  // SONDE_CONSOLE_GRPC_REQUEST_H_
