// Http1Connection: HTTP/1.1 with keep-alive, one request at a time.

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cctype>
#include <cstdio>
#include <deque>
#include <optional>
#include <utility>

#include "console/connection.h"

namespace sonde {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using std::chrono::steady_clock;

constexpr std::size_t kSlowPeerBytes = std::size_t{1} << 20;

std::string HeadOf(const HttpResponse& response, std::string_view framing, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  head += std::string_view(
      http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status))));
  head += "\r\n";
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  head += framing;
  head += keep_alive ? "\r\n" : "connection: close\r\n\r\n";
  return head;
}

class Http1Connection;

class Http1Exchange final : public HttpExchange {
 public:
  Http1Exchange(Http1Connection& connection, bool is_head)
      : connection_(&connection), is_head_(is_head) {}
  void Respond(HttpResponse response) override;
  void Begin(HttpResponse response) override;
  bool Write(std::string_view bytes) override;
  void End() override;
  bool is_closed() const override { return connection_ == nullptr; }
  void Detach() {
    if (connection_ == nullptr) return;
    connection_ = nullptr;
    if (on_closed) std::exchange(on_closed, nullptr)();
  }

 private:
  Http1Connection* connection_;  // Null once answered or closed.
  bool is_head_;
  bool is_begun_ = false;
};

class Http1Connection final : public Connection {
 public:
  Http1Connection(Socket socket, const ConnectionLimits& limits, const ConnectionHandlers& handlers,
                  bool over_unix_socket)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        limits_(limits),
        handlers_(handlers),
        over_unix_socket_(over_unix_socket) {}

  void Start(std::string received) override {
    input_ = std::move(received);
    NewParser();
    Watch();
    Parse();
    ReadMore();
  }

  void Drain() override {
    is_draining_ = true;
    if (exchange_ == nullptr && output_.empty()) Close();
  }

