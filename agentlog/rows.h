// CallRow, ToolRow, PromptRow, MarkRow: what is kept of a record: numbers, no text.

#ifndef SONDE_AGENTLOG_ROWS_H_
#define SONDE_AGENTLOG_ROWS_H_

#include <cstdint>
#include <vector>

#include "agentlog/log_event.h"
#include "sonde/agent_session.h"

namespace sonde::agentlog {

// Token counts in half the space. What does not fit goes to a list beside.
struct PackedTokens {
  std::uint32_t input = 0;
  std::uint32_t cache_read = 0;
  std::uint32_t cache_creation = 0;
  std::uint32_t cache_creation_1h = 0;
  std::uint32_t output = 0;
  std::uint32_t reasoning = 0;
};

using WideTokens = std::vector<TokenCounts>;

struct CallRow {
  std::uint64_t key = 0;
  std::int64_t time_ns = kNoTime;  // Of the first record of the copy that owns it.
  PackedTokens tokens;
  std::uint32_t thread = 0;
  std::uint16_t model = 0;
  std::uint8_t effort = 0;
  std::uint8_t rank : 2 = 0;
  std::uint8_t is_advisor : 1 = 0;
  std::uint8_t is_split : 1 = 0;  // What is not kept one hour is kept five minutes.
  std::uint8_t is_wide : 1 = 0;   // `tokens.input` is a place in the WideTokens.
  std::uint8_t counts : 1 = 0;    // After the filter.
};
static_assert(sizeof(CallRow) == 48);

struct ToolRow {
  std::uint64_t key = 0;
  std::int64_t time_ns = kNoTime;
  std::int64_t end_ns = kNoTime;
  std::uint32_t place = 0;
  std::uint32_t thread = 0;
  std::uint16_t name = 0;
  std::uint8_t rank : 2 = 0;
  std::uint8_t status : 2 = 0;  // ToolStatus
  std::uint8_t is_asked : 1 = 0;
  std::uint8_t may_be_nested : 1 = 0;
  std::uint8_t is_nested : 1 = 0;
  std::uint8_t counts : 1 = 0;
};
static_assert(sizeof(ToolRow) == 40);

struct PromptRow {
  std::uint64_t key = 0;
  std::int64_t time_ns = kNoTime;
  std::uint32_t place = 0;
  std::uint32_t turn = 0;
  std::uint32_t thread = 0;
  std::uint8_t kind : 3 = 0;    // PromptKind
  std::uint8_t source : 2 = 0;  // PromptSource
  std::uint8_t rank : 2 = 0;
  std::uint8_t counts : 1 = 0;
};
static_assert(sizeof(PromptRow) == 32);

struct MarkRow {
  std::uint64_t key = 0;
  std::int64_t time_ns = kNoTime;
  std::uint32_t place = 0;
  std::uint32_t thread = 0;
  std::uint8_t kind = 0;  // MarkKind
  std::uint8_t counts = 0;
};

TokenCounts Unpack(const CallRow& row, const WideTokens& wide) noexcept;
void Pack(const TokenCounts& tokens, CallRow& row, WideTokens& wide);

// Takes into `row` what another copy of the same record adds. The best copy counts; among equal
// ones the call with the most output (the later one when equal), the earliest time and its thread.
void MergeCall(CallRow& row, WideTokens& wide, const CallRow& copy, const WideTokens& copy_wide);
void MergeTool(ToolRow& row, const ToolRow& copy) noexcept;
void MergePrompt(PromptRow& row, const PromptRow& copy) noexcept;

// Earlier, where no time is later than any.
bool IsEarlier(std::int64_t a, std::int64_t b) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_ROWS_H_
