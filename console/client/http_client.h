// HttpClient: asks a server over HTTP/1.1, one connection a request.

#ifndef SONDE_CONSOLE_CLIENT_HTTP_CLIENT_H_
#define SONDE_CONSOLE_CLIENT_HTTP_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "console/client/deadline.h"
#include "console/client/server_address.h"
#include "sonde/result.h"

namespace sonde {

struct HttpQuestion {
  std::string method = "GET";
  std::string target = "/";  // Path and query, encoded.
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
  std::string authorities{};  // PEM file of certificate authorities; empty: the system's.
  std::uint64_t most_bytes = std::uint64_t{256} << 20;  // Of the answer's body.
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::string retry_after;  // The header, as sent.
};

// Whatever the status is: it is no error here. Errors: kNotFound when nothing answers, kTimeout,
// kDenied for a certificate, kLimit for a body beyond the limit, kMalformed for what is no
// HTTP, kSystem. Any thread.
Result<HttpAnswer> AskHttp(const ServerAddress& address, const HttpQuestion& question,
                           const Deadline& deadline);

// "a b" as "a%20b": fit for a part of a query.
std::string PercentEncode(std::string_view text);

}  // namespace sonde

#endif  // SONDE_CONSOLE_CLIENT_HTTP_CLIENT_H_
