// CollectionTools: recording a target, once every gate is open.

#include "cli/mcp/tool.h"
#include "sonde/artifact.h"
#include "sonde/collection.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLongestSeconds = 86'400;

Result<json> CollectProfile(Workspace& workspace, Arguments& arguments) {
  CollectionRequest request;
  const std::string output = arguments.Text("output_path");
  request.authorization = arguments.Text("authorization");
  const std::string mode = arguments.Text("mode", "record");
  request.executable = arguments.Text("executable", "");
  request.arguments = arguments.Texts("target_arguments");
  request.pid = static_cast<std::int64_t>(arguments.Count("pid", 0, 1, INT32_MAX));
  request.duration_seconds = arguments.Number("duration_seconds", 0);
  request.pid_authorization = arguments.Text("pid_authorization", "");
  request.frequency_hz = arguments.Count("frequency_hz", 99, 1, 10'000);
  request.call_graph = arguments.Text("call_graph", "dwarf");
  request.events = arguments.Texts("events");
  request.timeout_seconds =
      static_cast<double>(arguments.Count("timeout_seconds", 300, 1, kLongestSeconds));
  request.max_data_bytes =
      arguments.Count("max_output_bytes", request.max_data_bytes, 1, UINT64_C(1) << 40);
  if (Status status = arguments.Finish(); !status.ok()) return status.error();
  if (Status status = workspace.NeedCollection(request.pid != 0); !status.ok()) {
    return status.error();
  }
  const std::optional<CollectionMode> known = CollectionModeNamed(mode);
  if (!known) {
    return Error{.code = ErrorCode::kUsage, .message = "no mode " + mode, .stage = "mcp"};
  }
  request.mode = *known;
  request.authorize_target = true;
  request.authorize_pid_attach = request.pid != 0;
  request.perf_path = workspace.options().perf_path;
  const Result<std::string> data = workspace.Output(output);
  if (!data.ok()) return data.error();
  request.data_output = data.value();
  request.metadata_output = data.value() + ".collection.json";
  request.stop = arguments.call().stop;
  arguments.call().expected_ms = static_cast<std::uint64_t>(request.duration_seconds * 1000);
  const Result<json> artifact = Collect(request);
  if (!artifact.ok()) return artifact.error();
  const std::string id = artifact.value()["collection_id"];
  return workspace.Store(id, "collection", artifact.value(),
                         {{"mode", artifact.value()["mode"]},
                          {"target_type", artifact.value()["target_type"]},
                          {"output_path", artifact.value()["output_path"]},
                          {"output_bytes", artifact.value()["output_bytes"]},
                          {"metric_count", artifact.value()["metrics"].size()}});
}

}  // namespace

std::vector<Tool> CollectionTools() {
  const json texts = {{"type", "array"}, {"items", {{"type", "string"}}}};
  std::vector<Tool> tools;
  tools.push_back(
      {.name = "collect_profile",
       .description =
           "Record one target through perf. Ask the person at the keyboard first: both phrases "
           "are theirs to give, and none is ever to be made up.",
       .permission = Permission::kActiveCollection,
       .properties =
           {{"output_path", TextSchema("New file inside an allowed root")},
            {"authorization", TextSchema("The phrase " + std::string(kTargetPhrase))},
            {"mode",
             {{"type", "string"},
              {"enum", {"record", "stat", "sched", "lock", "off_cpu"}},
              {"default", "record"}}},
            {"executable", TextSchema("Program to run, by its absolute path")},
            {"target_arguments", texts},
            {"pid", {{"type", "integer"}, {"minimum", 1}, {"maximum", INT32_MAX}}},
            {"duration_seconds", {{"type", "number"}, {"minimum", 0.01}}},
            {"pid_authorization", TextSchema("The phrase " + std::string(kPidPhrase))},
            {"frequency_hz", CountSchema("Samples a second", 99, 1, 10'000)},
            {"call_graph",
             {{"type", "string"}, {"enum", {"fp", "dwarf", "lbr"}}, {"default", "dwarf"}}},
            {"events", texts},
            {"timeout_seconds", CountSchema("Seconds", 300, 1, kLongestSeconds)},
            {"max_output_bytes",
             CountSchema("Largest recording", UINT64_C(1) << 30, 1, UINT64_C(1) << 40)}},
       .required = {"output_path", "authorization"},
       .output_schema = ReferenceSchema(),
       .run = CollectProfile});
  return tools;
}

}  // namespace sonde::cli::mcp
