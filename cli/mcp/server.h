// Server: speaks the Model Context Protocol, one JSON message a line.
// Protocol: https://modelcontextprotocol.io/specification

#ifndef SONDE_CLI_MCP_SERVER_H_
#define SONDE_CLI_MCP_SERVER_H_

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mcp/tool.h"
#include "cli/mcp/workspace.h"

namespace sonde::cli::mcp {

// Not thread-safe.
class Server {
 public:
  explicit Server(Workspace workspace);

  // The answer to one line, as one line without its end; nothing for a notification.
  std::optional<std::string> Answer(std::string_view line);
  // Until the input ends. A line over 16 MiB is refused and skipped.
  void Serve(std::istream& in, std::ostream& out);

 private:
  nlohmann::json Call(const nlohmann::json& parameters);
  nlohmann::json Initialize(const nlohmann::json& parameters) const;
  nlohmann::json ListTools(const nlohmann::json& parameters) const;
  std::optional<nlohmann::json> Handle(const nlohmann::json& message);

  Workspace workspace_;
  std::vector<Tool> tools_;
};

}  // namespace sonde::cli::mcp

#endif  // SONDE_CLI_MCP_SERVER_H_
