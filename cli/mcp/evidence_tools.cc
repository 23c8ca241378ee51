// EvidenceTools: candidates, reports, source and ELF evidence, and comparisons of profiles.

#include "cli/mcp/tool.h"
#include "sonde/artifact.h"
#include "sonde/diagnosis.h"
#include "sonde/elf_inspection.h"
#include "sonde/profile_comparison.h"
#include "sonde/source_resolution.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

// One resolution, of the two forms that the artifact has.
json ResolutionSchema() {
  json schema = ArtifactSchema("source-resolution");
  json one = schema["$defs"]["resolution"];
  one["$defs"] = std::move(schema["$defs"]);
  return one;
}

Result<json> DiagnosisOf(Workspace& workspace, const std::string& analysis_id) {
  const Result<std::shared_ptr<const Analysis>> analysis = workspace.LoadAnalysis(analysis_id);
  if (!analysis.ok()) return analysis.error();
  return Diagnose(*analysis.value());
}

Result<json> Classify(Workspace& workspace, Arguments& arguments) {
  const std::string id = arguments.Text("analysis_id");
  const std::uint64_t cursor = arguments.Count("cursor", 0, 0, UINT32_MAX);
  const std::uint64_t limit = arguments.Count("limit", 30, 1, kLargestPage);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  Result<json> diagnosis = DiagnosisOf(workspace, id);
  if (!diagnosis.ok()) return diagnosis.error();
  json page = Page(diagnosis.value()["classifications"], cursor, limit);
  page["analysis_id"] = id;
  return page;
}

Result<json> BuildBundle(Workspace& workspace, Arguments& arguments) {
  const std::string id = arguments.Text("analysis_id");
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  const Result<json> diagnosis = DiagnosisOf(workspace, id);
  if (!diagnosis.ok()) return diagnosis.error();
  return workspace.Store(
      "diagnosis-" + id, "diagnosis", diagnosis.value(),
      {{"status", diagnosis.value()["status"]},
       {"classification_count", diagnosis.value()["classifications"].size()},
       {"missing_evidence_count", diagnosis.value()["missing_evidence"].size()}});
}

Result<json> Report(Workspace& workspace, Arguments& arguments) {
  const std::string id = arguments.Text("analysis_id");
  ReportText text;
  text.problem = arguments.Text("problem", text.problem);
  text.metric = arguments.Text("metric", text.metric);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  const Result<std::shared_ptr<const Analysis>> analysis = workspace.LoadAnalysis(id);
  if (!analysis.ok()) return analysis.error();
  const Result<json> diagnosis = Diagnose(*analysis.value());
  if (!diagnosis.ok()) return diagnosis.error();
  return json{{"analysis_id", id},
              {"markdown", ReportMarkdown(*analysis.value(), diagnosis.value(), text)}};
}

Result<json> CompareStoredAnalyses(Workspace& workspace, Arguments& arguments) {
  const std::string before_id = arguments.Text("baseline_analysis_id");
  const std::string after_id = arguments.Text("candidate_analysis_id");
  const double threshold = arguments.Number("minimum_delta_percent", 1.0);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  const Result<std::shared_ptr<const Analysis>> before = workspace.LoadAnalysis(before_id);
  if (!before.ok()) return before.error();
  const Result<std::shared_ptr<const Analysis>> after = workspace.LoadAnalysis(after_id);
  if (!after.ok()) return after.error();
  const json comparison = CompareAnalyses(*before.value(), *after.value(), threshold);
  return workspace.Store(comparison["comparison_id"], "profile-comparison", comparison,
                         {{"comparable", comparison["comparable"]},
                          {"hotspot_delta_count", comparison["hotspot_deltas"].size()},
                          {"call_path_delta_count", comparison["call_path_deltas"].size()}});
}

Result<json> Inspect(Workspace& workspace, Arguments& arguments) {
  const std::string path = arguments.Text("path");
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  const Result<std::string> input = workspace.Input(path);
  if (!input.ok()) return input.error();
  return InspectElf(input.value());
}

Result<json> Resolve(Workspace& workspace, Arguments& arguments) {
  const std::string path = arguments.Text("binary_path");
  const bool by_offset = arguments.Has("module_offset");
  const std::uint64_t offset = arguments.Address("module_offset");
  const std::uint64_t runtime = arguments.Address("runtime_address");
  const std::string mapping = arguments.Text("mapping", "");
  const std::string wanted = arguments.Text("resolver", "native");
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  SourceResolver::Tool tool = SourceResolver::Tool::kNative;
  if (wanted != "native") {
    if (wanted == "llvm-symbolizer") {
      tool = SourceResolver::Tool::kLlvmSymbolizer;
    } else if (wanted == "addr2line") {
      tool = SourceResolver::Tool::kAddr2line;
    } else {
      return Error{.code = ErrorCode::kUsage, .message = "no resolver " + wanted, .stage = "mcp"};
    }
    if (Status status = workspace.NeedProcesses(); !status.ok()) return status.error();
  }
  const Result<std::string> input = workspace.Input(path);
  if (!input.ok()) return input.error();
  Result<SourceResolver> resolver =
      SourceResolver::Open(input.value(), tool, {}, arguments.call().stop);
  if (!resolver.ok()) return resolver.error();
  if (by_offset) return resolver.value().Resolve(offset);
  if (mapping.empty()) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "give module_offset, or runtime_address with the mapping it lay in",
                 .stage = "symbolization"};
  }
  const Result<MappedRange> range = ParseMappedRange(mapping);
  if (!range.ok()) return range.error();
  return resolver.value().ResolveRuntime(runtime, range.value());
}

