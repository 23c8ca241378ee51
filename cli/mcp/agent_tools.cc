// AgentTools: what the coding agents of a project spent.

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "cli/mcp/tool.h"
#include "sonde/agent_history.h"
#include "sonde/agent_projection.h"
#include "sonde/artifact.h"
#include "sonde/frame_names.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostSessions = 10'000;
constexpr std::uint64_t kMostStacks = 1'000;

std::string StackText(const FrameNames& names, StackId stack) {
  std::string text;
  for (const LocationId location : names.profile().stacks().Frames(stack)) {
    for (const Frame& frame : names.frames(location)) {
      text += (text.empty() ? "" : ";") + std::string(names.text(frame.name));
    }
  }
  return text;
}

json HeaviestStacks(const Profile& profile, std::uint64_t limit) {
  const FrameNames names(profile);
  const std::size_t type = profile.default_sample_type();
  std::map<std::string, std::int64_t> sums;
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    std::int64_t& sum = sums[StackText(names, profile.sample(i).stack)];
    sum = SaturatingAdd(sum, profile.value(i, type));
  }
  std::vector<std::pair<std::string, std::int64_t>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (order.size() > limit) order.resize(limit);
  const auto total = static_cast<double>(profile.Total(type));
  json items = json::array();
  for (const auto& [stack, weight] : order) {
    items.push_back({{"stack", stack},
                     {"weight", weight},
                     {"percent", Percent(static_cast<double>(weight), total)}});
  }
  return items;
}

Result<json> AgentTokens(Workspace& workspace, Arguments& arguments) {
  const std::string view_name = arguments.Text("view", "tokens");
  const std::string root = arguments.Text("project_root");
  const std::vector<std::string> files = arguments.Texts("session_files");
  const std::uint64_t sessions = arguments.Count("max_sessions", 200, 1, kMostSessions);
  const std::uint64_t limit = arguments.Count("limit", 30, 1, kMostStacks);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (Status status = workspace.NeedAgentLogs(); !status.ok()) return status.error();
  const std::optional<AgentView> view = AgentViewNamed(view_name);
  if (!view) {
    return Error{.code = ErrorCode::kUsage, .message = "no view " + view_name, .stage = "mcp"};
  }
  const Result<std::string> project = workspace.Input(root, true);
  if (!project.ok()) return project.error();

  HistoryOptions reading;
  std::vector<std::string> logs;
  for (const std::string& file : files) {
    const Result<std::string> input = workspace.Input(file);
    if (!input.ok()) return input.error();
    logs.push_back(input.value());
  }
  if (files.empty()) {
    reading.found = FindAgentLogs(DefaultAgentLogPlaces());
    reading.filter.project_root = project.value();
  }
  reading.filter.max_sessions = sessions;
  reading.stop = arguments.call().stop;
  const Result<AgentHistory> history = AgentHistory::Read(logs, reading);
  if (!history.ok()) return history.error();

  TagRules rules;
  rules.AddPreset();
  if (Status status = rules.Compile(); !status.ok()) return status.error();
  RuleTagger tagger(rules);
  ProjectionOptions options;
  options.views = {*view};
  options.project_root = project.value();
  options.tagger = &tagger;
  Result<AgentProjection> projection = AgentProjection::Create(std::move(options));
  if (!projection.ok()) return projection.error();
  if (Status status = ProjectHistory(history.value(), projection.value()); !status.ok()) {
    return status.error();
  }
  const Result<Profile> profile = projection.value().Take(*view, history.value().losses());
  if (!profile.ok()) return profile.error();
  const std::size_t type = profile.value().default_sample_type();
  return json{{"view", view_name},
              {"unit", profile.value().sample_types()[type].unit},
              {"total", profile.value().Total(type)},
              {"sessions", projection.value().counts().sessions},
              {"subagents", projection.value().counts().subagents},
              {"stacks", HeaviestStacks(profile.value(), limit)},
              {"warnings", projection.value().Warnings()}};
}

}  // namespace

std::vector<Tool> AgentTools() {
  std::vector<Tool> tools;
  tools.push_back(
      {.name = "agent_tokens",
       .description = "What coding agents spent on a project: tokens, operations, files, network, "
                      "time, tools or cost, by task and step. Holds no text of any prompt.",
       .properties = {{"project_root", TextSchema("Folder inside an allowed root")},
                      {"view", TextSchema("tokens, operations, files, network, time, tools, cost")},
                      {"session_files",
                       {{"type", "array"},
                        {"items", {{"type", "string"}}},
                        {"description",
                         "Logs inside an allowed root; those of the agents on this "
                         "machine when not given"}}},
                      {"max_sessions", CountSchema("Newest sessions", 200, 1, kMostSessions)},
                      {"limit", CountSchema("Stacks", 30, 1, kMostStacks)}},
       .required = {"project_root"},
       .output_schema =
           ObjectSchema({{"view", {{"type", "string"}}},
                         {"unit", {{"type", "string"}}},
                         {"total", {{"type", "integer"}}},
                         {"sessions", {{"type", "integer"}}},
                         {"subagents", {{"type", "integer"}}},
                         {"stacks", {{"type", "array"}, {"items", {{"type", "object"}}}}},
                         {"warnings", {{"type", "array"}, {"items", {{"type", "string"}}}}}},
                        {"view", "unit", "total", "sessions", "stacks"}),
       .run = AgentTokens});
  return tools;
}

}  // namespace sonde::cli::mcp
