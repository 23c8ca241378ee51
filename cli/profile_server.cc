// ProfileServer: a running program that answers /debug/pprof/, asked for profiles and snapshots.

#include "cli/profile_server.h"

#include <utility>

#include "console/client/http_client.h"

namespace sonde::cli {
namespace {

constexpr std::chrono::seconds kBeyondTheSpan{30};  // Beyond the span itself.
constexpr std::size_t kLongestReason = 300;

// What the server said, on one line.
Error Refused(const HttpAnswer& answer, const std::string& url) {
  ErrorCode code = ErrorCode::kInvalid;
  if (answer.status == 401 || answer.status == 403) code = ErrorCode::kDenied;
  if (answer.status == 404) code = ErrorCode::kNotFound;
  std::string reason = answer.body.substr(0, std::min(answer.body.find('\n'), kLongestReason));
  if (reason.starts_with('<')) reason.clear();
  return {.code = code,
          .message = "the server answers " + std::to_string(answer.status) +
                     (reason.empty() ? "" : ": " + reason),
          .file = url};
}

}  // namespace

void ProfileServer::AddTo(CLI::App& command) {
  command.add_option("--token", token_, "Secret that the program asks for")->envname("SONDE_TOKEN");
  command.add_option("--ca-file", authorities_,
                     "Certificate authorities for https, instead of the system's");
}

std::vector<std::string> ProfileServer::inputs() const {
  return authorities_.empty() ? std::vector<std::string>() : std::vector{authorities_};
}

Result<std::string> ProfileServer::Get(const std::string& url, std::string_view path,
                                       std::string_view query, std::chrono::seconds span,
                                       const std::stop_token& stop) const {
  return Ask(url, "GET", path, query, span, stop);
}

Result<std::string> ProfileServer::Post(const std::string& url, std::string_view path) const {
  return Ask(url, "POST", path, {}, {}, {});
}

Result<std::string> ProfileServer::Ask(const std::string& url, const char* method,
                                       std::string_view path, std::string_view query,
                                       std::chrono::seconds span,
                                       const std::stop_token& stop) const {
  const Result<ServerAddress> address = ParseServerAddress(url, "6060");
  if (!address.ok()) return address.error();
  HttpQuestion question{.method = method, .authorities = authorities_};
  question.target = address.value().path == "/" ? path : std::string_view(address.value().path);
  if (!query.empty()) {
    question.target += question.target.find('?') == std::string::npos ? '?' : '&';
    question.target += query;
  }
  // Shows the server that no page of another origin asks.
  question.headers.emplace_back("x-sonde-request", "1");
  if (!token_.empty()) question.headers.emplace_back("authorization", "Bearer " + token_);
  Deadline deadline(span + kBeyondTheSpan);
  const std::stop_callback ending(stop, [&] { deadline.BringForward({}); });
  Result<HttpAnswer> answer = AskHttp(address.value(), question, deadline);
  if (!answer.ok()) return InFile(answer.error(), url);
  if (answer.value().status != 200) return Refused(answer.value(), url);
  return std::move(answer.value().body);
}

}  // namespace sonde::cli
