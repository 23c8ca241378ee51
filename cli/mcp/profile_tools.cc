// ProfileTools: analyse a profile, read what it shows page by page, and draw it.

#include <algorithm>
#include <array>

#include "cli/mcp/tool.h"
#include "sonde/artifact.h"
#include "sonde/call_tree.h"
#include "sonde/diagnosis.h"
#include "sonde/flame_graph.h"
#include "sonde/formats.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

// What an analysis may be held to, by the names that the command line has.
struct NamedLimit {
  const char* name;
  std::uint64_t AnalysisLimits::*member;
  std::uint64_t least;
  const char* description;
};

constexpr std::uint64_t kLargestLimit = std::uint64_t{1} << 40;
constexpr std::array<NamedLimit, 9> kLimits{
    {{"max_input_bytes", &AnalysisLimits::max_input_bytes, 1, "Largest input"},
     {"max_records", &AnalysisLimits::max_records, 1, "Most records"},
     {"max_line_chars", &AnalysisLimits::max_line_chars, 16, "Longest line; longer is skipped"},
     {"max_stack_depth", &AnalysisLimits::max_stack_depth, 1, "Deepest stack; deeper is skipped"},
     {"max_unique_frames", &AnalysisLimits::max_unique_frames, 1, "Most distinct frames"},
     {"max_unique_call_paths", &AnalysisLimits::max_unique_call_paths, 1,
      "Most distinct call paths"},
     {"max_warnings", &AnalysisLimits::max_warnings, 0, "Warnings kept"},
     {"top_n", &AnalysisLimits::max_hotspots_output, 1, "Hotspots kept"},
     {"call_path_limit", &AnalysisLimits::max_call_paths_output, 1, "Call paths kept"}}};

json AnalyzeProperties() {
  json properties = {{"path", TextSchema("Profile inside an allowed root")},
                     {"source_type", TextSchema("auto, or the format's name")},
                     {"event", TextSchema("Event to put first")}};
  const AnalysisLimits usual;
  for (const NamedLimit& limit : kLimits) {
    properties[limit.name] =
        CountSchema(limit.description, usual.*limit.member, limit.least, kLargestLimit);
  }
  return properties;
}

json FindIn(const json& list, const char* key, const std::string& value) {
  for (const json& item : list) {
    if (item[key] == value) return item;
  }
  return {};
}

json ListOf(const char* definition) {
  return {{"type", "array"}, {"items", {{"$ref", std::string("#/$defs/") + definition}}}};
}

Error NoHotspot(const std::string& id) {
  return {.code = ErrorCode::kNotFound, .message = "no hotspot " + id, .stage = "mcp"};
}

Result<json> AnalyzeProfileTool(Workspace& workspace, Arguments& arguments) {
  AnalysisOptions options;
  const std::string path = arguments.Text("path");
  std::string type = arguments.Text("source_type", "auto");
  options.event = arguments.Text("event", "");
  for (const NamedLimit& limit : kLimits) {
    std::uint64_t& value = options.limits.*limit.member;
    value = arguments.Count(limit.name, value, limit.least, kLargestLimit);
  }
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (Status status = workspace.NeedWrites(); !status.ok()) return status.error();
  const Result<std::string> input = workspace.Input(path);
  if (!input.ok()) return input.error();
  std::replace(type.begin(), type.end(), '_', '-');
  if (type != "auto") options.format = type;
  if (workspace.NeedProcesses().ok()) options.perf_path = workspace.options().perf_path;
  options.stop = arguments.call().stop;
  const Result<Analysis> analysis = AnalyzeFile(input.value(), options);
  if (!analysis.ok()) return analysis.error();
  return workspace.StoreAnalysis(analysis.value());
}

Result<json> ListHotspots(Workspace& workspace, Arguments& arguments) {
  const std::string id = arguments.Text("analysis_id");
  const std::string order = arguments.Text("sort_by", "self_percent");
  const std::uint64_t cursor = arguments.Count("cursor", 0, 0, UINT32_MAX);
  const std::uint64_t limit = arguments.Count("limit", 30, 1, kLargestPage);
  const std::string category = arguments.Text("category", "");
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (order != "self_percent" && order != "inclusive_percent") {
    return Error{.code = ErrorCode::kUsage,
                 .message = "sort_by is self_percent or inclusive_percent",
                 .stage = "mcp"};
  }
  Result<std::shared_ptr<const json>> document = workspace.Load(id, "analysis");
  if (!document.ok()) return document.error();
  std::vector<json> spots;
  for (const json& spot : document.value()->at("hotspots")) {
    const json& categories = spot["categories"];
    if (category.empty() || std::ranges::find(categories, json(category)) != categories.end()) {
      spots.push_back(spot);
    }
  }
  std::stable_sort(spots.begin(), spots.end(), [&](const json& a, const json& b) {
    if (a[order] != b[order]) return a[order].get<double>() > b[order].get<double>();
    if (a["symbol"] != b["symbol"]) return a["symbol"] < b["symbol"];
    return a["dso"] < b["dso"];
  });
  json page = Page(json(std::move(spots)), cursor, limit);
  page["analysis_id"] = id;
  return page;
}

