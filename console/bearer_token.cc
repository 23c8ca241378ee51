// BearerToken: whether who asks knows the secret.

#include "console/bearer_token.h"

#include <cstddef>

namespace sonde {

bool SameSecret(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

bool BearsToken(std::string_view authorization, std::string_view token) noexcept {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() < kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower != kScheme[i]) return false;
  }
  return SameSecret(authorization.substr(kScheme.size()), token);
}

}  // namespace sonde
