// TokenKinds: the tokens of a call in kinds that do not overlap.

#ifndef SONDE_AGENTLOG_TOKEN_KINDS_H_
#define SONDE_AGENTLOG_TOKEN_KINDS_H_

#include <algorithm>
#include <cstdint>

#include "sonde/agent_session.h"

namespace sonde::agentlog {

// They add up to what the vendor bills, also where a log says more reasoning than output.
struct TokenKinds {
  std::uint64_t input = 0;
  std::uint64_t cache_read = 0;
  std::uint64_t cache_creation = 0;
  std::uint64_t output = 0;  // Without reasoning.
  std::uint64_t reasoning = 0;
};

inline TokenKinds TokenKindsOf(const TokenCounts& tokens) noexcept {
  const std::uint64_t reasoning = std::min(tokens.reasoning, tokens.output);
  return {tokens.input, tokens.cache_read, tokens.cache_creation, tokens.output - reasoning,
          reasoning};
}

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_TOKEN_KINDS_H_