Result<json> HotspotDetails(Workspace& workspace, Arguments& arguments) {
  const std::string id = arguments.Text("analysis_id");
  const std::string hotspot_id = arguments.Text("hotspot_id");
  const std::uint64_t limit = arguments.Count("call_path_limit", 10, 1, 50);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  Result<std::shared_ptr<const json>> document = workspace.Load(id, "analysis");
  if (!document.ok()) return document.error();
  const json hotspot = FindIn(document.value()->at("hotspots"), "hotspot_id", hotspot_id);
  if (hotspot.is_null()) return NoHotspot(hotspot_id);
  json paths = json::array();
  for (const json& path : document.value()->at("call_paths")) {
    if (paths.size() == limit) break;
    const bool on_it = std::ranges::any_of(path["frames"], [&](const json& frame) {
      return frame["symbol"] == hotspot["symbol"] && frame["dso"] == hotspot["dso"];
    });
    if (on_it) paths.push_back(path);
  }
  const Result<std::shared_ptr<const Analysis>> analysis = workspace.LoadAnalysis(id);
  if (!analysis.ok()) return analysis.error();
  const Result<json> diagnosis = Diagnose(*analysis.value());
  if (!diagnosis.ok()) return diagnosis.error();
  json candidates = json::array();
  for (const json& candidate : diagnosis.value()["classifications"]) {
    if (candidate["hotspot_id"] == hotspot_id) candidates.push_back(candidate);
  }
  return json{{"analysis_id", id},
              {"hotspot", hotspot},
              {"dominant_call_paths", paths},
              {"classifications", candidates},
              {"limitations", diagnosis.value()["limitations"]}};
}

Result<json> CallPaths(Workspace& workspace, Arguments& arguments) {
  const std::string id = arguments.Text("analysis_id");
  const std::string symbol = arguments.Text("symbol", "");
  const std::uint64_t cursor = arguments.Count("cursor", 0, 0, UINT32_MAX);
  const std::uint64_t limit = arguments.Count("limit", 20, 1, kLargestPage);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  Result<std::shared_ptr<const json>> document = workspace.Load(id, "analysis");
  if (!document.ok()) return document.error();
  json paths = json::array();
  for (const json& path : document.value()->at("call_paths")) {
    const bool wanted = symbol.empty() || std::ranges::any_of(path["frames"], [&](const json& f) {
                          return f["symbol"] == symbol;
                        });
    if (wanted) paths.push_back(path);
  }
  json page = Page(std::move(paths), cursor, limit);
  page["analysis_id"] = id;
  if (!symbol.empty()) page["symbol"] = symbol;
  return page;
}

Result<json> FlameGraphTool(Workspace& workspace, Arguments& arguments) {
  const std::string path = arguments.Text("path");
  const std::string output = arguments.Text("output_path");
  const std::string title = arguments.Text("title", "Flame graph");
  const std::string event = arguments.Text("event", "");
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (Status status = workspace.NeedWrites(); !status.ok()) return status.error();
  const Result<std::string> input = workspace.Input(path);
  if (!input.ok()) return input.error();
  const Result<std::string> target = workspace.Output(output, ".svg");
  if (!target.ok()) return target.error();
  const Result<Profile> profile = ReadProfileFile(input.value(), {.stop = arguments.call().stop});
  if (!profile.ok()) return profile.error();
  std::size_t type = profile.value().default_sample_type();
  if (!event.empty()) {
    const std::optional<std::size_t> named = profile.value().FindSampleType(event);
    if (!named) {
      return Error{.code = ErrorCode::kUsage, .message = "no event " + event, .stage = "mcp"};
    }
    type = *named;
  }
  const FrameNames names(profile.value());
  FlameShape shape;
  shape.type = profile.value().sample_types()[type];
  const Result<FlameGraph> graph = FlameGraph::Make(CallTree(names, type), shape);
  if (!graph.ok()) return graph.error();
  FlameStyle style;
  style.title = title;
  style.subtitle = DescribeForFlame(profile.value(), type);
  Result<std::unique_ptr<FileSink>> sink = FileSink::Open(target.value());
  if (!sink.ok()) return sink.error();
  if (Status status = graph.value().WriteSvg(style, *sink.value()); !status.ok()) {
    return status.error();
  }
  if (Status status = sink.value()->Close(); !status.ok()) return status.error();
  return json{{"path", target.value()},
              {"frames", graph.value().node_count()},
              {"frames_left_out", graph.value().left_out()},
              {"total", profile.value().Total(type)}};
}

}  // namespace

