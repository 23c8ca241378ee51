// GrpcClient: calls the procedures of a console server over cleartext HTTP/2.

#include "cli/grpc_client.h"

#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "console/client/stream_socket.h"
#include "export/protobuf_writer.h"

namespace sonde::cli {
namespace {

constexpr std::size_t kFrameHead = 5;

nghttp2_nv HeaderOf(std::string_view name, std::string_view value) {
  return {reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
          value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::sscanf(text.substr(i + 1, 2).data(), "%2x", &byte) == 1) {
      decoded.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

Error Broken(std::string message) {
  return {.code = ErrorCode::kInvalid, .message = std::move(message)};
}

}  // namespace

class GrpcClient::Impl {
 public:
  Impl(StreamSocket socket, std::string authority, std::string token)
      : socket_(std::move(socket)), authority_(std::move(authority)), token_(std::move(token)) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_client_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    const std::array<nghttp2_settings_entry, 1> settings{
        {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 4U << 20}}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, 8 << 20);
  }
  ~Impl() { nghttp2_session_del(session_); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<std::int32_t> Call(std::string_view procedure, std::string_view request) {
    const std::string path = "/rs.tokio.console.instrument.Instrument/" + std::string(procedure);
    std::vector<nghttp2_nv> headers{HeaderOf(":method", "POST"),
                                    HeaderOf(":scheme", "http"),
                                    HeaderOf(":path", path),
                                    HeaderOf(":authority", authority_),
                                    HeaderOf("content-type", "application/grpc"),
                                    HeaderOf("te", "trailers")};
    const std::string authorization = "Bearer " + token_;
    if (!token_.empty()) headers.push_back(HeaderOf("authorization", authorization));
    auto pending = std::make_unique<Pending>();
    pending->request.push_back('\0');
    for (int shift = 24; shift >= 0; shift -= 8) {
      pending->request.push_back(static_cast<char>(request.size() >> shift & 0xff));
    }
    pending->request += request;
    nghttp2_data_provider body{};
    body.source.ptr = pending.get();
    body.read_callback = ReadRequest;
    const std::int32_t id =
        nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &body, nullptr);
    if (id < 0) return Broken(nghttp2_strerror(id));
    calls_.emplace(id, std::move(pending));
    const Status sent = Send();
    if (!sent.ok()) return sent.error();
    return id;
  }

  void Cancel(std::int32_t call) {
    calls_.erase(call);
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, call, NGHTTP2_CANCEL);
    static_cast<void>(Send());
  }

