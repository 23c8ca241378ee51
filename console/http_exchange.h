// HttpExchange: one HTTP request and the way to answer it, whatever the version of HTTP.

#ifndef SONDE_CONSOLE_HTTP_EXCHANGE_H_
#define SONDE_CONSOLE_HTTP_EXCHANGE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sonde {

struct HttpRequest {
  std::string method;
  std::string target;     // Path and query, as sent.
  std::string authority;  // The Host header, or what stands for it in HTTP/2.
  std::vector<std::pair<std::string, std::string>> headers{};  // Names in lower case.
  std::string body{};
  bool over_unix_socket = false;

  // The first header called `name` (lower case); empty when there is none.
  std::string_view Header(std::string_view name) const noexcept {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

struct HttpResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers{};  // Names in lower case.
  std::string body{};
};

// Answer once: either Respond, or Begin, Write... and End. Used by the server's thread only;
// after the peer is gone all calls do nothing.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  virtual void Respond(HttpResponse response) = 0;
  // A response whose body is not known yet: response.body is its first part.
  virtual void Begin(HttpResponse response) = 0;
  // False when the peer reads too slowly: 1 MiB is waiting already.
  virtual bool Write(std::string_view bytes) = 0;
  virtual void End() = 0;
  virtual bool is_closed() const = 0;

  // Called once, when the peer is gone or the answer is complete.
  std::function<void()> on_closed;
};

using HttpHandler = std::function<void(const HttpRequest&, const std::shared_ptr<HttpExchange>&)>;

}  // namespace sonde

#endif  // SONDE_CONSOLE_HTTP_EXCHANGE_H_
