// GrpcStatus: how a remote procedure call ended.

#ifndef SONDE_CONSOLE_GRPC_STATUS_H_
#define SONDE_CONSOLE_GRPC_STATUS_H_

namespace sonde {

enum class GrpcStatus : int {
  kOk = 0,
  kInvalidArgument = 3,
  kNotFound = 5,
  kResourceExhausted = 8,
  kUnimplemented = 12,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_GRPC_STATUS_H_