  Result<std::vector<GrpcEvent>> Wait(std::chrono::milliseconds timeout) {
    pollfd waiting{socket_.descriptor(), POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(timeout.count())) > 0) {
      const Status received = Receive();
      if (!received.ok()) return received.error();
    }
    const Status sent = Send();
    if (!sent.ok()) return sent.error();
    return std::exchange(events_, {});
  }

  int descriptor() const noexcept { return socket_.descriptor(); }

 private:
  struct Pending {
    std::string request;
    std::size_t sent = 0;
    std::string received;
    std::string status;
    std::string message;
  };

  // Takes what has come already, up to a part of a large snapshot: callers draw after each call.
  Status Receive() {
    constexpr std::size_t kAtOnce = std::size_t{4} << 20;
    std::array<std::uint8_t, 65536> bytes;
    for (std::size_t received = 0; received < kAtOnce;) {
      const ssize_t size = ::recv(socket_.descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size == 0 && !events_.empty()) return {};  // Its last words come first.
      if (size == 0) return Broken("the server closed the connection");
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return Broken(std::strerror(errno));
      received += static_cast<std::size_t>(size);
      const ssize_t used =
          nghttp2_session_mem_recv(session_, bytes.data(), static_cast<std::size_t>(size));
      if (used < 0) return Broken("the server does not speak HTTP/2");
    }
    return {};
  }

  Status Send() {
    const std::uint8_t* bytes = nullptr;
    ssize_t size = 0;
    while ((size = nghttp2_session_mem_send(session_, &bytes)) > 0) {
      while (size > 0) {
        const ssize_t written =
            ::send(socket_.descriptor(), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return Broken(std::strerror(errno));
        bytes += written;
        size -= written;
      }
    }
    return {};
  }

  Pending* Find(std::int32_t id) {
    const auto found = calls_.find(id);
    return found == calls_.end() ? nullptr : found->second.get();
  }

  static ssize_t ReadRequest(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t size,
                             std::uint32_t* flags, nghttp2_data_source* source, void*) {
    auto* const pending = static_cast<Pending*>(source->ptr);
    const std::size_t part = std::min(size, pending->request.size() - pending->sent);
    std::memcpy(into, pending->request.data() + pending->sent, part);
    pending->sent += part;
    if (pending->sent == pending->request.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(part);
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* user) {
    Pending* const pending = static_cast<Impl*>(user)->Find(frame->hd.stream_id);
    if (pending == nullptr) return 0;
    const std::string_view key(reinterpret_cast<const char*>(name), name_size);
    const std::string_view text(reinterpret_cast<const char*>(value), value_size);
    if (key == "grpc-status") pending->status = text;
    if (key == "grpc-message") pending->message = PercentDecoded(text);
    if (key == ":status" && text != "200") pending->message = "HTTP status " + std::string(text);
    return 0;
  }

  static int OnData(nghttp2_session* session, std::uint8_t, std::int32_t id,
                    const std::uint8_t* bytes, std::size_t size, void* user) {
    auto* const self = static_cast<Impl*>(user);
    Pending* const pending = self->Find(id);
    if (pending == nullptr) return 0;
    std::string& received = pending->received;
    received.append(reinterpret_cast<const char*>(bytes), size);
    std::size_t at = 0;
    while (received.size() - at >= kFrameHead) {
      std::size_t length = 0;
      for (std::size_t i = 1; i < kFrameHead; ++i) {
        length = length << 8 | static_cast<unsigned char>(received[at + i]);
      }
      if (length > kLargestMessage || received[at] != 0) {
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
        pending->message = "the server sent a message that is too large or compressed";
        break;
      }
      if (received.size() - at - kFrameHead < length) break;
      self->events_.push_back({id, false, received.substr(at + kFrameHead, length)});
      at += kFrameHead + length;
    }
    received.erase(0, at);
    return 0;
  }

  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t, void* user) {
    auto* const self = static_cast<Impl*>(user);
    Pending* const pending = self->Find(id);
    if (pending == nullptr) return 0;
    self->events_.push_back({id, true, pending->message, pending->status});
    self->calls_.erase(id);
    return 0;
  }

  StreamSocket socket_;
  std::string authority_;
  std::string token_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::unique_ptr<Pending>> calls_;
  std::vector<GrpcEvent> events_;
};

Result<std::unique_ptr<GrpcClient>> GrpcClient::Connect(const std::string& url,
                                                        const std::string& token) {
  const Result<ServerAddress> address = ParseServerAddress(url, "6669");
  if (!address.ok()) return address.error();
  if (address.value().is_tls) {
    return Error{.code = ErrorCode::kUsage, .message = "a console speaks no TLS: " + url};
  }
  if (address.value().path != "/") {
    return Error{.code = ErrorCode::kUsage,
                 .message =
                     "a console has no paths; what comes behind the port is to be left "
                     "out: " +
                     url};
  }
  constexpr std::chrono::seconds kPatience{10};
  Result<StreamSocket> socket =
      StreamSocket::Connect(address.value(), Deadline(std::chrono::milliseconds(kPatience)));
  if (!socket.ok()) return socket.error();
  return std::unique_ptr<GrpcClient>(new GrpcClient(
      std::make_unique<Impl>(std::move(socket).value(), address.value().Authority(), token)));
}

GrpcClient::GrpcClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GrpcClient::~GrpcClient() = default;

Result<std::int32_t> GrpcClient::Call(std::string_view procedure, std::string_view request) {
  return impl_->Call(procedure, request);
}
void GrpcClient::Cancel(std::int32_t call) { impl_->Cancel(call); }
Result<std::vector<GrpcEvent>> GrpcClient::Wait(std::chrono::milliseconds timeout) {
  return impl_->Wait(timeout);
}
int GrpcClient::descriptor() const noexcept { return impl_->descriptor(); }

std::string TaskDetailsRequest(std::uint64_t task_id) {
  std::string request;
  ProtobufWriter out(request);
  out.Message(1, [&] { out.UintField(1, task_id); });
  return request;
}

}  // namespace sonde::cli
