// BearerToken: whether who asks knows the secret.

#ifndef SONDE_CONSOLE_BEARER_TOKEN_H_
#define SONDE_CONSOLE_BEARER_TOKEN_H_

#include <string_view>

namespace sonde {

// The same for all secrets of a length: does not tell by its time how much of them agrees.
bool SameSecret(std::string_view a, std::string_view b) noexcept;

// True when `authorization`, the value of that header, is "Bearer" in any case and `token`.
bool BearsToken(std::string_view authorization, std::string_view token) noexcept;

}  // namespace sonde

#endif  // SONDE_CONSOLE_BEARER_TOKEN_H_
