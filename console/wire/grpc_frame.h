// GrpcFrame: a message as it goes on the wire.

#ifndef SONDE_CONSOLE_WIRE_GRPC_FRAME_H_
#define SONDE_CONSOLE_WIRE_GRPC_FRAME_H_

#include <memory>
#include <string>
#include <string_view>

namespace sonde {

// One byte of flags, four of length, then the message.
using GrpcFrame = std::shared_ptr<const std::string>;

GrpcFrame MakeGrpcFrame(std::string_view message);

}  // namespace sonde

#endif  // SONDE_CONSOLE_WIRE_GRPC_FRAME_H_
