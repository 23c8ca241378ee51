// HttpTarget: the path and the parameters of a request.

#include "console/http_target.h"

#include <charconv>

namespace sonde {

std::string HostOf(std::string_view authority) {
  const bool is_bracketed = authority.starts_with('[');
  const std::size_t end = authority.find(is_bracketed ? ']' : ':');
  std::string_view host = authority.substr(0, end);
  std::string_view rest = end == std::string_view::npos ? "" : authority.substr(end);
  if (is_bracketed) {
    host.remove_prefix(1);
    if (rest.empty() || host.find(':') == std::string_view::npos) return {};
    rest.remove_prefix(1);
  }
  const std::string_view port = rest.substr(rest.empty() ? 0 : 1);
  if (!rest.empty() && rest.front() != ':') return {};
  if (port.find_first_not_of("0123456789") != std::string_view::npos) return {};
  std::string lower(host);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && text.size() - i > 2 &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      decoded.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return decoded;
}

HttpTarget HttpTarget::Parse(std::string_view target) {
  HttpTarget parsed;
  const std::size_t mark = target.find('?');
  parsed.path = PercentDecode(target.substr(0, mark), false);
  if (mark == std::string_view::npos) return parsed;
  std::string_view rest = target.substr(mark + 1);
  parsed.query = rest;
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view part = rest.substr(0, end);
    const std::size_t equals = part.find('=');
    parsed.parameters.emplace(PercentDecode(part.substr(0, equals), true),
                              equals == std::string_view::npos
                                  ? std::string()
                                  : PercentDecode(part.substr(equals + 1), true));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return parsed;
}

std::optional<std::int64_t> HttpTarget::Number(const std::string& name) const noexcept {
  std::string_view text = Parameter(name);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace sonde
