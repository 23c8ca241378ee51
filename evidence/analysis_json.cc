// Analysis as JSON: the document that is written and read back.

#include <optional>
#include <string>
#include <utility>

#include "evidence/analysis_check.h"
#include "evidence/object_reader.h"
#include "sonde/analysis.h"
#include "sonde/artifact.h"

namespace sonde {
namespace {

using nlohmann::json;

constexpr std::string_view kSemantics = "unique_symbol_dso_per_sample";

// What is not known is left out.
template <typename Number>
void AddKnown(json& object, const char* key, const std::optional<Number>& number) {
  if (number.has_value()) object[key] = *number;
}

json FrameJson(const AnalysisFrame& frame) {
  return {{"symbol", frame.symbol}, {"dso", frame.dso}};
}

json EdgesJson(const std::vector<AnalysisEdge>& edges) {
  json list = json::array();
  for (const AnalysisEdge& edge : edges) {
    json item = FrameJson(edge.frame);
    item["weight"] = edge.weight;
    list.push_back(std::move(item));
  }
  return list;
}

json HotspotJson(const AnalysisHotspot& hotspot) {
  json value = {{"hotspot_id", hotspot.id},
                {"symbol", hotspot.frame.symbol},
                {"dso", hotspot.frame.dso},
                {"self_weight", hotspot.self_weight},
                {"inclusive_weight", hotspot.inclusive_weight},
                {"self_percent", hotspot.self_percent},
                {"inclusive_percent", hotspot.inclusive_percent},
                {"thread_count", hotspot.thread_count},
                {"source_locations", hotspot.source_locations},
                {"top_callers", EdgesJson(hotspot.top_callers)},
                {"top_callees", EdgesJson(hotspot.top_callees)},
                {"categories", hotspot.categories}};
  AddKnown(value, "sample_count", hotspot.sample_count);
  AddKnown(value, "stack_occurrence_count", hotspot.stack_occurrence_count);
  return value;
}

json PathJson(const AnalysisPath& path) {
  json frames = json::array();
  for (const AnalysisFrame& frame : path.frames) frames.push_back(FrameJson(frame));
  json value = {
      {"path_id", path.id}, {"frames", frames}, {"weight", path.weight}, {"percent", path.percent}};
  AddKnown(value, "record_count", path.record_count);
  return value;
}

json ListsJson(const AnalysisSection& section) {
  json hotspots = json::array();
  for (const AnalysisHotspot& hotspot : section.hotspots) hotspots.push_back(HotspotJson(hotspot));
  json paths = json::array();
  for (const AnalysisPath& path : section.call_paths) paths.push_back(PathJson(path));
  return {{"hotspots", std::move(hotspots)}, {"call_paths", std::move(paths)}};
}

json FiguresJson(const AnalysisSection& section) {
  json value = {{"event", section.event},
                {"weight_unit", section.weight_unit},
                {"weight_source", section.weight_source},
                {"total_weight", section.total_weight},
                {"hotspots_omitted", section.hotspots_omitted},
                {"call_paths_omitted", section.call_paths_omitted},
                {"unresolved_self_percent", section.unresolved_self_percent}};
  AddKnown(value, "sample_count", section.sample_count);
  AddKnown(value, "whole_weight", section.whole_weight);
  return value;
}

json WarningJson(const AnalysisWarning& warning) {
  json value = {{"code", warning.code}, {"message", warning.message}, {"places", warning.places}};
  if (warning.line_number) value["line_number"] = *warning.line_number;
  return value;
}

// Every limit with its name, for both directions.
template <typename Limits, typename Visit>
void ForEachLimit(Limits& limits, Visit visit) {
  visit("max_input_bytes", limits.max_input_bytes);
  visit("max_records", limits.max_records);
  visit("max_line_chars", limits.max_line_chars);
  visit("max_stack_depth", limits.max_stack_depth);
  visit("max_unique_frames", limits.max_unique_frames);
  visit("max_unique_call_paths", limits.max_unique_call_paths);
  visit("max_warnings", limits.max_warnings);
  visit("max_hotspots_output", limits.max_hotspots_output);
  visit("max_call_paths_output", limits.max_call_paths_output);
  visit("max_output_bytes", limits.max_output_bytes);
}

Result<AnalysisEdge> EdgeFrom(const json& value, const std::string& where) {
  AnalysisEdge edge;
  ObjectReader reader(value, where);
  reader.Text("symbol", edge.frame.symbol);
  reader.Text("dso", edge.frame.dso);
  reader.Signed("weight", edge.weight);
  if (Status status = reader.Finish(); !status.ok()) return status.error();
  return edge;
}

Result<AnalysisHotspot> HotspotFrom(const json& value, const std::string& where) {
  AnalysisHotspot hotspot;
  ObjectReader reader(value, where);
  reader.Text("hotspot_id", hotspot.id);
  reader.Text("symbol", hotspot.frame.symbol);
  reader.Text("dso", hotspot.frame.dso);
  reader.Signed("self_weight", hotspot.self_weight);
  reader.Signed("inclusive_weight", hotspot.inclusive_weight);
  reader.Count("sample_count", hotspot.sample_count);
  reader.Count("stack_occurrence_count", hotspot.stack_occurrence_count);
  reader.Number("self_percent", hotspot.self_percent);
  reader.Number("inclusive_percent", hotspot.inclusive_percent);
  reader.Count("thread_count", hotspot.thread_count);
  reader.Texts("source_locations", hotspot.source_locations);
  reader.List("top_callers", hotspot.top_callers, EdgeFrom);
  reader.List("top_callees", hotspot.top_callees, EdgeFrom);
  reader.Texts("categories", hotspot.categories);
  if (Status status = reader.Finish(); !status.ok()) return status.error();
  return hotspot;
}

Result<AnalysisFrame> FrameFrom(const json& value, const std::string& where) {
  AnalysisFrame frame;
  ObjectReader reader(value, where);
  reader.Text("symbol", frame.symbol);
  reader.Text("dso", frame.dso);
  if (Status status = reader.Finish(); !status.ok()) return status.error();
  return frame;
}

Result<AnalysisPath> PathFrom(const json& value, const std::string& where) {
  AnalysisPath path;
  ObjectReader reader(value, where);
  reader.Text("path_id", path.id);
  reader.List("frames", path.frames, FrameFrom);
  reader.Signed("weight", path.weight);
  reader.Count("record_count", path.record_count);
  reader.Number("percent", path.percent);
  if (Status status = reader.Finish(); !status.ok()) return status.error();
  return path;
}

Result<AnalysisWarning> WarningFrom(const json& value, const std::string& where) {
  AnalysisWarning warning;
  ObjectReader reader(value, where);
  reader.Text("code", warning.code);
  reader.Text("message", warning.message);
  reader.Texts("places", warning.places);
  if (reader.Find("line_number", true) != nullptr) {
    std::uint64_t line = 0;
    reader.Count("line_number", line);
    warning.line_number = line;
  }
  if (Status status = reader.Finish(); !status.ok()) return status.error();
  return warning;
}

void ReadFigures(ObjectReader& reader, AnalysisSection& section) {
  reader.Text("event", section.event);
  reader.Text("weight_unit", section.weight_unit);
  reader.Text("weight_source", section.weight_source);
  reader.Count("sample_count", section.sample_count);
  reader.Signed("total_weight", section.total_weight);
  if (reader.Find("whole_weight", true) != nullptr) {
    reader.Signed("whole_weight", section.whole_weight.emplace());
  }
  reader.Count("hotspots_omitted", section.hotspots_omitted);
  reader.Count("call_paths_omitted", section.call_paths_omitted);
  reader.Number("unresolved_self_percent", section.unresolved_self_percent);
}

void ReadLists(ObjectReader& reader, AnalysisSection& section) {
  reader.List("hotspots", section.hotspots, HotspotFrom);
  reader.List("call_paths", section.call_paths, PathFrom);
}

Result<AnalysisSection> SectionFrom(const json& value, const std::string& where) {
  AnalysisSection section;
  ObjectReader reader(value, where);
  ReadFigures(reader, section);
  ReadLists(reader, section);
  if (Status status = reader.Finish(); !status.ok()) return status.error();
  return section;
}

Status ReadStatistics(const json& value, Analysis& analysis) {
  ObjectReader reader(value, "metadata.parse_statistics");
  reader.Count("parsed_records", analysis.parsed_records);
  reader.Count("malformed_records", analysis.malformed_records);
  reader.Count("lost_samples", analysis.lost_samples);
  reader.Count("bytes_read", analysis.bytes_read);
  reader.Count("warning_count", analysis.warning_count);
  bool truncated = false;
  reader.Flag("warnings_truncated", truncated);
  return reader.Finish();
}

Status ReadMetadata(const json& value, Analysis& analysis) {
  ObjectReader reader(value, "metadata");
  std::string derived;
  reader.Text("schema_version", derived);
  reader.Text("profile_id", derived);
  reader.Text("aggregation_semantics", derived);
  reader.Text("source_type", analysis.source_type);
  reader.Text("input_path", analysis.input_path);
  reader.Text("input_sha256", analysis.input_sha256);
  reader.Text("created_at", analysis.created_at);
  reader.Flag("has_call_graph", analysis.has_call_graph);
  reader.Flag("has_source_lines", analysis.has_source_lines);
  ReadFigures(reader, analysis.main);
  if (const json* statistics = reader.Find("parse_statistics")) {
    if (Status status = ReadStatistics(*statistics, analysis); !status.ok()) return status;
  }
  return reader.Finish();
}

}  // namespace

json ToJson(const Analysis& analysis) {
  json metadata = FiguresJson(analysis.main);
  metadata["schema_version"] = kSchemaVersion;
  metadata["profile_id"] = "profile-" + analysis.input_sha256.substr(0, 16);
  metadata["aggregation_semantics"] = kSemantics;
  metadata["source_type"] = analysis.source_type;
  metadata["input_path"] = analysis.input_path;
  metadata["input_sha256"] = analysis.input_sha256;
  metadata["created_at"] = analysis.created_at;
  metadata["has_call_graph"] = analysis.has_call_graph;
  metadata["has_source_lines"] = analysis.has_source_lines;
  metadata["parse_statistics"] = {
      {"malformed_records", analysis.malformed_records},
      {"lost_samples", analysis.lost_samples},
      {"bytes_read", analysis.bytes_read},
      {"warning_count", analysis.warning_count},
      {"warnings_truncated", analysis.warnings.size() >= analysis.limits.max_warnings &&
                                 analysis.warning_count > analysis.warnings.size()}};
  AddKnown(metadata["parse_statistics"], "parsed_records", analysis.parsed_records);

  json value = ListsJson(analysis.main);
  value["schema_version"] = kSchemaVersion;
  value["analysis_id"] = analysis.id;
  value["analysis_fingerprint"] = analysis.fingerprint;
  value["status"] = analysis.status;
  value["aggregation_semantics"] = kSemantics;
  value["metadata"] = std::move(metadata);
  value["other_events"] = json::array();
  for (const AnalysisSection& section : analysis.others) {
    json other = FiguresJson(section);
    other.update(ListsJson(section));
    value["other_events"].push_back(std::move(other));
  }
  value["warnings"] = json::array();
  for (const AnalysisWarning& warning : analysis.warnings) {
    value["warnings"].push_back(WarningJson(warning));
  }
  json limits = json::object();
  ForEachLimit(analysis.limits,
               [&](const char* name, std::uint64_t limit) { limits[name] = limit; });
  value["limits"] = std::move(limits);
  return value;
}

Result<Analysis> AnalysisFromJson(const json& value) {
  Analysis analysis;
  ObjectReader reader(value, "");
  std::string version;
  std::string semantics;
  reader.Text("schema_version", version);
  reader.Text("aggregation_semantics", semantics);
  reader.Text("analysis_id", analysis.id);
  reader.Text("analysis_fingerprint", analysis.fingerprint);
  reader.Text("status", analysis.status);
  ReadLists(reader, analysis.main);
  reader.List("other_events", analysis.others, SectionFrom);
  reader.List("warnings", analysis.warnings, WarningFrom);
  if (const json* metadata = reader.Find("metadata")) {
    if (Status status = ReadMetadata(*metadata, analysis); !status.ok()) return status.error();
  }
  if (const json* limits = reader.Find("limits")) {
    ObjectReader members(*limits, "limits");
    ForEachLimit(analysis.limits,
                 [&](const char* name, std::uint64_t& limit) { members.Count(name, limit); });
    if (Status status = members.Finish(); !status.ok()) return status.error();
  }
  if (Status status = reader.Finish(); !status.ok()) return status.error();
  if (version != kSchemaVersion) {
    return Error{.code = ErrorCode::kUnsupported,
                 .message = "schema version " + version + " is not known",
                 .stage = "artifact"};
  }
  if (Status status = CheckConsistent(analysis); !status.ok()) return status.error();
  return analysis;
}

}  // namespace sonde
