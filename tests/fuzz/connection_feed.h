// FeedConnection: gives a connection of the console what a peer sent, in pieces.

#ifndef SONDE_TESTS_FUZZ_CONNECTION_FEED_H_
#define SONDE_TESTS_FUZZ_CONNECTION_FEED_H_

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "console/connection.h"

namespace sonde {

using MakeConnection = std::shared_ptr<Connection> (*)(Socket, const ConnectionLimits&,
                                                       const ConnectionHandlers&, bool);

inline void AnswerRequest(const HttpRequest& request, const std::shared_ptr<HttpExchange>& answer) {
  if (request.target.starts_with("/stream")) {
    answer->Begin({.headers = {{"content-type", "text/plain"}}, .body = request.body});
    answer->Write(request.target);
    answer->End();
  } else {
    answer->Respond({.headers = {{"content-type", "text/plain"}}, .body = request.method});
  }
}

inline void AnswerCall(const GrpcRequest& request, const std::shared_ptr<GrpcStream>& stream) {
  stream->Send(std::make_shared<const std::string>(std::string(5, '\0')));
  stream->Finish(GrpcStatus::kOk, request.path);
}

// The first byte says how long the pieces are. What the connection answers.
inline std::string FeedConnection(MakeConnection make, std::string received,
                                  std::string_view input) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) != 0) return {};
  boost::asio::io_context io;
  const auto run = [&io] {
    io.restart();
    io.poll();
  };
  const auto connection =
      make(Socket(io, boost::asio::generic::stream_protocol(AF_UNIX, 0), ends[0]), {},
           {.on_call = AnswerCall, .on_request = AnswerRequest}, false);
  connection->Start(std::move(received));
  const std::size_t piece =
      input.empty() || input.front() == 0 ? input.size() : static_cast<unsigned char>(input[0]);
  if (!input.empty()) input.remove_prefix(1);
  std::string answer;
  std::array<char, 65536> bytes;
  while (!input.empty()) {
    const std::string_view part = input.substr(0, std::max<std::size_t>(piece, 1));
    input.remove_prefix(part.size());
    const bool is_open = ::send(ends[1], part.data(), part.size(), MSG_NOSIGNAL) > 0;
    run();
    ssize_t size = 0;
    while ((size = ::recv(ends[1], bytes.data(), bytes.size(), 0)) > 0) {
      answer.append(bytes.data(), static_cast<std::size_t>(size));
    }
    if (!is_open) break;
  }
  connection->Drain();
  run();
  connection->Close();
  run();
  ::close(ends[1]);
  return answer;
}

}  // namespace sonde

#endif  // SONDE_TESTS_FUZZ_CONNECTION_FEED_H_