std::vector<Tool> ProfileTools() {
  const json analysis_id = TextSchema("Id that analyze_profile returned");
  const json cursor = CountSchema("Index of the first item", 0, 0, UINT32_MAX);
  std::vector<Tool> tools;
  tools.push_back({.name = "analyze_profile",
                   .description =
                       "Analyse a profile (pprof, perf.data, perf script, folded stacks, "
                       "gperftools, speedscope) into hotspots and call paths. What it "
                       "finds are observations, not causes.",
                   .permission = Permission::kWritesArtifacts,
                   .properties = AnalyzeProperties(),
                   .required = {"path"},
                   .output_schema = ReferenceSchema(),
                   .run = AnalyzeProfileTool});
  tools.push_back({.name = "list_hotspots",
                   .description = "Hotspots of an analysis, heaviest first.",
                   .properties = {{"analysis_id", analysis_id},
                                  {"sort_by",
                                   {{"type", "string"},
                                    {"enum", {"self_percent", "inclusive_percent"}},
                                    {"default", "self_percent"}}},
                                  {"cursor", cursor},
                                  {"limit", CountSchema("Items", 30, 1, kLargestPage)},
                                  {"category", TextSchema("Only hotspots of this category")}},
                   .required = {"analysis_id"},
                   .output_schema = PageSchema("analysis", "hotspot"),
                   .run = ListHotspots});
  tools.push_back(
      {.name = "get_hotspot_details",
       .description = "One hotspot with its callers, callees, places and dominant call paths, the "
                      "candidates for it, and what limits the analysis.",
       .properties = {{"analysis_id", analysis_id},
                      {"hotspot_id", TextSchema("Like H-001")},
                      {"call_path_limit", CountSchema("Call paths", 10, 1, 50)}},
       .required = {"analysis_id", "hotspot_id"},
       .output_schema = WithDefinitionsOf(
           "diagnosis",
           WithDefinitionsOf(
               "analysis",
               ObjectSchema({{"analysis_id", {{"type", "string"}}},
                             {"hotspot", {{"$ref", "#/$defs/hotspot"}}},
                             {"dominant_call_paths", ListOf("call_path")},
                             {"classifications", ListOf("classification")},
                             {"limitations", {{"type", "array"}, {"items", {{"type", "string"}}}}}},
                            {"analysis_id", "hotspot", "dominant_call_paths", "classifications",
                             "limitations"}))),
       .run = HotspotDetails});
  tools.push_back({.name = "get_call_paths",
                   .description = "Call paths of an analysis, heaviest first.",
                   .properties = {{"analysis_id", analysis_id},
                                  {"symbol", TextSchema("Only paths through this function")},
                                  {"cursor", cursor},
                                  {"limit", CountSchema("Items", 20, 1, kLargestPage)}},
                   .required = {"analysis_id"},
                   .output_schema = PageSchema("analysis", "call_path"),
                   .run = CallPaths});
  tools.push_back(
      {.name = "flame_graph",
       .description = "Draw a profile as one self-contained SVG file, which must not exist yet.",
       .permission = Permission::kWritesArtifacts,
       .properties = {{"path", TextSchema("Profile inside an allowed root")},
                      {"output_path",
                       TextSchema("SVG to write, inside an allowed root; ends with .svg")},
                      {"title", TextSchema("Title of the picture")},
                      {"event", TextSchema("Event to draw")}},
       .required = {"path", "output_path"},
       .output_schema = ObjectSchema({{"path", {{"type", "string"}}},
                                      {"frames", {{"type", "integer"}}},
                                      {"frames_left_out", {{"type", "integer"}}},
                                      {"total", {{"type", "integer"}}}},
                                     {"path", "frames", "frames_left_out", "total"}),
       .run = FlameGraphTool});
  return tools;
}

}  // namespace sonde::cli::mcp
