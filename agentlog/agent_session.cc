// TokenCounts, AgentCounts: sums over events and sessions.

#include "sonde/agent_session.h"

#include "agentlog/iso_time.h"

namespace sonde {
namespace {

void Add(std::uint64_t& sum, std::uint64_t value) noexcept {
  if (__builtin_add_overflow(sum, value, &sum)) sum = UINT64_MAX;
}

}  // namespace

std::string_view NameOf(AgentKind agent) noexcept {
  return agent == AgentKind::kCodex ? "codex" : "claude";
}

std::int64_t ParseAgentTime(std::string_view text) noexcept { return agentlog::ParseTime(text); }

TokenCounts& TokenCounts::operator+=(const TokenCounts& other) noexcept {
  Add(input, other.input);
  Add(cache_read, other.cache_read);
  Add(cache_creation, other.cache_creation);
  Add(cache_creation_5m, other.cache_creation_5m);
  Add(cache_creation_1h, other.cache_creation_1h);
  Add(output, other.output);
  Add(reasoning, other.reasoning);
  return *this;
}

std::uint64_t TokenCounts::Total() const noexcept {
  std::uint64_t total = input;
  for (const std::uint64_t part : {cache_read, cache_creation, output}) Add(total, part);
  return total;
}

AgentCounts& AgentCounts::operator+=(const AgentCounts& other) {
  user_prompts += other.user_prompts;
  agent_prompts += other.agent_prompts;
  slash_commands += other.slash_commands;
  bash_inputs += other.bash_inputs;
  interruptions += other.interruptions;
  queued_not_recorded += other.queued_not_recorded;
  llm_calls += other.llm_calls;
  api_errors += other.api_errors;
  compactions += other.compactions;
  server_tool_calls += other.server_tool_calls;
  for (const auto& [name, count] : other.tool_calls) tool_calls[name] += count;
  tool_calls_total += other.tool_calls_total;
  failed_tool_calls += other.failed_tool_calls;
  rejected_tool_calls += other.rejected_tool_calls;
  pending_tool_calls += other.pending_tool_calls;
  nested_tool_calls += other.nested_tool_calls;
  nested_failed += other.nested_failed;
  for (const auto& [name, counts] : other.models) models[name] += counts;
  tokens += other.tokens;
  return *this;
}

}  // namespace sonde
