// AgentOptions: what `sonde agent` is asked to do.

#include "cli/agent_options.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/finite.h"

namespace sonde::cli {
namespace {

// What only a server that gives tags needs.
void RefuseWithoutServer(CLI::App& command, const AgentOptions& options) {
  command.parse_complete_callback([&command, &options] {
    if (options.tagger == "llm") return;
    for (const char* name :
         {"--llama-url", "--model", "--timeout", "--max-uncached-tags", "--cache"}) {
      if (command.count(name) != 0) throw CLI::RequiresError(name, "--tagger llm");
    }
  });
}

// An option that takes one value each time it is given.
CLI::Option* AddRepeated(CLI::App& command, const char* name, std::vector<std::string>& values,
                         const char* description) {
  return command.add_option(name, values, description)->allow_extra_args(false);
}

}  // namespace

void AddAgentOptions(CLI::App& command, AgentOptions& options) {
  AddInputOptions(command, options.input);
  CLI::Option* const output = command.add_option(
      "-o,--output", options.output,
      "File to write, - for standard output; its extension chooses the format: .pb .pb.gz "
      ".folded .svg .json");
  CLI::Option* const all = command.add_option(
      "--all", options.all,
      "Write every view as .pb.gz, .folded, .flame.svg and .top.txt, and agent.json, "
      "into this folder");
  CLI::Option* const format =
      command
          .add_option("--format", options.format,
                      "Format where the extension does not tell (default: pprof)")
          ->check(CLI::IsMember({"pprof", "folded", "svg", "json"}));
  CLI::Option* const view = command.add_option("--view", options.view, "What is counted")
                                ->check(CLI::IsMember({"operations", "tokens", "files", "network",
                                                       "time", "tools", "cost"}))
                                ->capture_default_str();
  for (CLI::Option* const of_one : {output, format, view}) all->excludes(of_one);
  command.add_option("--project-name", options.project_name,
                     "Name of the project (default: last component of its root)");
  command.add_option("--path-depth", options.path_depth, "Components of a path that are shown")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  CLI::Option* const stack =
      command.add_option("--stack", options.stack, "Frames, root first: task,phase,action")
          ->check([](const std::string& text) {
            return text.empty() ? std::string("names no field") : std::string();
          });
  command.add_option("--stack-preset", options.stack_preset, "Frames of a generation: G0 to G4")
      ->capture_default_str()
      ->excludes(stack);
  AddRepeated(command, "--stack-rule", options.stack_rules,
              "FRAME:LABEL=REGEX shows LABEL in that frame");
  AddRepeated(command, "--op-map", options.op_maps,
              "FIELD:LABEL=REGEX sets a field before filtering");
  AddRepeated(command, "--op-map-file", options.op_map_files, "File with one --op-map rule a line");
  AddRepeated(command, "--where", options.where,
              "FIELD=REGEX or FIELD!=REGEX keeps operations; all must hold");
  command.add_option("--diff-base", options.diff_base,
                     "Subtract this profile, stack by stack: of the same view, in any format "
                     "sonde reads but its own JSON");
  command
      .add_option("--idle-limit", options.idle_limit_s,
                  "Seconds that a gap counts as work before the rest of it is idle")
      ->check(NumberFrom(0.0, 1e9))
      ->capture_default_str();
  command.add_option("--prices", options.prices, "Price table (TOML) asked before the shipped one");
  command.add_option("--tagger", options.tagger, "Who gives tags: regex or llm")
      ->check(CLI::IsMember({"regex", "llm"}))
      ->capture_default_str();
  AddRepeated(command, "--tag-rule", options.tag_rules,
              "KIND:TAG=REGEX with KIND session, prompt, llm or all; the first match wins");
  AddRepeated(command, "--tag-rules", options.tag_rule_files, "TOML file with tag rules");
  command.add_flag("--preset", options.preset, "Also try the shipped word lists, last");
  AddRepeated(command, "--task-choice", options.task_choices,
              "TAG=DESCRIPTION: one of the tasks that a session may have (--tagger llm)");
  command.add_option("--session-tag", options.session_tag, "Only sessions with this tag");
  command.add_option("--prompt-tag", options.prompt_tag,
                     "Only prompts with this tag and what belongs to them");
  command
      .add_option("--llama-url", options.llama_url, "OpenAI-compatible server of the llm tagger")
      ->capture_default_str();
  command.add_option("--model", options.model, "Model that the server is asked for")
      ->capture_default_str();
  command.add_option("--timeout", options.timeout_s, "Seconds a request to the server may take")
      ->check(NumberFrom(0.001, 86400.0))
      ->capture_default_str();
  command
      .add_option("--max-uncached-tags", options.max_uncached_tags,
                  "Ask the server at most so often (-1 = no limit)")
      ->capture_default_str();
  command.add_option("--cache", options.cache,
                     "File of answers (default: $XDG_CACHE_HOME/sonde/tags.jsonl)");
  command.add_flag("--no-cache", options.no_cache, "Do not add answers to the cache");
  command.add_flag("--include-previews", options.include_previews,
                   "Put text of prompts, answers and commands into JSON output");
  command.add_flag("--event-labels", options.event_labels,
                   "Label every sample with its time, ids and hashes: one sample an event");
  command.add_option("--svg-width", options.svg_width, "Width of SVG output in pixels")
      ->check(NumberFrom(100.0, 100000.0))
      ->capture_default_str();
  command.add_option("files", options.input.files,
                     "Logs or folders of logs, as with --session-file");
  RefuseWithoutServer(command, options);
}

Result<std::string> ReadTextFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return Error{.code = ErrorCode::kNotFound, .message = "no such file", .file = path};
  }
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || std::filesystem::is_directory(path, error)) {
    return Error{.code = ErrorCode::kInvalid, .message = "cannot be read", .file = path};
  }
  return text;
}

std::string ProjectRootOf(const AgentOptions& options) {
  const std::string given = options.input.project_root.empty() ? "." : options.input.project_root;
  std::error_code error;
  std::filesystem::path root = std::filesystem::canonical(given, error);
  if (error) root = std::filesystem::absolute(given, error).lexically_normal();
  return root.string();
}

Result<ProjectionOptions> ProjectionOptionsOf(const AgentOptions& options) {
  ProjectionOptions projection;
  projection.views.clear();
  if (options.all.empty()) {
    projection.views.push_back(*AgentViewNamed(options.view));
  } else {
    const auto views = AllAgentViews();
    projection.views.assign(views.begin(), views.end());
  }
  projection.project_root = ProjectRootOf(options);
  projection.project_name = options.project_name;
  projection.path_depth = options.path_depth;
  projection.stack = options.stack;
  projection.stack_preset = options.stack_preset;
  projection.stack_rules = options.stack_rules;
  projection.op_maps = options.op_maps;
  for (const std::string& path : options.op_map_files) {
    Result<std::string> text = ReadTextFile(path);
    if (!text.ok()) return text.error();
    for (std::string& line : OpMapLines(text.value())) {
      projection.op_maps.push_back(std::move(line));
    }
  }
  projection.where = options.where;
  projection.session_tag = options.session_tag;
  projection.prompt_tag = options.prompt_tag;
  projection.idle_limit =
      std::chrono::nanoseconds(std::llround(options.idle_limit_s * 1'000'000'000));
  projection.event_labels = options.event_labels;
  projection.include_previews = options.include_previews;
  return projection;
}

}  // namespace sonde::cli
