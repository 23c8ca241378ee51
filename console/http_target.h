// HttpTarget: the path and the parameters of a request.

#ifndef SONDE_CONSOLE_HTTP_TARGET_H_
#define SONDE_CONSOLE_HTTP_TARGET_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace sonde {

struct HttpTarget {
  std::string path;                               // Decoded.
  std::string query;                              // As sent, without the question mark.
  std::map<std::string, std::string> parameters;  // Decoded; the first of each name.

  static HttpTarget Parse(std::string_view target);

  std::string_view Parameter(const std::string& name) const noexcept {
    const auto found = parameters.find(name);
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
  }
  // nullopt when it is missing or no whole number.
  std::optional<std::int64_t> Number(const std::string& name) const noexcept;
};

// The host in "host", "host:port" or "[host]:port", in lower case and without brackets; empty when
// `authority` has any other form.
std::string HostOf(std::string_view authority);

// "%20" and, for parameters, "+" become a space. What is no escape stays.
std::string PercentDecode(std::string_view text, bool plus_is_space);

}  // namespace sonde

#endif  // SONDE_CONSOLE_HTTP_TARGET_H_
