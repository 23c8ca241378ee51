// ServerAddress: where a server is, taken from a URL.

#ifndef SONDE_CONSOLE_CLIENT_SERVER_ADDRESS_H_
#define SONDE_CONSOLE_CLIENT_SERVER_ADDRESS_H_

#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde {

struct ServerAddress {
  std::string host;  // Without the brackets of an IPv6 address.
  std::string port;
  std::string unix_path;   // Not empty: the rest is not used.
  std::string path = "/";  // Of the URL, with its query.
  bool is_tls = false;

  // What the Host header says: without the port where it is the scheme's own.
  std::string Authority() const;
};

// http://host:port/path, https://host/path, host:port, unix:/path or file://localhost/path.
// `default_port` stands in where an http URL names none; https has 443. Fails with kUsage, also
// for a URL with a user name in it. Any thread.
Result<ServerAddress> ParseServerAddress(std::string_view url, std::string_view default_port);

}  // namespace sonde

#endif  // SONDE_CONSOLE_CLIENT_SERVER_ADDRESS_H_
