// PeerStream: bytes to and from a server, in the clear or through TLS.

#include "console/client/peer_stream.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "console/client/stream_socket.h"

namespace sonde {
namespace {

Error TooLate() { return {.code = ErrorCode::kTimeout, .message = "the server takes too long"}; }

Error Broken(int reason) {
  return {.code = ErrorCode::kSystem,
          .message = std::string("the connection broke: ") + std::strerror(reason)};
}

class PlainStream final : public PeerStream {
 public:
  explicit PlainStream(StreamSocket socket) : socket_(std::move(socket)) {}

  Status Write(std::string_view bytes, const Deadline& deadline) override {
    while (!bytes.empty()) {
      if (!deadline.Wait(socket_.descriptor(), POLLOUT)) return TooLate();
      const ssize_t sent =
          ::send(socket_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EINTR && errno != EAGAIN) return Broken(errno);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return {};
  }

  Result<std::string_view> Read(const Deadline& deadline) override {
    while (true) {
      if (!deadline.Wait(socket_.descriptor(), POLLIN)) return TooLate();
      const ssize_t size = ::recv(socket_.descriptor(), bytes_.data(), bytes_.size(), MSG_DONTWAIT);
      if (size >= 0) return std::string_view(bytes_.data(), static_cast<std::size_t>(size));
      if (errno != EINTR && errno != EAGAIN) return Broken(errno);
    }
  }

 private:
  StreamSocket socket_;
  std::array<char, 16384> bytes_;
};

// OpenSSL reads and writes memory; the socket is ours, so that no write raises a signal and no
// wait is without its end.
class TlsStream final : public PeerStream {
 public:
  explicit TlsStream(StreamSocket socket) : plain_(std::move(socket)) {}
  ~TlsStream() override {
    SSL_free(ssl_);  // Frees the two BIOs as well.
    SSL_CTX_free(context_);
  }
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  Status Shake(const ServerAddress& address, const std::string& authorities,
               const Deadline& deadline) {
    ERR_clear_error();
    context_ = SSL_CTX_new(TLS_client_method());
    if (context_ == nullptr) return Failure("TLS cannot be set up");
    SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    const int trusts = authorities.empty()
                           ? SSL_CTX_set_default_verify_paths(context_)
                           : SSL_CTX_load_verify_locations(context_, authorities.c_str(), nullptr);
    if (trusts != 1) {
      return Error{.code = ErrorCode::kNotFound,
                   .message = "the certificate authorities cannot be read",
                   .file = authorities};
    }
    ssl_ = SSL_new(context_);
    from_peer_ = BIO_new(BIO_s_mem());
    to_peer_ = BIO_new(BIO_s_mem());
    if (ssl_ == nullptr || from_peer_ == nullptr || to_peer_ == nullptr) {
      return Failure("TLS cannot be set up");
    }
    SSL_set_bio(ssl_, from_peer_, to_peer_);
    std::array<unsigned char, sizeof(in6_addr)> ignored{};
    const bool is_number = ::inet_pton(AF_INET, address.host.c_str(), ignored.data()) == 1 ||
                           ::inet_pton(AF_INET6, address.host.c_str(), ignored.data()) == 1;
    if (is_number) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_), address.host.c_str());
    } else {
      SSL_set1_host(ssl_, address.host.c_str());
      SSL_set_tlsext_host_name(ssl_, address.host.c_str());
    }
    return Do([this] { return SSL_connect(ssl_); }, deadline);
  }

  Status Write(std::string_view bytes, const Deadline& deadline) override {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, kRecord);
      const Status written =
          Do([&] { return SSL_write(ssl_, part.data(), static_cast<int>(part.size())); }, deadline);
      if (!written.ok()) return written;
      bytes.remove_prefix(part.size());
    }
    return {};
  }

  Result<std::string_view> Read(const Deadline& deadline) override {
    int size = 0;
    const Status read =
        Do([&] { return size = SSL_read(ssl_, bytes_.data(), static_cast<int>(bytes_.size())); },
           deadline);
    if (!read.ok()) return read.error();
    return std::string_view(bytes_.data(), static_cast<std::size_t>(std::max(size, 0)));
  }

 private:
  static constexpr std::size_t kRecord = 16384;

  // Calls `step` until it is done, carrying bytes between OpenSSL and the socket. The end of the
  // connection counts as done.
  template <typename Step>
  Status Do(Step&& step, const Deadline& deadline) {
    while (true) {
      ERR_clear_error();
      const int outcome = step();
      const int wish = outcome > 0 ? SSL_ERROR_NONE : SSL_get_error(ssl_, outcome);
      if (const Status sent = Flush(deadline); !sent.ok()) return sent;
      if (wish == SSL_ERROR_NONE || wish == SSL_ERROR_ZERO_RETURN) return {};
      if (wish != SSL_ERROR_WANT_READ) return Refusal();
      const Result<std::string_view> came = plain_.Read(deadline);
      if (!came.ok()) return came.error();
      if (came.value().empty()) {
        return Error{.code = ErrorCode::kSystem, .message = "the server ended TLS in the middle"};
      }
      BIO_write(from_peer_, came.value().data(), static_cast<int>(came.value().size()));
    }
  }

  Status Flush(const Deadline& deadline) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(to_peer_, &bytes);
    if (size <= 0) return {};
    const Status sent =
        plain_.Write(std::string_view(bytes, static_cast<std::size_t>(size)), deadline);
    BIO_reset(to_peer_);
    return sent;
  }

  Error Refusal() const {
    const long verdict = SSL_get_verify_result(ssl_);
    if (verdict != X509_V_OK) {
      return {.code = ErrorCode::kDenied,
              .message = std::string("the server's certificate does not hold: ") +
                         X509_verify_cert_error_string(verdict)};
    }
    return Failure("TLS failed");
  }

  static Error Failure(std::string what) {
    if (const char* const reason = ERR_reason_error_string(ERR_peek_last_error())) {
      what += std::string(": ") + reason;
    }
    return {.code = ErrorCode::kSystem, .message = std::move(what)};
  }

  PlainStream plain_;
  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  BIO* from_peer_ = nullptr;  // Both are the property of `ssl_`.
  BIO* to_peer_ = nullptr;
  std::array<char, kRecord> bytes_;
};

}  // namespace

Result<std::unique_ptr<PeerStream>> PeerStream::Open(const ServerAddress& address,
                                                     const std::string& authorities,
                                                     const Deadline& deadline) {
  Result<StreamSocket> socket = StreamSocket::Connect(address, deadline);
  if (!socket.ok()) return socket.error();
  if (!address.is_tls || !address.unix_path.empty()) {
    return std::unique_ptr<PeerStream>(std::make_unique<PlainStream>(std::move(socket).value()));
  }
  auto tls = std::make_unique<TlsStream>(std::move(socket).value());
  if (const Status shaken = tls->Shake(address, authorities, deadline); !shaken.ok()) {
    return shaken.error();
  }
  return std::unique_ptr<PeerStream>(std::move(tls));
}

}  // namespace sonde
