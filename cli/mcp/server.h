// Server: the methods of the Model Context Protocol, one message after the other.
// Protocol: https://modelcontextprotocol.io/specification

#ifndef SONDE_CLI_MCP_SERVER_H_
#define SONDE_CLI_MCP_SERVER_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/mcp/call.h"
#include "cli/mcp/tool.h"
#include "cli/mcp/workspace.h"

namespace sonde::cli::mcp {

// The codes of JSON-RPC that this server answers with; the last is its own.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParameters = -32602;
inline constexpr int kBusy = -32000;

// Tool calls use the workspace: one at a time. Everything else may be answered meanwhile, from any
// thread.
class Server {
 public:
  explicit Server(Workspace workspace);

  // The answer to a message; nothing for a notification.
  std::optional<nlohmann::json> Answer(const nlohmann::json& message, Call& call);

 private:
  nlohmann::json RunTool(const nlohmann::json& parameters, Call& call);
  nlohmann::json Initialize(const nlohmann::json& parameters) const;
  nlohmann::json ListTools(const nlohmann::json& parameters) const;

  Workspace workspace_;
  std::vector<Tool> tools_;
};

// Whether the message is a request to run a tool.
bool IsToolCall(const nlohmann::json& message);

nlohmann::json ErrorAnswer(const nlohmann::json& id, int code, const std::string& message);
// What is not UTF-8 becomes U+FFFD.
std::string OneLine(const nlohmann::json& message);

}  // namespace sonde::cli::mcp

#endif  // SONDE_CLI_MCP_SERVER_H_
