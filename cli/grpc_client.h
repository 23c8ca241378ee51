// GrpcClient: calls the procedures of a console server over cleartext HTTP/2.

#ifndef SONDE_CLI_GRPC_CLIENT_H_
#define SONDE_CLI_GRPC_CLIENT_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde::cli {

// Something that came in for a call: a message, or its end.
struct GrpcEvent {
  std::int32_t call = 0;
  bool is_end = false;
  std::string message;      // Of the procedure; of the status when it is the end.
  std::string status = {};  // Of an end: "0" is success.
};

// One connection with any number of calls. Not thread-safe.
class GrpcClient {
 public:
  static constexpr std::size_t kLargestMessage = std::size_t{16} << 20;

  // `url` is http://host:port, host:port, unix:/path or file://localhost/path. Errors: kUsage for
  // another form, kNotFound when nothing answers there.
  static Result<std::unique_ptr<GrpcClient>> Connect(const std::string& url,
                                                     const std::string& token = {});
  ~GrpcClient();
  GrpcClient(const GrpcClient&) = delete;
  GrpcClient& operator=(const GrpcClient&) = delete;

  // Calls a procedure of the Instrument service; the call's number.
  Result<std::int32_t> Call(std::string_view procedure, std::string_view request = {});
  void Cancel(std::int32_t call);
  // Waits for the server, at most `timeout`, and returns what came. Fails when the connection is
  // broken or closed.
  Result<std::vector<GrpcEvent>> Wait(std::chrono::milliseconds timeout);
  // To wait for together with other descriptors.
  int descriptor() const noexcept;

 private:
  class Impl;
  explicit GrpcClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The bytes of a TaskDetailsRequest.
std::string TaskDetailsRequest(std::uint64_t task_id);

}  // namespace sonde::cli

#endif  // SONDE_CLI_GRPC_CLIENT_H_
