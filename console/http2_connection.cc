// Http2Connection: cleartext HTTP/2 with prior knowledge: gRPC calls, and plain requests.

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "console/connection.h"

namespace sonde {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

constexpr std::size_t kWriteBytes = std::size_t{256} << 10;  // Handed to the socket at a time.
constexpr std::size_t kSlowPeerBytes = std::size_t{1} << 20;

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

class Http2Connection;

// One request and its answer, as a gRPC call or as plain HTTP.
class Http2Stream final : public GrpcStream, public HttpExchange {
 public:
  Http2Stream(Http2Connection& connection, std::int32_t id)
      : connection_(&connection), stream_id(id) {}

  void Accept() override;
  void Send(GrpcFrame frame) override;
  void Finish(GrpcStatus status, std::string_view message) override;
  std::size_t queued_bytes() const override { return queued_bytes_; }
  bool is_closed() const override { return connection_ == nullptr; }

  void Respond(HttpResponse response) override;
  void Begin(HttpResponse response) override;
  bool Write(std::string_view bytes) override;
  void End() override;

  // Takes up to `size` bytes of the body.
  ssize_t Read(std::uint8_t* into, std::size_t size, std::uint32_t* flags);
  // The connection forgets the stream.
  void Detach();

  HttpRequest request;
  steady_clock::time_point started = steady_clock::now();
  std::size_t header_bytes = 0;
  bool is_handled = false;

 private:
  void SubmitHeaders(const HttpResponse& response, bool has_body);
  void Queue(GrpcFrame bytes);
  void Resume();

  Http2Connection* connection_;  // Null once closed.
  std::deque<GrpcFrame> queue_;
  std::size_t taken_ = 0;  // Of the first in the queue.
  std::size_t queued_bytes_ = 0;
  bool is_begun_ = false;
  bool is_over_ = false;      // Nothing comes behind the queue.
  bool is_deferred_ = false;  // nghttp2 waits to be told of more.
  bool is_grpc_ = false;
  std::string status_;
  std::string message_;

 public:
  const std::int32_t stream_id;
};

class Http2Connection final : public Connection {
 public:
  Http2Connection(Socket socket, const ConnectionLimits& limits, const ConnectionHandlers& handlers,
                  bool over_unix_socket)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        limits_(limits),
        handlers_(handlers),
        over_unix_socket_(over_unix_socket) {}
  ~Http2Connection() override { nghttp2_session_del(session_); }

  void Start(std::string received) override {
    if (!OpenSession()) return Close();
    last_active_ = steady_clock::now();
    Watch();
    if (Feed(received.data(), received.size())) ReadMore();
  }

  void Drain() override {
    if (session_ == nullptr || !socket_.is_open()) return Close();
    is_draining_ = true;
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                          nullptr, 0);
    Pump();
  }

  void Close() override {
    if (is_closed_) return;
    is_closed_ = true;
    const auto self = shared_from_this();
    boost::system::error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
    for (auto& [id, stream] : std::exchange(streams_, {})) stream->Detach();
    if (on_closed) std::exchange(on_closed, nullptr)();
  }

  nghttp2_session* session() const { return session_; }

  // Sends what nghttp2 has to send, soon: callers may be inside one of its callbacks.
  void PumpSoon() {
    if (is_pump_posted_ || is_closed_) return;
    is_pump_posted_ = true;
    asio::post(socket_.get_executor(), [self = Self()] {
      self->is_pump_posted_ = false;
      self->Pump();
    });
  }

 private:
  std::shared_ptr<Http2Connection> Self() {
    return std::static_pointer_cast<Http2Connection>(shared_from_this());
  }

  bool OpenSession();

