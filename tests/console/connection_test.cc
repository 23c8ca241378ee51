// Compiled with the console's own names for Asio, as tests/console/CMakeLists.txt says.

#include "console/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace sonde {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// A connection and the descriptor of its peer, who does nothing more.
class Silent {
 public:
  Silent(boost::asio::io_context& io, bool is_http2, const ConnectionLimits& limits,
         std::string received) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    peer_ = ends[1];
    Socket socket(io, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[0]);
    const ConnectionHandlers handlers{
        .on_call = [](const GrpcRequest&, const std::shared_ptr<GrpcStream>&) {},
        .on_request =
            [](const HttpRequest&, const std::shared_ptr<HttpExchange>& exchange) {
              exchange->Respond({.body = std::string(std::size_t{8} << 20, 'x')});
            }};
    connection_ = is_http2 ? MakeHttp2Connection(std::move(socket), limits, handlers, false)
                           : MakeHttp1Connection(std::move(socket), limits, handlers, false);
    connection_->on_closed = [this] { is_closed_ = true; };
    connection_->Start(std::move(received));
  }
  ~Silent() {
    connection_->Close();
    ::close(peer_);
  }
  Silent(const Silent&) = delete;
  Silent& operator=(const Silent&) = delete;
  bool is_closed() const { return is_closed_; }

 private:
  int peer_ = -1;
  bool is_closed_ = false;
  std::shared_ptr<Connection> connection_;
};

TEST(Connection, WhoDoesNothingInTimeIsClosed) {
  boost::asio::io_context io;
  const std::string get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  {
    const ConnectionLimits header{.header_timeout = 100ms};
    const ConnectionLimits idle{.idle_timeout = 100ms};
    const ConnectionLimits write{.write_timeout = 100ms};
    const Silent half_a_request(io, false, header, "GET / HTTP/1.1\r\nHo");
    const Silent half_a_body(io, false, header,
                             "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab");
    const Silent nothing(io, false, idle, {});
    const Silent does_not_read(io, false, write, get);
    const Silent nothing_over_http2(io, true, idle, std::string(kPreface));
    const Silent patient(io, false, {}, "GET / HTTP/1.1\r\nHo");
    io.run_for(3s);
    EXPECT_TRUE(half_a_request.is_closed());
    EXPECT_TRUE(half_a_body.is_closed());
    EXPECT_TRUE(nothing.is_closed());
    EXPECT_TRUE(does_not_read.is_closed());
    EXPECT_TRUE(nothing_over_http2.is_closed());
    EXPECT_FALSE(patient.is_closed());
  }
  io.restart();
  io.poll();
}

// The peer opens no window: what it asked for waits, and must not wait for ever, nor without limit.
TEST(Connection, AnswersThatNobodyTakesAreLetGo) {
  boost::asio::io_context io;
  ConnectionLimits limits{.write_timeout = 100ms};
  limits.budget->limit = std::size_t{20} << 20;
  std::string requests(kPreface);
  requests += std::string("\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0", 15);  // No initial window.
  for (char stream = 1; stream < 20; stream = static_cast<char>(stream + 2)) {
    requests += std::string("\0\0\x0e\x01\x05\0\0\0", 8) + stream + "\x82\x86\x84\x41\x09localhost";
  }
  const Silent peer(io, true, limits, requests);
  EXPECT_GT(limits.budget->used, std::size_t{15} << 20);  // Two answers of ten.
  EXPECT_LE(limits.budget->used, std::size_t{20} << 20);
  io.run_for(2500ms);
  EXPECT_EQ(limits.budget->used, 0U);
}

}  // namespace
}  // namespace sonde