Result<json> Context(Workspace& workspace, Arguments& arguments) {
  SourceContextOptions options;
  const std::string file = arguments.Text("file");
  options.line = arguments.Count("line", 1, 1, UINT32_MAX);
  const std::string root = arguments.Text("workspace_root");
  options.before = arguments.Count("before", 20, 0, 200);
  options.after = arguments.Count("after", 20, 0, 200);
  const std::vector<std::string> maps = arguments.Texts("map");
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  const Result<std::string> folder = workspace.Input(root, true);
  if (!folder.ok()) return folder.error();
  options.workspace = folder.value();
  for (const std::string& map : maps) {
    const std::size_t equals = map.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{
          .code = ErrorCode::kUsage, .message = "map takes FROM=TO, not " + map, .stage = "mcp"};
    }
    options.mappings.emplace_back(map.substr(0, equals), map.substr(equals + 1));
  }
  return ReadSourceContext(file, options);
}

}  // namespace

std::vector<Tool> EvidenceTools() {
  const json analysis_id = TextSchema("Id that analyze_profile returned");
  std::vector<Tool> tools;
  tools.push_back({.name = "classify_hotspots",
                   .description = "Rule hits on hotspots. Each is a candidate with what speaks "
                                  "against it and what is missing; none is a cause.",
                   .properties = {{"analysis_id", analysis_id},
                                  {"cursor", CountSchema("Index of the first", 0, 0, UINT32_MAX)},
                                  {"limit", CountSchema("Items", 30, 1, kLargestPage)}},
                   .required = {"analysis_id"},
                   .output_schema = PageSchema("diagnosis", "classification"),
                   .run = Classify});
  tools.push_back({.name = "build_diagnosis_bundle",
                   .description = "Store all candidates of an analysis as an artifact.",
                   .permission = Permission::kWritesArtifacts,
                   .properties = {{"analysis_id", analysis_id}},
                   .required = {"analysis_id"},
                   .output_schema = ReferenceSchema(),
                   .run = BuildBundle});
  tools.push_back({.name = "report",
                   .description = "The report of an analysis for people, as Markdown.",
                   .properties = {{"analysis_id", analysis_id},
                                  {"problem", TextSchema("What was observed")},
                                  {"metric", TextSchema("What is to improve")}},
                   .required = {"analysis_id"},
                   .output_schema = ObjectSchema(
                       {{"analysis_id", {{"type", "string"}}}, {"markdown", {{"type", "string"}}}},
                       {"analysis_id", "markdown"}),
                   .run = Report});
  tools.push_back({.name = "compare_profiles",
                   .description = "How two analyses differ, and what of it chance explains.",
                   .permission = Permission::kWritesArtifacts,
                   .properties = {{"baseline_analysis_id", analysis_id},
                                  {"candidate_analysis_id", analysis_id},
                                  {"minimum_delta_percent",
                                   {{"type", "number"}, {"minimum", 0}, {"default", 1.0}}}},
                   .required = {"baseline_analysis_id", "candidate_analysis_id"},
                   .output_schema = ReferenceSchema(),
                   .run = CompareStoredAnalyses});
  tools.push_back({.name = "inspect_elf",
                   .description = "What a program or library tells about its own code.",
                   .properties = {{"path", TextSchema("ELF file inside an allowed root")}},
                   .required = {"path"},
                   .output_schema = ArtifactSchema("elf"),
                   .run = Inspect});
  tools.push_back({.name = "resolve_source",
                   .description =
                       "Functions and source lines of an address. A runtime address needs the "
                       "mapping it lay in; it is never guessed.",
                   .properties = {{"binary_path", TextSchema("ELF file inside an allowed root")},
                                  {"module_offset", AddressSchema("Address as the file counts")},
                                  {"runtime_address", AddressSchema("Address in a process")},
                                  {"mapping", TextSchema("START-END@OFFSET, hexadecimal")},
                                  {"resolver",
                                   {{"type", "string"},
                                    {"enum", {"native", "llvm-symbolizer", "addr2line"}},
                                    {"default", "native"},
                                    {"description", "Anything but native runs another program"}}}},
                   .required = {"binary_path"},
                   .output_schema = ResolutionSchema(),
                   .run = Resolve});
  tools.push_back({.name = "get_source_context",
                   .description = "Source lines around a place, from inside a workspace.",
                   .properties = {{"file", TextSchema("Source file")},
                                  {"line", CountSchema("Line, from 1", 1, 1, UINT32_MAX)},
                                  {"workspace_root", TextSchema("Folder inside an allowed root")},
                                  {"before", CountSchema("Lines before", 20, 0, 200)},
                                  {"after", CountSchema("Lines after", 20, 0, 200)},
                                  {"map",
                                   {{"type", "array"},
                                    {"items", {{"type", "string"}}},
                                    {"description",
                                     "FROM=TO: where a build path lies here; the first that "
                                     "fits"}}}},
                   .required = {"file", "line", "workspace_root"},
                   .output_schema = ArtifactSchema("source-context"),
                   .run = Context});
  return tools;
}

}  // namespace sonde::cli::mcp
