// LlmClient: one connection to a chat server, one question at a time.

#include "agentlog/llm_client.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <nlohmann/json.hpp>
#include <optional>

namespace sonde::agentlog {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::uint64_t kMaxReplyBytes = std::uint64_t{1} << 20;

bool IsLoopback(const std::string& host) {
  if (host == "localhost") return true;
  boost::system::error_code error;
  const asio::ip::address address = asio::ip::make_address(host, error);
  return !error && address.is_loopback();
}

}  // namespace

Result<LlmServer> ParseLlmUrl(std::string_view url, std::chrono::milliseconds timeout) {
  const auto bad = [&](const char* why) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "--llama-url '" + std::string(url) + "': " + why};
  };
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) return bad("is not http://HOST:PORT");
  std::string_view rest = url.substr(kScheme.size());
  LlmServer server{.host = {}, .port = "80", .path = {}, .timeout = timeout};
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  server.path = rest.substr(slash);
  while (server.path.ends_with('/')) server.path.pop_back();
  if (authority.find('@') != std::string_view::npos) return bad("holds a user");
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return bad("has no host");
    server.host = authority.substr(1, end - 1);
    authority.remove_prefix(end + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    server.host = authority.substr(0, colon);
    authority.remove_prefix(colon);
  }
  if (authority.starts_with(':')) server.port = authority.substr(1);
  if (server.port.empty() || server.port.size() > 5 ||
      server.port.find_first_not_of("0123456789") != std::string::npos) {
    return bad("has no port number");
  }
  if (!IsLoopback(server.host)) return bad("is not on this machine (127.0.0.1, ::1, localhost)");
  return server;
}

struct LlmClient::State {
  explicit State(const LlmServer& to) : server(to) {}

  // Runs what was started until it ends; the stream's own deadline ends it in time.
  void RunOut() {
    io.restart();
    io.run();
  }

  beast::error_code Connect() {
    beast::error_code outcome;
    asio::ip::tcp::resolver resolver(io);
    const auto endpoints = resolver.resolve(server.host, server.port, outcome);
    if (outcome) return outcome;
    stream.emplace(io);
    stream->expires_after(server.timeout);
    stream->async_connect(endpoints,
                          [&](beast::error_code error, const auto&) { outcome = error; });
    RunOut();
    if (outcome) stream.reset();
    return outcome;
  }

  beast::error_code Exchange(const std::string& body,
                             http::response_parser<http::string_body>& reply) {
    http::request<http::string_body> request(http::verb::post, server.path + "/v1/chat/completions",
                                             11);
    request.set(http::field::host, server.host + ':' + server.port);
    request.set(http::field::content_type, "application/json");
    request.set(http::field::accept, "application/json");
    request.keep_alive(true);
    request.body() = body;
    request.prepare_payload();
    beast::error_code outcome;
    stream->expires_after(server.timeout);
    http::async_write(*stream, request, [&](beast::error_code error, std::size_t) {
      outcome = error;
      if (error) return;
      http::async_read(*stream, buffer, reply,
                       [&](beast::error_code read_error, std::size_t) { outcome = read_error; });
    });
    RunOut();
    return outcome;
  }

  LlmServer server;
  asio::io_context io{1};
  std::optional<beast::tcp_stream> stream;
  beast::flat_buffer buffer;
};

LlmClient::LlmClient(const LlmServer& server) : state_(std::make_unique<State>(server)) {}
LlmClient::~LlmClient() = default;

Result<std::string> LlmClient::Post(const std::string& body) {
  State& state = *state_;
  // A connection kept open may have been closed by the server meanwhile: then once more.
  for (int attempt = 0;; ++attempt) {
    const bool is_fresh = !state.stream.has_value();
    beast::error_code error;
    if (is_fresh) error = state.Connect();
    http::response_parser<http::string_body> reply;
    reply.body_limit(kMaxReplyBytes);
    if (!error) error = state.Exchange(body, reply);
    if (!error) {
      if (!reply.keep_alive()) state.stream.reset();
      state.buffer.clear();
      if (reply.get().result_int() != 200) {
        return Error{.code = ErrorCode::kMalformed,
                     .message = "status " + std::to_string(reply.get().result_int())};
      }
      return std::move(reply.get().body());
    }
    state.stream.reset();
    state.buffer.clear();
    if (!is_fresh && attempt == 0 && error != beast::error::timeout) continue;
    return Error{.code = error == beast::error::timeout ? ErrorCode::kTimeout : ErrorCode::kSystem,
                 .message = error == beast::error::timeout ? "no answer in time" : error.message()};
  }
}

std::string TextOfReply(std::string_view text) {
  const nlohmann::json reply = nlohmann::json::parse(text, nullptr, false);
  if (!reply.is_object()) return {};
  const auto text_at = [](const nlohmann::json& object, const char* key) -> std::string {
    if (!object.is_object()) return {};
    const auto place = object.find(key);
    return place != object.end() && place->is_string() ? place->get<std::string>() : std::string();
  };
  const auto choices = reply.find("choices");
  if (choices != reply.end() && choices->is_array() && !choices->empty()) {
    const nlohmann::json& choice = choices->front();
    if (choice.is_object() && choice.contains("message")) {
      if (std::string content = text_at(choice["message"], "content"); !content.empty()) {
        return content;
      }
    }
    if (std::string plain = text_at(choice, "text"); !plain.empty()) return plain;
  }
  return text_at(reply, "content");
}

}  // namespace sonde::agentlog
