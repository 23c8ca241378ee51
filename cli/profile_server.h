// ProfileServer: a running program that answers /debug/pprof/, asked for profiles and snapshots.

#ifndef SONDE_CLI_PROFILE_SERVER_H_
#define SONDE_CLI_PROFILE_SERVER_H_

#include <CLI/CLI.hpp>
#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde::cli {

// Not thread-safe.
class ProfileServer {
 public:
  // --token. `url` is bound by the caller: http://host:port, host:port or unix:/path.
  void AddTo(CLI::App& command);

  // The body of the answer to GET `target`, for which the server may take `span` and a while
  // longer. Where the URL names a path already, that one is asked for instead of `path`. Errors:
  // kUsage for the URL, kNotFound when nothing answers or the server has no such thing, kDenied
  // when it refuses, kTimeout (also when `stop` was asked), kInvalid.
  Result<std::string> Get(const std::string& url, std::string_view path, std::string_view query,
                          std::chrono::seconds span, const std::stop_token& stop = {}) const;
  // The same for a POST, with what the server wants to see of one that is no foreign page.
  Result<std::string> Post(const std::string& url, std::string_view path) const;

  // The files that asking reads.
  std::vector<std::string> inputs() const;

 private:
  Result<std::string> Ask(const std::string& url, const char* method, std::string_view path,
                          std::string_view query, std::chrono::seconds span,
                          const std::stop_token& stop) const;
  std::string token_;
  std::string authorities_;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_PROFILE_SERVER_H_
