// ServerAddress: where a server is, taken from a URL.

#include "console/client/server_address.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace sonde {
namespace {

Error Usage(std::string message) {
  return {.code = ErrorCode::kUsage, .message = std::move(message)};
}

bool IsPort(std::string_view text) {
  std::uint16_t port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

std::string ServerAddress::Authority() const {
  if (!unix_path.empty()) return "localhost";
  const std::string name = host.find(':') == std::string::npos ? host : '[' + host + ']';
  return port == (is_tls ? "443" : "80") ? name : name + ':' + port;
}

Result<ServerAddress> ParseServerAddress(std::string_view url, std::string_view default_port) {
  ServerAddress address;
  for (const std::string_view prefix : {"unix:", "file://localhost"}) {
    if (!url.starts_with(prefix)) continue;
    address.unix_path = url.substr(prefix.size());
    return address;
  }
  const std::string whole(url);
  address.port = default_port;
  if (url.starts_with("http://")) {
    url.remove_prefix(7);
  } else if (url.starts_with("https://")) {
    url.remove_prefix(8);
    address.is_tls = true;
    address.port = "443";
  } else if (url.find("://") != std::string_view::npos) {
    return Usage("not an address that sonde can reach: " + whole);
  }
  const bool has_controls =
      std::ranges::any_of(url, [](char c) { return static_cast<unsigned char>(c) <= 0x20; });
  if (has_controls) return Usage("an address has no spaces: " + whole);
  if (const std::size_t end = url.find_first_of("/?"); end != std::string_view::npos) {
    address.path = url.substr(end);
    if (address.path.front() == '?') address.path.insert(0, 1, '/');
    url = url.substr(0, end);
  }
  if (url.find('@') != std::string_view::npos) {
    return Usage("an address holds no user name or password; they have options of their own");
  }
  address.host = url;
  const std::size_t colon = url.rfind(':');
  const bool is_inside_brackets =
      colon != std::string_view::npos && url.find(']', colon) != std::string_view::npos;
  if (colon != std::string_view::npos && !is_inside_brackets) {
    address.host = url.substr(0, colon);
    address.port = url.substr(colon + 1);
  }
  if (address.host.size() > 2 && address.host.front() == '[') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (address.host.empty() || !IsPort(address.port)) {
    return Usage("an address needs a host and a port: " + whole);
  }
  return address;
}

}  // namespace sonde