  // False when the connection is broken or over.
  bool Feed(const char* bytes, std::size_t size) {
    const ssize_t used =
        nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes), size);
    if (used < 0 || is_closed_) {
      Close();
      return false;
    }
    Pump();
    return !is_closed_;
  }

  void ReadMore() {
    socket_.async_read_some(asio::buffer(input_),
                            [self = Self()](boost::system::error_code error, std::size_t size) {
                              if (error) return self->Close();
                              if (self->Feed(self->input_.data(), size)) self->ReadMore();
                            });
  }

  void Pump() {
    if (is_writing_ || is_closed_) return;
    output_.clear();
    while (output_.size() < kWriteBytes) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
      if (size < 0) return Close();
      if (size == 0) break;
      output_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    }
    if (output_.empty()) {
      const bool is_over =
          !nghttp2_session_want_read(session_) && !nghttp2_session_want_write(session_);
      if (is_over || (is_draining_ && streams_.empty())) Close();
      return;
    }
    is_writing_ = true;
    write_started_ = steady_clock::now();
    asio::async_write(socket_, asio::buffer(output_),
                      [self = Self()](boost::system::error_code error, std::size_t) {
                        self->is_writing_ = false;
                        if (error) return self->Close();
                        self->Pump();
                      });
  }

  // Looks after the timeouts.
  void Watch() {
    timer_.expires_after(std::chrono::seconds(1));
    timer_.async_wait([self = Self()](boost::system::error_code error) {
      if (error || self->is_closed_) return;
      const auto now = steady_clock::now();
      if (self->is_writing_ && now - self->write_started_ > self->limits_.write_timeout) {
        return self->Close();
      }
      for (const auto& [id, stream] : self->streams_) {
        if (!stream->is_handled && now - stream->started > self->limits_.header_timeout) {
          nghttp2_submit_rst_stream(self->session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
        }
      }
      if (self->streams_.empty() && now - self->last_active_ > self->limits_.idle_timeout) {
        nghttp2_session_terminate_session(self->session_, NGHTTP2_NO_ERROR);
      }
      self->Pump();
      if (self->is_closed_) return;
      if (++self->seconds_ % 10 == 0) self->resets_ = 0;
      self->Watch();
    });
  }

  void Handle(const std::shared_ptr<Http2Stream>& stream);

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* user);
  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                    std::size_t size, void* user);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int OnStreamClose(nghttp2_session*, std::int32_t id, std::uint32_t, void* user);

  std::shared_ptr<Http2Stream> Find(std::int32_t id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
  }

  Socket socket_;
  asio::steady_timer timer_;
  ConnectionLimits limits_;
  ConnectionHandlers handlers_;
  bool over_unix_socket_;
  nghttp2_session* session_ = nullptr;
  std::array<char, 16384> input_;
  std::string output_;
  std::map<std::int32_t, std::shared_ptr<Http2Stream>> streams_;
  steady_clock::time_point last_active_;
  steady_clock::time_point write_started_;
  std::size_t resets_ = 0;
  unsigned seconds_ = 0;
  bool is_writing_ = false;
  bool is_pump_posted_ = false;
  bool is_draining_ = false;
  bool is_closed_ = false;
};

bool Http2Connection::OpenSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_option* option = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) return false;
  if (nghttp2_option_new(&option) != 0) {
    nghttp2_session_callbacks_del(callbacks);
    return false;
  }
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
  nghttp2_option_set_max_send_header_block_length(option, limits_.header_bytes);
  nghttp2_option_set_max_outbound_ack(option, 100);
  const int opened = nghttp2_session_server_new2(&session_, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  if (opened != 0) return false;
  const std::array<nghttp2_settings_entry, 2> settings{
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, static_cast<std::uint32_t>(limits_.streams)},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits_.header_bytes)}}};
  return nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) ==
         0;
}

int Http2Connection::OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  self->last_active_ = steady_clock::now();
  const std::int32_t id = frame->hd.stream_id;
  self->streams_.emplace(id, std::make_shared<Http2Stream>(*self, id));
  return 0;
}

int Http2Connection::OnHeader(nghttp2_session*, const nghttp2_frame* frame,
                              const std::uint8_t* name, std::size_t name_size,
                              const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                              void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  const auto stream = self->Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  stream->header_bytes += name_size + value_size + 32;
  if (stream->header_bytes > self->limits_.header_bytes) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  const std::string_view key(reinterpret_cast<const char*>(name), name_size);
  std::string text(reinterpret_cast<const char*>(value), value_size);
  HttpRequest& request = stream->request;
  if (key == ":path") {
    request.target = std::move(text);
  } else if (key == ":method") {
    request.method = std::move(text);
  } else if (key == ":authority" || (key == "host" && request.authority.empty())) {
    request.authority = std::move(text);
  } else if (!key.starts_with(':')) {
    request.headers.emplace_back(key, std::move(text));
  }
  return 0;
}

int Http2Connection::OnData(nghttp2_session* session, std::uint8_t, std::int32_t id,
                            const std::uint8_t* bytes, std::size_t size, void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  const auto stream = self->Find(id);
  if (stream == nullptr) return 0;
  self->last_active_ = steady_clock::now();
  if (stream->request.body.size() + size > self->limits_.request_bytes) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    return 0;
  }
  stream->request.body.append(reinterpret_cast<const char*>(bytes), size);
  return 0;
}

int Http2Connection::OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  if (frame->hd.type == NGHTTP2_RST_STREAM && ++self->resets_ > self->limits_.resets) {
    nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
    return 0;
  }
  const bool ends_request = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
                            (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS);
  if (!ends_request) return 0;
  const auto stream = self->Find(frame->hd.stream_id);
  if (stream != nullptr && !stream->is_handled) self->Handle(stream);
  return 0;
}

int Http2Connection::OnStreamClose(nghttp2_session*, std::int32_t id, std::uint32_t, void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  const auto found = self->streams_.find(id);
  if (found == self->streams_.end()) return 0;
  const auto stream = found->second;
  self->streams_.erase(found);
  self->last_active_ = steady_clock::now();
  stream->Detach();
  return 0;
}

