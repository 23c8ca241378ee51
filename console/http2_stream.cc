// Http2Stream: one request over HTTP/2 and its answer, as a gRPC call or as plain HTTP.

#include "console/http2_stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

namespace sonde {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kMostUnread = std::size_t{1} << 20;

nghttp2_nv HeaderOf(std::string_view name, std::string_view value) {
  // nghttp2 copies both; its interface is not const-correct.
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
          value.size(), NGHTTP2_NV_FLAG_NONE};
}

// As the gRPC protocol has it for grpc-message.
std::string PercentEncoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '%') {
      encoded.push_back(c);
    } else {
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t size,
                 std::uint32_t* flags, nghttp2_data_source* source, void*) {
  return static_cast<Http2Stream*>(source->ptr)->Read(into, size, flags);
}

}  // namespace

bool Http2Stream::Hold(std::size_t bytes) {
  if (!budget_->HasRoom(bytes)) return false;
  budget_->used += bytes;
  request_bytes_ += bytes;
  return true;
}

bool Http2Stream::AddHeader(std::string_view name, std::string value, std::size_t limit) {
  constexpr std::size_t kOfEachHeader = 32;  // As HTTP/2 counts them.
  const std::size_t bytes = name.size() + value.size() + kOfEachHeader;
  header_bytes_ += bytes;
  is_header_too_long_ = header_bytes_ > limit;
  if (is_header_too_long_) return true;
  if (!Hold(bytes)) return false;
  if (name == ":path") {
    request_.target = std::move(value);
  } else if (name == ":method") {
    is_head_ = value == "HEAD";
    request_.method = std::move(value);
  } else if (name == ":authority" || (name == "host" && request_.authority.empty())) {
    request_.authority = std::move(value);
  } else if (!name.starts_with(':')) {
    request_.headers.emplace_back(name, std::move(value));
  }
  return true;
}

bool Http2Stream::AddBody(std::string_view bytes, std::size_t limit) {
  if (request_.body.size() + bytes.size() > limit || !Hold(bytes.size())) return false;
  request_.body += bytes;
  return true;
}

void Http2Stream::ForgetRequest() {
  is_handled_ = true;
  request_ = {};
  budget_->used -= std::exchange(request_bytes_, 0);
}

steady_clock::time_point Http2Stream::waiting_since() const {
  return is_handled_ && queued_bytes_ == 0 ? steady_clock::now() : moved_;
}

void Http2Stream::SubmitHeaders(const HttpResponse& response, bool has_body) {
  const std::string status = std::to_string(response.status);
  std::vector<nghttp2_nv> headers{HeaderOf(":status", status)};
  for (const auto& [name, value] : response.headers) headers.push_back(HeaderOf(name, value));
  nghttp2_data_provider body{};
  body.source.ptr = this;
  body.read_callback = ReadBody;
  is_begun_ = true;
  nghttp2_submit_response(owner_->session(), stream_id_, headers.data(), headers.size(),
                          has_body ? &body : nullptr);
  owner_->PumpSoon();
}

void Http2Stream::Queue(GrpcFrame bytes) {
  if (bytes->empty()) return;
  if (queue_.empty()) moved_ = steady_clock::now();
  queued_bytes_ += bytes->size();
  budget_->used += bytes->size();
  queue_.push_back(std::move(bytes));
}

void Http2Stream::Resume() {
  if (is_deferred_) {
    is_deferred_ = false;
    nghttp2_session_resume_data(owner_->session(), stream_id_);
  }
  owner_->PumpSoon();
}

void Http2Stream::Accept() {
  if (is_closed() || is_begun_) return;
  is_grpc_ = true;
  SubmitHeaders({.headers = {{"content-type", "application/grpc"}}}, true);
}

void Http2Stream::Send(GrpcFrame frame) {
  if (is_closed() || is_over_) return;
  if (!budget_->HasRoom(frame->size())) {
    return Finish(GrpcStatus::kResourceExhausted, "too many answers are waiting to be taken");
  }
  Accept();
  Queue(std::move(frame));
  Resume();
}

void Http2Stream::Finish(GrpcStatus status, std::string_view message) {
  if (is_closed() || is_over_) return;
  is_over_ = true;
  status_ = std::to_string(static_cast<int>(status));
  message_ = PercentEncoded(message);
  if (is_begun_) return Resume();
  SubmitHeaders({.headers = {{"content-type", "application/grpc"},
                             {"grpc-status", status_},
                             {"grpc-message", message_}}},
                false);
}

void Http2Stream::Respond(HttpResponse response) {
  if (is_closed() || is_begun_) return;
  if (!budget_->HasRoom(response.body.size())) response = TooMuchHeld();
  is_over_ = true;
  response.headers.emplace_back("content-length", std::to_string(response.body.size()));
  const bool has_body = !response.body.empty() && !is_head_;
  if (has_body) Queue(std::make_shared<const std::string>(std::exchange(response.body, {})));
  SubmitHeaders(response, has_body);
}

void Http2Stream::Begin(HttpResponse response) {
  if (is_closed() || is_begun_) return;
  is_over_ = is_head_;
  if (!is_head_) Queue(std::make_shared<const std::string>(std::exchange(response.body, {})));
  SubmitHeaders(response, !is_head_);
}

bool Http2Stream::Write(std::string_view bytes) {
  if (is_closed() || is_over_) return true;
  if (queued_bytes_ > kMostUnread) return false;
  Queue(std::make_shared<const std::string>(bytes));
  Resume();
  return true;
}

void Http2Stream::End() {
  if (is_closed() || is_over_) return;
  is_over_ = true;
  Resume();
}

ssize_t Http2Stream::Read(std::uint8_t* into, std::size_t size, std::uint32_t* flags) {
  std::size_t copied = 0;
  while (copied < size && !queue_.empty()) {
    const std::string& front = *queue_.front();
    const std::size_t part = std::min(size - copied, front.size() - taken_);
    std::memcpy(into + copied, front.data() + taken_, part);
    copied += part;
    taken_ += part;
    if (taken_ == front.size()) {
      queue_.pop_front();
      taken_ = 0;
    }
  }
  queued_bytes_ -= copied;
  budget_->used -= copied;
  moved_ = steady_clock::now();
  if (!queue_.empty()) return static_cast<ssize_t>(copied);

  if (is_over_) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (is_grpc_) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const std::array<nghttp2_nv, 2> trailers{HeaderOf("grpc-status", status_),
                                               HeaderOf("grpc-message", message_)};
      nghttp2_submit_trailer(owner_->session(), stream_id_, trailers.data(), trailers.size());
    }
    return static_cast<ssize_t>(copied);
  }
  if (copied == 0) {
    is_deferred_ = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  if (on_drained) on_drained();
  return static_cast<ssize_t>(copied);
}

void Http2Stream::Detach() {
  if (owner_ == nullptr) return;
  owner_ = nullptr;
  queue_.clear();
  budget_->used -= std::exchange(queued_bytes_, 0) + std::exchange(request_bytes_, 0);
  GrpcStream::on_drained = nullptr;
  if (GrpcStream::on_closed) std::exchange(GrpcStream::on_closed, nullptr)();
  if (HttpExchange::on_closed) std::exchange(HttpExchange::on_closed, nullptr)();
}

}  // namespace sonde
