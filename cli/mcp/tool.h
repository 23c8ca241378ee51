// Tool: one thing that a coding agent can ask of the server.

#ifndef SONDE_CLI_MCP_TOOL_H_
#define SONDE_CLI_MCP_TOOL_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/mcp/arguments.h"
#include "cli/mcp/workspace.h"
#include "sonde/result.h"

namespace sonde::cli::mcp {

enum class Permission : std::uint8_t { kReadOnly, kWritesArtifacts, kActiveCollection };

struct Tool {
  std::string name;
  std::string description;
  Permission permission = Permission::kReadOnly;
  // Properties of the arguments' JSON Schema, and which of them are required.
  nlohmann::json properties = nlohmann::json::object();
  std::vector<std::string> required{};
  // JSON Schema of the structured result.
  nlohmann::json output_schema{};
  // Takes all of its arguments and calls Finish before it works.
  std::function<Result<nlohmann::json>(Workspace&, Arguments&)> run{};
};

// As tools/list shows it: schemas, annotations, and the permission under _meta.
nlohmann::json Describe(const Tool& tool);

// Pieces of schemas.
nlohmann::json TextSchema(const std::string& description);
nlohmann::json CountSchema(const std::string& description, std::uint64_t otherwise,
                           std::uint64_t least, std::uint64_t most);
nlohmann::json AddressSchema(const std::string& description);
nlohmann::json ObjectSchema(nlohmann::json properties, std::vector<std::string> required);
// {artifact_id, artifact_type, uri, summary}.
nlohmann::json ReferenceSchema();
// {analysis_id, items, total_items, next_cursor?}; items are objects.
nlohmann::json PageSchema();
// The same, the items being what the schema of docs/schemas called `artifact` defines as `item`.
nlohmann::json PageSchema(std::string_view artifact, const std::string& item);
// The schema of docs/schemas called `artifact`, fit for a tool.
nlohmann::json ArtifactSchema(std::string_view artifact);
// An object with one more set of definitions: that of `artifact`, for properties that refer to it.
nlohmann::json WithDefinitionsOf(std::string_view artifact, nlohmann::json schema);

inline constexpr std::uint64_t kLargestPage = 100;

// `items[cursor .. cursor + limit)` as a page; next_cursor only when more follows.
nlohmann::json Page(nlohmann::json items, std::uint64_t cursor, std::uint64_t limit);

std::vector<Tool> ProfileTools();
std::vector<Tool> ArtifactTools();
std::vector<Tool> EvidenceTools();
std::vector<Tool> BenchmarkTools();
std::vector<Tool> AgentTools();
std::vector<Tool> CollectionTools();
std::vector<Tool> LiveTools();

}  // namespace sonde::cli::mcp

#endif  // SONDE_CLI_MCP_TOOL_H_