  void Close() override {
    if (is_closed_) return;
    is_closed_ = true;
    const auto self = shared_from_this();
    boost::system::error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_both, ignored);
    socket_.close(ignored);
    timer_.cancel();
    if (exchange_ != nullptr) std::exchange(exchange_, nullptr)->Detach();
    if (on_closed) std::exchange(on_closed, nullptr)();
  }

  void Send(std::string bytes) {
    if (is_closed_ || bytes.empty()) return;
    queued_bytes_ += bytes.size();
    output_.push_back(std::move(bytes));
    WriteNext();
  }

  // The answer to the request in progress is complete.
  void Answered() {
    exchange_ = nullptr;
    request_started_ = steady_clock::now();
    NewParser();
    if (output_.empty()) Continue();
  }

  bool keep_alive() const { return keep_alive_ && !is_draining_; }
  std::size_t queued_bytes() const { return queued_bytes_; }

 private:
  using Parser = http::request_parser<http::string_body>;

  std::shared_ptr<Http1Connection> Self() {
    return std::static_pointer_cast<Http1Connection>(shared_from_this());
  }

  void NewParser() {
    parser_.emplace();
    parser_->eager(true);
    parser_->body_limit(limits_.request_bytes);
    parser_->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
    request_started_ = steady_clock::now();
  }

  // Reads all the time, also while a request is being answered: so a peer that goes away is
  // noticed.
  void ReadMore() {
    socket_.async_read_some(
        asio::buffer(chunk_), [self = Self()](boost::system::error_code error, std::size_t size) {
          if (error) return self->Close();
          self->input_.append(self->chunk_.data(), size);
          if (self->input_.size() > self->limits_.request_bytes + self->limits_.header_bytes) {
            return self->Close();
          }
          self->Parse();
          if (!self->is_closed_) self->ReadMore();
        });
  }

  void Parse() {
    while (!is_closed_ && exchange_ == nullptr && !input_.empty() && !is_refused_) {
      boost::system::error_code error;
      const std::size_t used = parser_->put(asio::buffer(input_), error);
      input_.erase(0, used);
      if (error == http::error::need_more) {
        if (used == 0) return;
        continue;
      }
      if (error) return Refuse(error);
      if (parser_->is_done()) return Handle();
      if (used == 0) return;
    }
  }

  void Refuse(const boost::system::error_code& error) {
    is_refused_ = true;
    keep_alive_ = false;
    HttpResponse response{.status = 400};
    if (error == http::error::header_limit) response.status = 431;
    if (error == http::error::body_limit) response.status = 413;
    response.headers.emplace_back("content-type", "text/plain; charset=utf-8");
    response.body = error.message() + "\n";
    exchange_ = std::make_shared<Http1Exchange>(*this, false);
    exchange_->Respond(std::move(response));
  }

  void Handle() {
    auto message = parser_->release();
    HttpRequest request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    request.over_unix_socket = over_unix_socket_;
    for (const auto& field : message.base()) {
      std::string name(field.name_string());
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (name == "host" && request.authority.empty())
        request.authority = std::string(field.value());
      request.headers.emplace_back(std::move(name), std::string(field.value()));
    }
    request.body = std::move(message.body());
    keep_alive_ = message.keep_alive();
    exchange_ = std::make_shared<Http1Exchange>(*this, request.method == "HEAD");
    const auto exchange = exchange_;
    handlers_.on_request(request, exchange);
  }

  void WriteNext() {
    if (is_writing_ || output_.empty() || is_closed_) return;
    is_writing_ = true;
    write_started_ = steady_clock::now();
    asio::async_write(socket_, asio::buffer(output_.front()),
                      [self = Self()](boost::system::error_code error, std::size_t size) {
                        self->is_writing_ = false;
                        if (error || self->is_closed_) return self->Close();
                        self->queued_bytes_ -= size;
                        self->output_.pop_front();
                        if (!self->output_.empty()) return self->WriteNext();
                        if (self->exchange_ == nullptr) self->Continue();
                      });
  }

  void Continue() {
    if (!keep_alive()) return Close();
    Parse();
  }

  void Watch() {
    timer_.expires_after(std::chrono::seconds(1));
    timer_.async_wait([self = Self()](boost::system::error_code error) {
      if (error || self->is_closed_) return;
      const auto now = steady_clock::now();
      const bool has_begun = !self->input_.empty() || self->parser_->got_some();
      const auto allowed = has_begun || self->is_refused_ ? self->limits_.header_timeout
                                                          : self->limits_.idle_timeout;
      if (self->is_writing_
              ? now - self->write_started_ > self->limits_.write_timeout
              : self->exchange_ == nullptr && now - self->request_started_ > allowed) {
        return self->Close();
      }
      self->Watch();
    });
  }

  Socket socket_;
  asio::steady_timer timer_;
  ConnectionLimits limits_;
  ConnectionHandlers handlers_;
  bool over_unix_socket_;
  std::array<char, 8192> chunk_;
  std::string input_;
  std::optional<Parser> parser_;
  std::shared_ptr<Http1Exchange> exchange_;
  std::deque<std::string> output_;
  std::size_t queued_bytes_ = 0;
  steady_clock::time_point request_started_;
  steady_clock::time_point write_started_;
  bool keep_alive_ = true;
  bool is_refused_ = false;
  bool is_writing_ = false;
  bool is_draining_ = false;
  bool is_closed_ = false;
};

void Http1Exchange::Respond(HttpResponse response) {
  if (is_closed() || is_begun_) return;
  const std::string framing = "content-length: " + std::to_string(response.body.size()) + "\r\n";
  std::string bytes = HeadOf(response, framing, connection_->keep_alive());
  if (!is_head_) bytes += response.body;
  Http1Connection& connection = *connection_;
  connection.Send(std::move(bytes));
  Detach();
  connection.Answered();
}

void Http1Exchange::Begin(HttpResponse response) {
  if (is_closed() || is_begun_) return;
  is_begun_ = true;
  const std::string body = std::exchange(response.body, {});
  connection_->Send(HeadOf(response, "transfer-encoding: chunked\r\n", connection_->keep_alive()));
  Write(body);
}

bool Http1Exchange::Write(std::string_view bytes) {
  if (is_closed() || bytes.empty() || is_head_) return true;
  if (connection_->queued_bytes() > kSlowPeerBytes) return false;
  std::array<char, 24> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  connection_->Send(size.data() + std::string(bytes) + "\r\n");
  return true;
}

void Http1Exchange::End() {
  if (is_closed() || !is_begun_) return;
  if (!is_head_) connection_->Send("0\r\n\r\n");
  Http1Connection& connection = *connection_;
  Detach();
  connection.Answered();
}

}  // namespace

std::shared_ptr<Connection> MakeHttp1Connection(Socket socket, const ConnectionLimits& limits,
                                                const ConnectionHandlers& handlers,
                                                bool over_unix_socket) {
  return std::make_shared<Http1Connection>(std::move(socket), limits, handlers, over_unix_socket);
}

}  // namespace sonde
