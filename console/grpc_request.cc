// GrpcRequest: a remote procedure call as it came in.

#include "console/grpc_request.h"

#include <cstddef>

namespace sonde {

std::variant<GrpcRequest, GrpcRefusal> ReadGrpcRequest(const HttpRequest& request) {
  constexpr std::size_t kFrameHead = 5;
  const std::string& body = request.body;
  if (request.method != "POST") {
    return GrpcRefusal{GrpcStatus::kUnimplemented, "calls are made with POST"};
  }
  if (body.size() < kFrameHead) {
    return GrpcRefusal{GrpcStatus::kInvalidArgument, "the request holds no message"};
  }
  if (body[0] != 0) {
    return GrpcRefusal{GrpcStatus::kUnimplemented, "compressed messages are not read"};
  }
  std::size_t size = 0;
  for (std::size_t i = 1; i < kFrameHead; ++i) {
    size = size << 8 | static_cast<unsigned char>(body[i]);
  }
  if (size != body.size() - kFrameHead) {
    return GrpcRefusal{GrpcStatus::kInvalidArgument, "the request is not one whole message"};
  }
  return GrpcRequest{request.target, body.substr(kFrameHead),
                     std::string(request.Header("authorization"))};
}

}  // namespace sonde
