// Tool: one thing that a coding agent can ask of the server.

#include "cli/mcp/tool.h"

#include <algorithm>

#include "cli/schemas.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

const char* NameOf(Permission permission) {
  switch (permission) {
    case Permission::kReadOnly:
      return "READ_ONLY";
    case Permission::kWritesArtifacts:
      return "WRITES_ARTIFACTS";
    case Permission::kActiveCollection:
      return "ACTIVE_COLLECTION";
  }
  return "READ_ONLY";
}

}  // namespace

json Describe(const Tool& tool) {
  return {{"name", tool.name},
          {"description", tool.description},
          {"inputSchema", ObjectSchema(tool.properties, tool.required)},
          {"outputSchema", tool.output_schema},
          {"annotations",
           {{"readOnlyHint", tool.permission == Permission::kReadOnly},
            {"destructiveHint", tool.permission == Permission::kActiveCollection},
            {"idempotentHint", tool.permission != Permission::kActiveCollection},
            {"openWorldHint", false}}},
          {"_meta", {{"sonde/permission", NameOf(tool.permission)}}}};
}

json TextSchema(const std::string& description) {
  return {{"type", "string"}, {"description", description}};
}

json CountSchema(const std::string& description, std::uint64_t otherwise, std::uint64_t least,
                 std::uint64_t most) {
  return {{"type", "integer"},
          {"description", description},
          {"default", otherwise},
          {"minimum", least},
          {"maximum", most}};
}

json AddressSchema(const std::string& description) {
  return {{"type", {"integer", "string"}},
          {"description", description + ", as a number or as text like 0x1474"},
          {"minimum", 0},
          {"maximum", UINT64_MAX}};
}

json ObjectSchema(json properties, std::vector<std::string> required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

json ReferenceSchema() {
  json summary = {{"type", "object"}};
  return ObjectSchema({{"schema_version", {{"type", "string"}}},
                       {"artifact_id", {{"type", "string"}}},
                       {"artifact_type", {{"type", "string"}}},
                       {"uri", {{"type", "string"}}},
                       {"summary", summary}},
                      {"schema_version", "artifact_id", "artifact_type", "uri", "summary"});
}

json PageSchema() {
  return ObjectSchema({{"analysis_id", {{"type", "string"}}},
                       {"symbol", {{"type", "string"}}},
                       {"items", {{"type", "array"}, {"items", {{"type", "object"}}}}},
                       {"total_items", {{"type", "integer"}}},
                       {"next_cursor", {{"type", "integer"}}}},
                      {"items", "total_items"});
}

json ArtifactSchema(std::string_view artifact) {
  json schema = json::parse(SchemaText(artifact));
  schema.erase("$schema");
  return schema;
}

json WithDefinitionsOf(std::string_view artifact, json schema) {
  schema["$defs"].update(ArtifactSchema(artifact)["$defs"]);
  return schema;
}

json PageSchema(std::string_view artifact, const std::string& item) {
  json schema = PageSchema();
  schema["properties"]["items"]["items"] = {{"$ref", "#/$defs/" + item}};
  return WithDefinitionsOf(artifact, std::move(schema));
}

json Page(json items, std::uint64_t cursor, std::uint64_t limit) {
  const std::uint64_t total = items.size();
  const std::uint64_t first = std::min(cursor, total);
  const std::uint64_t last = std::min(first + limit, total);
  json shown = json::array();
  for (std::uint64_t i = first; i < last; ++i) shown.push_back(std::move(items[i]));
  json page = {{"items", std::move(shown)}, {"total_items", total}};
  if (last < total) page["next_cursor"] = last;
  return page;
}

}  // namespace sonde::cli::mcp