void Http2Connection::Handle(const std::shared_ptr<Http2Stream>& stream) {
  stream->is_handled = true;
  HttpRequest& request = stream->request;
  request.over_unix_socket = over_unix_socket_;
  const std::string_view type = request.Header("content-type");
  if (!type.starts_with("application/grpc")) {
    return handlers_.on_request(request, std::static_pointer_cast<HttpExchange>(stream));
  }

  constexpr std::size_t kFrameHead = 5;
  const std::string& body = request.body;
  if (request.method != "POST") {
    return stream->Finish(GrpcStatus::kUnimplemented, "calls are made with POST");
  }
  if (body.size() < kFrameHead) {
    return stream->Finish(GrpcStatus::kInvalidArgument, "the request holds no message");
  }
  if (body[0] != 0) {
    return stream->Finish(GrpcStatus::kUnimplemented, "compressed messages are not read");
  }
  std::size_t size = 0;
  for (std::size_t i = 1; i < kFrameHead; ++i) {
    size = size << 8 | static_cast<unsigned char>(body[i]);
  }
  if (size != body.size() - kFrameHead) {
    return stream->Finish(GrpcStatus::kInvalidArgument, "the request is not one whole message");
  }
  GrpcRequest call{request.target, body.substr(kFrameHead),
                   std::string(request.Header("authorization"))};
  handlers_.on_call(call, std::static_pointer_cast<GrpcStream>(stream));
}

ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t size,
                 std::uint32_t* flags, nghttp2_data_source* source, void*) {
  return static_cast<Http2Stream*>(source->ptr)->Read(into, size, flags);
}

void Http2Stream::SubmitHeaders(const HttpResponse& response, bool has_body) {
  const std::string status = std::to_string(response.status);
  std::vector<nghttp2_nv> headers{HeaderOf(":status", status)};
  for (const auto& [name, value] : response.headers) headers.push_back(HeaderOf(name, value));
  nghttp2_data_provider body{};
  body.source.ptr = this;
  body.read_callback = ReadBody;
  is_begun_ = true;
  nghttp2_submit_response(connection_->session(), stream_id, headers.data(), headers.size(),
                          has_body ? &body : nullptr);
  connection_->PumpSoon();
}

void Http2Stream::Queue(GrpcFrame bytes) {
  if (bytes->empty()) return;
  queued_bytes_ += bytes->size();
  queue_.push_back(std::move(bytes));
}

void Http2Stream::Resume() {
  if (is_deferred_) {
    is_deferred_ = false;
    nghttp2_session_resume_data(connection_->session(), stream_id);
  }
  connection_->PumpSoon();
}

void Http2Stream::Accept() {
  if (is_closed() || is_begun_) return;
  is_grpc_ = true;
  SubmitHeaders({.headers = {{"content-type", "application/grpc"}}}, true);
}

void Http2Stream::Send(GrpcFrame frame) {
  if (is_closed() || is_over_) return;
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
  is_over_ = true;
  response.headers.emplace_back("content-length", std::to_string(response.body.size()));
  const bool has_body = !response.body.empty() && request.method != "HEAD";
  if (has_body) Queue(std::make_shared<const std::string>(std::exchange(response.body, {})));
  SubmitHeaders(response, has_body);
}

void Http2Stream::Begin(HttpResponse response) {
  if (is_closed() || is_begun_) return;
  Queue(std::make_shared<const std::string>(std::exchange(response.body, {})));
  SubmitHeaders(response, true);
}

bool Http2Stream::Write(std::string_view bytes) {
  if (is_closed() || is_over_) return true;
  if (queued_bytes_ > kSlowPeerBytes) return false;
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
  if (!queue_.empty()) return static_cast<ssize_t>(copied);

  if (is_over_) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (is_grpc_) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const std::array<nghttp2_nv, 2> trailers{HeaderOf("grpc-status", status_),
                                               HeaderOf("grpc-message", message_)};
      nghttp2_submit_trailer(connection_->session(), stream_id, trailers.data(), trailers.size());
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
  if (connection_ == nullptr) return;
  connection_ = nullptr;
  queue_.clear();
  queued_bytes_ = 0;
  GrpcStream::on_drained = nullptr;
  if (GrpcStream::on_closed) std::exchange(GrpcStream::on_closed, nullptr)();
  if (HttpExchange::on_closed) std::exchange(HttpExchange::on_closed, nullptr)();
}

}  // namespace

std::shared_ptr<Connection> MakeHttp2Connection(Socket socket, const ConnectionLimits& limits,
                                                const ConnectionHandlers& handlers,
                                                bool over_unix_socket) {
  return std::make_shared<Http2Connection>(std::move(socket), limits, handlers, over_unix_socket);
}

}  // namespace sonde
