// CodexUsage: which token counters of a Codex thread are new calls, and what they cost.

#include "agentlog/codex_usage.h"

#include <algorithm>

#include "agentlog/hash.h"

namespace sonde::agentlog {
namespace {

// What was added between two readings of the running sum; nullopt when it fell.
std::optional<CodexCounters> Difference(const CodexCounters& now, const CodexCounters& before) {
  if (now.input < before.input || now.cached < before.cached || now.output < before.output ||
      now.reasoning < before.reasoning || now.cache_write < before.cache_write) {
    return std::nullopt;
  }
  CodexCounters added = now;
  added.input -= before.input;
  added.cached -= before.cached;
  added.cache_write -= before.cache_write;
  added.output -= before.output;
  added.reasoning -= before.reasoning;
  added.total = now.total >= before.total ? now.total - before.total : 0;
  return added;
}

}  // namespace

bool CodexCounters::SameCounts(const CodexCounters& other) const noexcept {
  return input == other.input && cached == other.cached && cache_write == other.cache_write &&
         output == other.output && reasoning == other.reasoning && total == other.total;
}

TokenCounts CodexCounters::Tokens() const noexcept {
  TokenCounts tokens;
  tokens.cache_read = std::min(cached, input);
  tokens.input = input - tokens.cache_read;
  tokens.cache_creation = cache_write;
  tokens.output = output;
  tokens.reasoning = reasoning;
  return tokens;
}

std::uint64_t CodexCounters::Key() const noexcept {
  if (!is_present) return 0;
  return Hash64()
      .Add(input)
      .Add(cached)
      .Add(cache_write)
      .Add(output)
      .Add(reasoning)
      .Add(total)
      .value();
}

std::optional<CodexCounters> CodexUsage::Take(const CodexTokenInfo& info) noexcept {
  const CodexCounters before = total_;
  if (info.total.is_present) {
    if (before.is_present && info.total.SameCounts(before)) return std::nullopt;
    total_ = info.total;
  }
  if (info.last.is_present) {
    if (info.last.IsEstimate()) return std::nullopt;
    return info.last;
  }
  if (!info.total.is_present) return std::nullopt;
  // A sum that fell belongs to a counter that began again at zero.
  const std::optional<CodexCounters> added =
      before.is_present ? Difference(info.total, before) : std::optional(info.total);
  const CodexCounters counters = added.value_or(info.total);
  if (counters.IsEstimate()) return std::nullopt;
  return counters;
}

}  // namespace sonde::agentlog
