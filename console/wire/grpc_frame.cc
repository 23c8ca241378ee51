// GrpcFrame: a message as it goes on the wire.

#include "console/wire/grpc_frame.h"

#include <utility>

namespace sonde {

GrpcFrame MakeGrpcFrame(std::string_view message) {
  std::string frame;
  frame.reserve(5 + message.size());
  frame.push_back('\0');  // Not compressed.
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(message.size() >> shift & 0xff));
  }
  frame += message;
  return std::make_shared<const std::string>(std::move(frame));
}

}  // namespace sonde
