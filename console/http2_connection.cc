// Http2Connection: cleartext HTTP/2 with prior knowledge: gRPC calls, and plain requests.

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <map>
#include <utility>
#include <variant>

#include "console/connection.h"
#include "console/grpc_request.h"
#include "console/http2_calm.h"
#include "console/http2_stream.h"
#include "console/http_replies.h"

namespace sonde {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

constexpr std::size_t kWriteBytes = std::size_t{256} << 10;  // Handed to the socket at a time.

class Http2Connection final : public Connection, public Http2Owner {
 public:
  Http2Connection(Socket socket, const ConnectionLimits& limits, const ConnectionHandlers& handlers,
                  bool over_unix_socket)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        limits_(limits),
        handlers_(handlers),
        over_unix_socket_(over_unix_socket),
        calm_(limits.resets, limits.empty_frames) {}
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

  std::optional<steady_clock::time_point> idle_since() const override {
    if (!streams_.empty() || is_writing_) return std::nullopt;
    return last_active_;
  }

 private:
  nghttp2_session* session() const override { return session_; }
  void PumpSoon() override {
    if (is_pump_posted_ || is_closed_) return;
    is_pump_posted_ = true;
    asio::post(socket_.get_executor(), [self = Self()] {
      self->is_pump_posted_ = false;
      self->Pump();
    });
  }

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
        const auto limit =
            stream->is_handled() ? self->limits_.write_timeout : self->limits_.header_timeout;
        if (now - stream->waiting_since() > limit) {
          nghttp2_submit_rst_stream(self->session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
        }
      }
      if (self->streams_.empty() && now - self->last_active_ > self->limits_.idle_timeout) {
        nghttp2_session_terminate_session(self->session_, NGHTTP2_NO_ERROR);
      }
      self->Pump();
      if (self->is_closed_) return;
      self->calm_.PassSecond();
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
  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* user);
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
  Http2Calm calm_;
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
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSent);
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
  self->streams_.emplace(id, std::make_shared<Http2Stream>(*self, self->limits_.budget, id));
  return 0;
}

int Http2Connection::OnHeader(nghttp2_session*, const nghttp2_frame* frame,
                              const std::uint8_t* name, std::size_t name_size,
                              const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                              void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  // What comes behind a body is no part of the header.
  if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  const auto stream = self->Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  const bool is_taken = stream->AddHeader(
      std::string_view(reinterpret_cast<const char*>(name), name_size),
      std::string(reinterpret_cast<const char*>(value), value_size), self->limits_.header_bytes);
  return is_taken ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

int Http2Connection::OnData(nghttp2_session* session, std::uint8_t, std::int32_t id,
                            const std::uint8_t* bytes, std::size_t size, void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  const auto stream = self->Find(id);
  if (stream == nullptr) return 0;
  self->last_active_ = steady_clock::now();
  const std::string_view part(reinterpret_cast<const char*>(bytes), size);
  if (!stream->AddBody(part, self->limits_.request_bytes)) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
  return 0;
}

int Http2Connection::OnFrame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  const std::uint8_t type = frame->hd.type;
  const bool ends_request = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 &&
                            (type == NGHTTP2_DATA || type == NGHTTP2_HEADERS);
  const bool is_empty = type == NGHTTP2_PING || type == NGHTTP2_SETTINGS ||
                        type == NGHTTP2_PRIORITY ||
                        (type == NGHTTP2_DATA && frame->hd.length == 0 && !ends_request);
  if (type == NGHTTP2_RST_STREAM) self->calm_.CountReset();
  if (is_empty) self->calm_.CountEmptyFrame();
  if (self->calm_.is_over()) {
    nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
    return 0;
  }
  if (!ends_request) return 0;
  const auto stream = self->Find(frame->hd.stream_id);
  if (stream != nullptr && !stream->is_handled()) self->Handle(stream);
  return 0;
}

// A peer can also make the server reset its streams, by breaking their rules.
int Http2Connection::OnFrameSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
  auto* const self = static_cast<Http2Connection*>(user);
  if (frame->hd.type != NGHTTP2_RST_STREAM || frame->rst_stream.error_code == NGHTTP2_NO_ERROR) {
    return 0;
  }
  self->calm_.CountReset();
  if (self->calm_.is_over()) nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
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
  HttpRequest& request = stream->request();
  request.over_unix_socket = over_unix_socket_;
  if (stream->is_header_too_long()) {
    stream->Respond(TextReply(431, "the header is too long\n"));
  } else if (request.Header("content-type").starts_with("application/grpc")) {
    const auto call = ReadGrpcRequest(request);
    if (const auto* const refusal = std::get_if<GrpcRefusal>(&call)) {
      stream->Finish(refusal->status, refusal->reason);
    } else {
      handlers_.on_call(std::get<GrpcRequest>(call), std::static_pointer_cast<GrpcStream>(stream));
    }
  } else {
    handlers_.on_request(request, std::static_pointer_cast<HttpExchange>(stream));
  }
  stream->ForgetRequest();
}

}  // namespace

std::shared_ptr<Connection> MakeHttp2Connection(Socket socket, const ConnectionLimits& limits,
                                                const ConnectionHandlers& handlers,
                                                bool over_unix_socket) {
  return std::make_shared<Http2Connection>(std::move(socket), limits, handlers, over_unix_socket);
}

}  // namespace sonde
