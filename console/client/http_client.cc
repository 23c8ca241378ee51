// HttpClient: asks a server over HTTP/1.1, one connection a request.

#include "console/client/http_client.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>

#include "console/client/peer_stream.h"

namespace sonde {
namespace {

namespace http = boost::beast::http;

constexpr std::uint32_t kHeaderBytes = 64 << 10;

std::string HeadOf(const ServerAddress& address, const HttpQuestion& question) {
  std::string head = question.method + ' ' + question.target +
                     " HTTP/1.1\r\nhost: " + address.Authority() + "\r\nconnection: close\r\n";
  for (const auto& [name, value] : question.headers) head += name + ": " + value + "\r\n";
  if (question.method != "GET") {
    head += "content-length: " + std::to_string(question.body.size()) + "\r\n";
  }
  return head + "\r\n";
}

Error Malformed(const boost::system::error_code& error, std::uint64_t most_bytes) {
  if (error == http::error::body_limit) {
    return {.code = ErrorCode::kLimit,
            .message = "the answer is larger than " + std::to_string(most_bytes) + " bytes"};
  }
  return {.code = ErrorCode::kMalformed, .message = "the answer is no HTTP: " + error.message()};
}

}  // namespace

Result<HttpAnswer> AskHttp(const ServerAddress& address, const HttpQuestion& question,
                           const Deadline& deadline) {
  Result<std::unique_ptr<PeerStream>> stream =
      PeerStream::Open(address, question.authorities, deadline);
  if (!stream.ok()) return stream.error();
  PeerStream& peer = *stream.value();
  Status sent = peer.Write(HeadOf(address, question), deadline);
  if (sent.ok()) sent = peer.Write(question.body, deadline);
  // A server that refuses may answer and close before it has read everything.
  if (!sent.ok() && sent.error().code == ErrorCode::kTimeout) return sent.error();

  http::response_parser<http::string_body> parser;
  parser.eager(true);
  parser.body_limit(question.most_bytes);
  parser.header_limit(kHeaderBytes);
  std::string input;
  while (!parser.is_done()) {
    const Result<std::string_view> came = peer.Read(deadline);
    if (!came.ok()) return sent.ok() ? came.error() : sent.error();
    boost::system::error_code error;
    if (came.value().empty()) {
      // An end before anything came is none that the parser knows of.
      if (parser.got_some()) parser.put_eof(error);
      if (error || !parser.is_done()) {
        return Error{.code = ErrorCode::kMalformed,
                     .message = "the server closed the connection before its answer was complete"};
      }
      break;
    }
    input += came.value();
    while (!input.empty() && !parser.is_done()) {
      const std::size_t used = parser.put(boost::asio::buffer(input), error);
      input.erase(0, used);
      if (error == http::error::need_more) error = {};
      if (error) return Malformed(error, question.most_bytes);
      if (used == 0) break;
      // "100 Continue" is not asked for, and what informs only is not the answer.
      if (parser.is_done() && parser.get().result_int() < 200) {
        return Error{.code = ErrorCode::kMalformed, .message = "the server does not answer"};
      }
    }
  }
  auto message = parser.release();
  return HttpAnswer{.status = static_cast<int>(message.result_int()),
                    .body = std::move(message.body()),
                    .retry_after = std::string(message[http::field::retry_after])};
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
    if (is_plain) {
      encoded.push_back(c);
    } else {
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

}  // namespace sonde
