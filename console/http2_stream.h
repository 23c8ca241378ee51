// Http2Stream: one request over HTTP/2 and its answer, as a gRPC call or as plain HTTP.

#ifndef SONDE_CONSOLE_HTTP2_STREAM_H_
#define SONDE_CONSOLE_HTTP2_STREAM_H_

#include <nghttp2/nghttp2.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "console/connection.h"
#include "console/grpc_stream.h"
#include "console/http_exchange.h"

namespace sonde {

// What streams need of their connection.
class Http2Owner {
 public:
  virtual nghttp2_session* session() const = 0;
  // Sends what nghttp2 has to send, soon: callers may be inside one of its callbacks.
  virtual void PumpSoon() = 0;

 protected:
  ~Http2Owner() = default;
};

class Http2Stream final : public GrpcStream, public HttpExchange {
 public:
  Http2Stream(Http2Owner& owner, std::shared_ptr<ByteBudget> budget, std::int32_t id)
      : owner_(&owner), budget_(std::move(budget)), stream_id_(id) {}

  void Accept() override;
  void Send(GrpcFrame frame) override;
  void Finish(GrpcStatus status, std::string_view message) override;
  std::size_t queued_bytes() const override { return queued_bytes_; }
  bool is_closed() const override { return owner_ == nullptr; }

  void Respond(HttpResponse response) override;
  void Begin(HttpResponse response) override;
  bool Write(std::string_view bytes) override;
  void End() override;

  // A part of the request. False when too much is held, or a body is longer than `limit`. A header
  // that is longer is not kept, and is_header_too_long from then on.
  bool AddHeader(std::string_view name, std::string value, std::size_t limit);
  bool AddBody(std::string_view bytes, std::size_t limit);
  bool is_header_too_long() const noexcept { return is_header_too_long_; }
  HttpRequest& request() noexcept { return request_; }
  // The request is whole and was handled: it is not needed any more.
  void ForgetRequest();
  bool is_handled() const noexcept { return is_handled_; }

  // Takes up to `size` bytes of the answer, for nghttp2.
  ssize_t Read(std::uint8_t* into, std::size_t size, std::uint32_t* flags);
  // Since when the peer has not moved: not sent the rest of its request, or not taken what waits
  // for it. Now, when it owes nothing.
  std::chrono::steady_clock::time_point waiting_since() const;
  // The connection forgets the stream.
  void Detach();

 private:
  void SubmitHeaders(const HttpResponse& response, bool has_body);
  void Queue(GrpcFrame bytes);
  void Resume();
  bool Hold(std::size_t bytes);

  Http2Owner* owner_;  // Null once closed.
  std::shared_ptr<ByteBudget> budget_;
  const std::int32_t stream_id_;
  HttpRequest request_;
  std::size_t header_bytes_ = 0;
  std::size_t request_bytes_ = 0;  // That the budget counts.
  std::chrono::steady_clock::time_point moved_ = std::chrono::steady_clock::now();
  std::deque<GrpcFrame> queue_;
  std::size_t taken_ = 0;  // Of the first in the queue.
  std::size_t queued_bytes_ = 0;
  bool is_header_too_long_ = false;
  bool is_handled_ = false;
  bool is_head_ = false;
  bool is_begun_ = false;
  bool is_over_ = false;      // Nothing comes behind the queue.
  bool is_deferred_ = false;  // nghttp2 waits to be told of more.
  bool is_grpc_ = false;
  std::string status_;
  std::string message_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_HTTP2_STREAM_H_
