// Http1Reader: takes the requests out of the bytes of a connection, and refuses what is ambiguous.

#include "console/http1_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cctype>
#include <utility>

namespace sonde {
namespace {

namespace http = boost::beast::http;

// "http://host/path" as a proxy would be asked: the authority, which then counts instead of Host,
// is taken out of `target`.
bool TakeAbsoluteForm(std::string& target, std::string& authority) {
  constexpr std::string_view kScheme = "http://";
  const std::string_view text = target;
  if (!boost::beast::iequals(text.substr(0, kScheme.size()), kScheme)) return false;
  const std::size_t end = std::min(text.find_first_of("/?", kScheme.size()), text.size());
  authority = text.substr(kScheme.size(), end - kScheme.size());
  std::string path(text.substr(end));
  if (!path.starts_with('/')) path.insert(path.begin(), '/');
  target = std::move(path);
  return true;
}

}  // namespace

struct Http1Reader::Parser : http::request_parser<http::string_body> {};

Http1Reader::Http1Reader(std::size_t header_bytes, std::size_t body_bytes)
    : header_bytes_(header_bytes), body_bytes_(body_bytes) {
  Begin();
}

Http1Reader::~Http1Reader() = default;

void Http1Reader::Begin() {
  parser_ = std::make_unique<Parser>();
  parser_->body_limit(body_bytes_);
  parser_->header_limit(static_cast<std::uint32_t>(header_bytes_));
  request_ = {};
  has_header_ = false;
  header_used_ = 0;
}

bool Http1Reader::has_begun() const { return parser_->got_some(); }

Http1Reader::State Http1Reader::Refuse(int status, std::string reason) {
  refusal_ = {.status = status,
              .headers = {{"content-type", "text/plain; charset=utf-8"}},
              .body = std::move(reason) + "\n"};
  keeps_alive_ = false;
  return State::kRefused;
}

Http1Reader::State Http1Reader::Read(std::string& input) {
  while (!input.empty()) {
    // The parser takes for granted that the last chunk, "0" and two ends of lines, comes whole.
    constexpr std::size_t kLastChunk = 5;
    const bool may_be_last = has_header_ && parser_->chunked() && input.front() == '0';
    if (may_be_last && input.size() < kLastChunk) break;
    boost::system::error_code error;
    const std::size_t used = parser_->put(boost::asio::buffer(input), error);
    input.erase(0, used);
    if (error && error != http::error::need_more) {
      const int status = error == http::error::header_limit  ? 431
                         : error == http::error::body_limit  ? 413
                         : error == http::error::bad_version ? 505
                                                             : 400;
      return Refuse(status, error.message());
    }
    // The parser's own limit depends on how the bytes come.
    if (!has_header_) {
      header_used_ += used;
      const std::size_t begun = parser_->is_header_done() ? 0 : input.size();
      if (header_used_ + begun > header_bytes_) return Refuse(431, "the header is too long");
    }
    if (!has_header_ && parser_->is_header_done()) {
      has_header_ = true;
      parser_->eager(true);  // From here on: what the header says of the body is looked at first.
      if (!TakeHeader()) return State::kRefused;
      if (!parser_->is_done() && knows_chunks_ && !request_.Header("expect").empty()) {
        return State::kExpectsContinue;
      }
    }
    if (parser_->is_done()) return State::kWhole;
    if (used != 0) continue;
    // What waits behind a header is the head of a chunk, or fields that come behind the body.
    if (has_header_ && input.size() > header_bytes_) return Refuse(431, "the trailer is too long");
    break;
  }
  return State::kNeedsMore;
}

// The header alone: fields that come behind a body in chunks are no part of it.
bool Http1Reader::TakeHeader() {
  const auto& header = parser_->get().base();
  const bool is_http10 = header.version() == 10;
  const auto refuse = [this](int status, const char* reason) {
    return Refuse(status, reason) != State::kRefused;
  };
  if (!is_http10 && header.version() != 11) return refuse(505, "only HTTP/1.0 and HTTP/1.1");

  request_.method = std::string(header.method_string());
  request_.target = std::string(header.target());
  const bool is_absolute = TakeAbsoluteForm(request_.target, request_.authority);
  if (!request_.target.starts_with('/') && request_.target != "*") {
    return refuse(400, "the target is no path");
  }
  std::size_t hosts = 0;
  std::size_t encodings = 0;
  for (const auto& field : header) {
    std::string name(field.name_string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::string value(field.value());
    if (name == "host" && ++hosts == 1 && !is_absolute) request_.authority = value;
    if (name == "transfer-encoding") {
      if (++encodings > 1 || is_http10 || !boost::beast::iequals(value, "chunked")) {
        return refuse(501, "the only transfer coding is chunked, once");
      }
    }
    if (name == "expect" && !boost::beast::iequals(value, "100-continue")) {
      return refuse(417, "only 100-continue can be expected");
    }
    request_.headers.emplace_back(std::move(name), std::move(value));
  }
  if (hosts > 1 || (hosts == 0 && !is_http10)) return refuse(400, "there must be one Host header");

  keeps_alive_ = !is_http10 && parser_->get().keep_alive();
  knows_chunks_ = !is_http10;
  return true;
}

HttpRequest Http1Reader::Take() {
  HttpRequest request = std::move(request_);
  request.body = std::move(parser_->get().body());
  Begin();
  return request;
}

}  // namespace sonde
