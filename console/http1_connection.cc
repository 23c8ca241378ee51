// Http1Connection: HTTP/1.1 with keep-alive, one request at a time.

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/status.hpp>
#include <cstdio>
#include <deque>
#include <optional>
#include <utility>

#include "console/connection.h"
#include "console/http1_reader.h"

namespace sonde {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using std::chrono::steady_clock;

constexpr std::size_t kSlowPeerBytes = std::size_t{1} << 20;

constexpr std::chrono::seconds kLinger{2};

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
  void Complete();

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
        over_unix_socket_(over_unix_socket),
        reader_(limits.header_bytes, limits.request_bytes) {}

  void Start(std::string received) override {
    input_ = std::move(received);
    request_started_ = steady_clock::now();
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
    limits_.budget->used -= std::exchange(queued_bytes_, 0);
    if (exchange_ != nullptr) std::exchange(exchange_, nullptr)->Detach();
    if (on_closed) std::exchange(on_closed, nullptr)();
  }

  std::optional<steady_clock::time_point> idle_since() const override {
    if (exchange_ != nullptr || !output_.empty()) return std::nullopt;
    return request_started_;
  }

  void Send(std::string bytes) {
    if (is_closed_ || bytes.empty()) return;
    queued_bytes_ += bytes.size();
    limits_.budget->used += bytes.size();
    output_.push_back(std::move(bytes));
    WriteNext();
  }

  // The answer to the request in progress is complete.
  void Answered() {
    exchange_ = nullptr;
    request_started_ = steady_clock::now();
    if (output_.empty()) Continue();
  }

  bool keep_alive() const { return reader_.keeps_alive() && !is_draining_; }
  bool knows_chunks() const { return reader_.knows_chunks(); }
  std::size_t queued_bytes() const { return queued_bytes_; }
  bool HasRoom(std::size_t bytes) const { return limits_.budget->HasRoom(bytes); }

 private:
  std::shared_ptr<Http1Connection> Self() {
    return std::static_pointer_cast<Http1Connection>(shared_from_this());
  }

  // Reads all the time, also while a request is being answered: so a peer that goes away is
  // noticed.
  void ReadMore() {
    socket_.async_read_some(
        asio::buffer(chunk_), [self = Self()](boost::system::error_code error, std::size_t size) {
          if (error == asio::error::eof) {
            self->is_peer_done_ = true;
            return self->CloseIfLeft();
          }
          if (error) return self->Close();
          if (!self->is_last_) self->input_.append(self->chunk_.data(), size);
          if (self->input_.size() > self->limits_.request_bytes + self->limits_.header_bytes) {
            return self->Close();
          }
          self->Parse();
          if (!self->is_closed_) self->ReadMore();
        });
  }

  void Parse() {
    if (is_closed_ || is_last_ || exchange_ != nullptr) return;
    Http1Reader::State state = reader_.Read(input_);
    if (state == Http1Reader::State::kExpectsContinue) {
      Send("HTTP/1.1 100 Continue\r\n\r\n");
      state = reader_.Read(input_);
    }
    if (is_closed_) return;
    if (state == Http1Reader::State::kWhole) return Handle();
    if (state != Http1Reader::State::kRefused) return;
    TakeNoMore();
    exchange_ = std::make_shared<Http1Exchange>(*this, false);
    exchange_->Respond(reader_.refusal());
  }

  void Handle() {
    HttpRequest request = reader_.Take();
    request.over_unix_socket = over_unix_socket_;
    if (!reader_.keeps_alive()) TakeNoMore();
    exchange_ = std::make_shared<Http1Exchange>(*this, request.method == "HEAD");
    const auto exchange = exchange_;
    handlers_.on_request(request, exchange);
  }

