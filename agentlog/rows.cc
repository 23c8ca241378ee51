// CallRow, ToolRow, PromptRow, MarkRow: what is kept of a record: numbers, no text.

#include "agentlog/rows.h"

#include <algorithm>

namespace sonde::agentlog {

bool IsEarlier(std::int64_t a, std::int64_t b) noexcept {
  return a != kNoTime && (b == kNoTime || a < b);
}

TokenCounts Unpack(const CallRow& row, const WideTokens& wide) noexcept {
  if (row.is_wide != 0) return wide[row.tokens.input];
  TokenCounts tokens;
  tokens.input = row.tokens.input;
  tokens.cache_read = row.tokens.cache_read;
  tokens.cache_creation = row.tokens.cache_creation;
  tokens.output = row.tokens.output;
  tokens.reasoning = row.tokens.reasoning;
  if (row.is_split != 0) {
    tokens.cache_creation_1h = row.tokens.cache_creation_1h;
    tokens.cache_creation_5m = tokens.cache_creation - tokens.cache_creation_1h;
  }
  return tokens;
}

void Pack(const TokenCounts& tokens, CallRow& row, WideTokens& wide) {
  const bool is_split = tokens.cache_creation_5m != 0 || tokens.cache_creation_1h != 0;
  const bool adds_up = tokens.cache_creation_5m + tokens.cache_creation_1h == tokens.cache_creation;
  const std::uint64_t most = std::max(
      {tokens.input, tokens.cache_read, tokens.cache_creation, tokens.output, tokens.reasoning});
  row.tokens = {};
  row.is_wide = most > UINT32_MAX || (is_split && !adds_up) ? 1 : 0;
  row.is_split = is_split ? 1 : 0;
  if (row.is_wide != 0) {
    row.tokens.input = static_cast<std::uint32_t>(wide.size());
    wide.push_back(tokens);
    return;
  }
  row.tokens.input = static_cast<std::uint32_t>(tokens.input);
  row.tokens.cache_read = static_cast<std::uint32_t>(tokens.cache_read);
  row.tokens.cache_creation = static_cast<std::uint32_t>(tokens.cache_creation);
  row.tokens.cache_creation_1h = static_cast<std::uint32_t>(tokens.cache_creation_1h);
  row.tokens.output = static_cast<std::uint32_t>(tokens.output);
  row.tokens.reasoning = static_cast<std::uint32_t>(tokens.reasoning);
}

void MergeCall(CallRow& row, WideTokens& wide, const CallRow& copy, const WideTokens& copy_wide) {
  if (copy.rank > row.rank) return;
  const bool is_better = copy.rank < row.rank;
  const TokenCounts tokens = Unpack(copy, copy_wide);
  if (is_better || tokens.output >= Unpack(row, wide).output) {
    Pack(tokens, row, wide);
    row.model = copy.model;
    row.effort = copy.effort;
  }
  if (is_better || IsEarlier(copy.time_ns, row.time_ns)) {
    row.time_ns = copy.time_ns;
    row.thread = copy.thread;
  }
  row.rank = copy.rank;
  row.is_advisor = copy.is_advisor;
}

void MergeTool(ToolRow& row, const ToolRow& copy) noexcept {
  row.status = std::max<std::uint8_t>(row.status, copy.status) & 3U;
  if (IsEarlier(copy.end_ns, row.end_ns)) row.end_ns = copy.end_ns;
  const bool is_first_ask = copy.is_asked != 0 && row.is_asked == 0;
  const bool is_rival =
      copy.is_asked == row.is_asked &&
      (copy.rank < row.rank || (copy.rank == row.rank && IsEarlier(copy.time_ns, row.time_ns)));
  if (is_first_ask || is_rival) {
    row.time_ns = copy.time_ns;
    row.thread = copy.thread;
    row.place = copy.place;
    row.rank = copy.rank;
    if (copy.name != 0) row.name = copy.name;
    row.is_asked = copy.is_asked;
  }
  row.may_be_nested = row.may_be_nested | copy.may_be_nested;
  row.is_nested = row.is_nested & copy.is_nested;
}

void MergePrompt(PromptRow& row, const PromptRow& copy) noexcept {
  if (copy.rank > row.rank) return;
  if (copy.rank == row.rank && !IsEarlier(copy.time_ns, row.time_ns)) return;
  const std::uint64_t key = row.key;
  row = copy;
  row.key = key;
}

}  // namespace sonde::agentlog
