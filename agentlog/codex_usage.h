// CodexUsage: which token counters of a Codex thread are new calls, and what they cost.

#ifndef SONDE_AGENTLOG_CODEX_USAGE_H_
#define SONDE_AGENTLOG_CODEX_USAGE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "sonde/agent_session.h"

namespace sonde::agentlog {

// As written: cached is a part of input, reasoning of output.
struct CodexCounters {
  bool is_present = false;
  bool is_odd = false;  // A count was none.
  std::uint64_t input = 0;
  std::uint64_t cached = 0;
  std::uint64_t cache_write = 0;
  std::uint64_t output = 0;
  std::uint64_t reasoning = 0;
  std::uint64_t total = 0;

  // Nothing but the total: an estimate of the context, not a call.
  bool IsEstimate() const noexcept {
    return input == 0 && cached == 0 && output == 0 && reasoning == 0;
  }
  bool SameCounts(const CodexCounters& other) const noexcept;
  TokenCounts Tokens() const noexcept;
  std::uint64_t Key() const noexcept;
};

struct CodexTokenInfo {
  CodexCounters last;
  CodexCounters total;
  std::string_view model{};
};

// The counters of one thread in one file, in the order of the file. Not thread-safe.
class CodexUsage {
 public:
  // What one token_count event adds; nullopt for a repeat, an estimate, or no usage at all.
  std::optional<CodexCounters> Take(const CodexTokenInfo& info) noexcept;

 private:
  CodexCounters total_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CODEX_USAGE_H_
