// Call: what a tool call and the server that runs it tell each other meanwhile.

#ifndef SONDE_CLI_MCP_CALL_H_
#define SONDE_CLI_MCP_CALL_H_

#include <atomic>
#include <cstdint>
#include <stop_token>

namespace sonde::cli::mcp {

struct Call {
  // Asked once nobody wants the answer any more: the tool ends what it started, and returns.
  std::stop_token stop{};
  // Set by a tool that knows how long it will take; 0 = it does not.
  std::atomic<std::uint64_t> expected_ms{0};
};

}  // namespace sonde::cli::mcp

#endif  // SONDE_CLI_MCP_CALL_H_
