// ArtifactTools: what was stored, as a list and as text.

#include <algorithm>

#include "cli/mcp/tool.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestTextPage = 65'536;

// A cut between the bytes of a character moves back to its start.
std::size_t WholeCharacters(std::string_view text, std::size_t end) {
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;
  }
  return end;
}

Result<json> ListArtifacts(Workspace& workspace, Arguments& arguments) {
  const std::uint64_t cursor = arguments.Count("cursor", 0, 0, UINT32_MAX);
  const std::uint64_t limit = arguments.Count("limit", 50, 1, kLargestPage);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  return Page(workspace.List(), cursor, limit);
}

Result<json> ReadArtifactPage(Workspace& workspace, Arguments& arguments) {
  const std::string id = arguments.Text("artifact_id");
  const std::string type = arguments.Text("artifact_type");
  const std::uint64_t offset = arguments.Count("offset", 0, 0, UINT64_MAX);
  const std::uint64_t limit = arguments.Count("limit", kLargestTextPage, 4, kLargestTextPage);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  const Result<std::string> text = workspace.LoadText(id, type);
  if (!text.ok()) return text.error();
  const std::size_t first =
      WholeCharacters(text.value(), std::min<std::uint64_t>(offset, text.value().size()));
  const std::size_t last =
      WholeCharacters(text.value(), std::min<std::uint64_t>(first + limit, text.value().size()));
  json page = {{"artifact_id", id},
               {"artifact_type", type},
               {"text", text.value().substr(first, last - first)},
               {"total_bytes", text.value().size()}};
  if (last < text.value().size()) page["next_offset"] = last;
  return page;
}

}  // namespace

std::vector<Tool> ArtifactTools() {
  std::vector<Tool> tools;
  tools.push_back(
      {.name = "list_artifacts",
       .description = "Artifacts that are in the artifact root.",
       .properties = {{"cursor", CountSchema("Index of the first item", 0, 0, UINT32_MAX)},
                      {"limit", CountSchema("Items", 50, 1, kLargestPage)}},
       .required = {},
       .output_schema = PageSchema(),
       .run = ListArtifacts});
  tools.push_back(
      {.name = "read_artifact_page",
       .description = "The JSON text of an artifact, page by page; pages end between characters.",
       .properties = {{"artifact_id", TextSchema("Id of the artifact")},
                      {"artifact_type", TextSchema("Type of the artifact")},
                      {"offset", CountSchema("First byte", 0, 0, UINT64_MAX)},
                      {"limit", CountSchema("Bytes", kLargestTextPage, 4, kLargestTextPage)}},
       .required = {"artifact_id", "artifact_type"},
       .output_schema = ObjectSchema({{"artifact_id", {{"type", "string"}}},
                                      {"artifact_type", {{"type", "string"}}},
                                      {"text", {{"type", "string"}}},
                                      {"next_offset", {{"type", "integer"}}},
                                      {"total_bytes", {{"type", "integer"}}}},
                                     {"artifact_id", "artifact_type", "text", "total_bytes"}),
       .run = ReadArtifactPage});
  return tools;
}

}  // namespace sonde::cli::mcp
