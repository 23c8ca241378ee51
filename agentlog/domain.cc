// Domains: the hosts that a text names, without port and user-info.

#include "agentlog/domain.h"

#include <algorithm>
#include <array>

#include "agentlog/frame_namer.h"
#include "agentlog/secret.h"

namespace sonde::agentlog {
namespace {

constexpr std::array kSchemes = std::to_array<std::string_view>(
    {"http", "https", "ftp", "sftp", "ssh", "git", "ws", "wss", "rsync"});
constexpr std::array kDatabaseSchemes =
    std::to_array<std::string_view>({"amqp", "amqps", "mariadb", "mongodb", "mongodb+srv", "mysql",
                                     "postgres", "postgresql", "redis", "rediss"});

char Lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool IsAlnum(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsIn(const auto& schemes, std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  if (lower.starts_with("git+")) lower.erase(0, 4);
  return std::find(schemes.begin(), schemes.end(), lower) != schemes.end();
}

// Of what stands behind "://".
std::optional<std::string> HostBehindScheme(std::string_view authority) {
  authority = authority.substr(0, authority.find_first_of(" \t\r\n\"'`<>"));
  // Its slashes would end the host in the middle of the key.
  if (HoldsBase64Key(authority.substr(0, 41)) && authority.find('@') == authority.npos) {
    return "redacted";
  }
  authority = authority.substr(0, authority.find_first_of("/?#\\"));
  // Only behind the user-info, which may hold any of these, do they end the host.
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) authority.remove_prefix(at + 1);
  return HostOfAuthority(authority.substr(0, authority.find_first_of("(){}|^,;*&!")));
}

}  // namespace

std::optional<std::string> HostOfAuthority(std::string_view authority) {
  authority = authority.substr(0, authority.find_first_of("/?#\\"));
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) authority.remove_prefix(at + 1);
  std::string host;
  if (!authority.empty() && authority.front() == '[') {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos || end < 3 || end > 46) return std::nullopt;
    for (const char c : authority.substr(1, end - 1)) {
      const char lower = Lower(c);
      const bool is_hex = (lower >= '0' && lower <= '9') || (lower >= 'a' && lower <= 'f');
      if (!is_hex && c != ':' && c != '.') return std::nullopt;
    }
    host = authority.substr(0, end + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    // What stands behind the colon of a cut-off user-info is no port.
    if (authority.substr(colon).find_first_not_of("0123456789", 1) != std::string_view::npos) {
      return std::nullopt;
    }
    host = authority.substr(0, colon);
    while (!host.empty() && host.back() == '.') host.pop_back();
    if (host.empty() || host.size() > 253 || !IsAlnum(host.front())) return std::nullopt;
    for (const char c : host) {
      const bool is_foreign = static_cast<unsigned char>(c) >= 0x80;
      if (!IsAlnum(c) && c != '-' && c != '.' && c != '_' && !is_foreign) return std::nullopt;
    }
  }
  host = WithoutSecretLabels(host);
  std::transform(host.begin(), host.end(), host.begin(), Lower);
  return host;
}

void AddDomain(std::vector<std::string>& domains, std::string domain) {
  const auto place = std::lower_bound(domains.begin(), domains.end(), domain);
  if (place == domains.end() || *place != domain) domains.insert(place, std::move(domain));
}

std::optional<std::string> HostOfUrl(std::string_view url) {
  const std::size_t mark = url.find("://");
  if (mark == std::string_view::npos) return std::nullopt;
  const std::string_view scheme = url.substr(0, mark);
  if (!IsIn(kSchemes, scheme) && !IsIn(kDatabaseSchemes, scheme)) return std::nullopt;
  return HostBehindScheme(url.substr(mark + 3));
}

std::vector<std::string> DomainsIn(std::string_view text) {
  std::vector<std::string> domains;
  std::size_t from = 0;
  while (true) {
    const std::size_t mark = text.find("://", from);
    if (mark == std::string_view::npos) return domains;
    from = mark + 3;
    std::size_t start = mark;
    while (start > 0 && mark - start < 16 && (IsAlnum(text[start - 1]) || text[start - 1] == '+')) {
      --start;
    }
    if (!IsIn(kSchemes, text.substr(start, mark - start))) continue;
    if (auto host = HostBehindScheme(text.substr(from))) AddDomain(domains, *std::move(host));
  }
}

}  // namespace sonde::agentlog