  // What the peer still sends is read and thrown away.
  void TakeNoMore() {
    is_last_ = true;
    input_.clear();
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
                        self->limits_.budget->used -= size;
                        self->output_.pop_front();
                        if (!self->output_.empty()) return self->WriteNext();
                        if (self->exchange_ == nullptr) self->Continue();
                      });
  }

  // A socket that is closed before its peer was read to the end takes the answer back, so it is
  // the peer who closes first, if it does so soon.
  void Continue() {
    if (is_draining_) return Close();
    if (keep_alive()) {
      Parse();
      return CloseIfLeft();
    }
    TakeNoMore();
    boost::system::error_code ignored;
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
    is_lingering_ = true;
    request_started_ = steady_clock::now();
    CloseIfLeft();
  }

  // Who has sent its last byte may still read what it asked for. That it leaves is not noticed any
  // more, so that what has to know is not for it.
  void CloseIfLeft() {
    if (!is_peer_done_) return;
    const bool waits = exchange_ != nullptr ? !exchange_->on_closed : !output_.empty();
    if (!waits) Close();
  }

  void Watch() {
    timer_.expires_after(std::chrono::seconds(1));
    timer_.async_wait([self = Self()](boost::system::error_code error) {
      if (error || self->is_closed_) return;
      if (self->IsLate()) return self->Close();
      self->Watch();
    });
  }

  bool IsLate() const {
    const auto now = steady_clock::now();
    if (is_writing_) return now - write_started_ > limits_.write_timeout;
    if (exchange_ != nullptr) return false;
    if (is_lingering_) return now - request_started_ > kLinger;
    const bool has_begun = !input_.empty() || reader_.has_begun();
    return now - request_started_ > (has_begun ? limits_.header_timeout : limits_.idle_timeout);
  }

  Socket socket_;
  asio::steady_timer timer_;
  ConnectionLimits limits_;
  ConnectionHandlers handlers_;
  bool over_unix_socket_;
  std::array<char, 8192> chunk_;
  std::string input_;
  Http1Reader reader_;
  std::shared_ptr<Http1Exchange> exchange_;
  std::deque<std::string> output_;
  std::size_t queued_bytes_ = 0;
  steady_clock::time_point request_started_;  // Or since when none is in progress.
  steady_clock::time_point write_started_;
  bool is_last_ = false;  // No further request is taken.
  bool is_peer_done_ = false;
  bool is_lingering_ = false;
  bool is_writing_ = false;
  bool is_draining_ = false;
  bool is_closed_ = false;
};

void Http1Exchange::Complete() {
  Http1Connection& connection = *connection_;
  Detach();
  connection.Answered();
}

void Http1Exchange::Respond(HttpResponse response) {
  if (is_closed() || is_begun_) return;
  if (!connection_->HasRoom(response.body.size())) response = TooMuchHeld();
  const std::string framing = "content-length: " + std::to_string(response.body.size()) + "\r\n";
  std::string bytes = HeadOf(response, framing, connection_->keep_alive());
  if (!is_head_) bytes += response.body;
  connection_->Send(std::move(bytes));
  Complete();
}

// A peer of HTTP/1.0 reads until the connection is closed.
void Http1Exchange::Begin(HttpResponse response) {
  if (is_closed() || is_begun_) return;
  is_begun_ = true;
  const std::string body = std::exchange(response.body, {});
  const char* const framing = connection_->knows_chunks() ? "transfer-encoding: chunked\r\n" : "";
  connection_->Send(HeadOf(response, framing, connection_->keep_alive()));
  if (is_head_) return Complete();
  Write(body);
}

bool Http1Exchange::Write(std::string_view bytes) {
  if (is_closed() || bytes.empty()) return true;
  if (connection_->queued_bytes() > kSlowPeerBytes) return false;
  if (!connection_->knows_chunks()) {
    connection_->Send(std::string(bytes));
    return true;
  }
  std::array<char, 24> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  connection_->Send(size.data() + std::string(bytes) + "\r\n");
  return true;
}

void Http1Exchange::End() {
  if (is_closed() || !is_begun_) return;
  if (connection_->knows_chunks()) connection_->Send("0\r\n\r\n");
  Complete();
}

}  // namespace

std::shared_ptr<Connection> MakeHttp1Connection(Socket socket, const ConnectionLimits& limits,
                                                const ConnectionHandlers& handlers,
                                                bool over_unix_socket) {
  return std::make_shared<Http1Connection>(std::move(socket), limits, handlers, over_unix_socket);
}

}  // namespace sonde
