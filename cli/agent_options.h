// AgentOptions: what `sonde agent` is asked to do.

#ifndef SONDE_CLI_AGENT_OPTIONS_H_
#define SONDE_CLI_AGENT_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/agent_input.h"
#include "sonde/agent_projection.h"

namespace sonde::cli {

struct AgentOptions {
  AgentInput input;
  std::string output;
  std::string all;  // Folder for every view in every format.
  std::string format;
  std::string view = "tokens";
  std::string project_name;
  std::size_t path_depth = 2;
  std::string stack;
  std::string stack_preset = "G4";
  std::vector<std::string> stack_rules;
  std::vector<std::string> op_maps;
  std::vector<std::string> op_map_files;
  std::vector<std::string> where;
  std::string diff_base;
  double idle_limit_s = 300;
  std::string prices;
  std::string tagger = "regex";
  std::vector<std::string> tag_rules;
  std::vector<std::string> tag_rule_files;
  bool preset = false;
  std::vector<std::string> task_choices;
  std::string session_tag;
  std::string prompt_tag;
  std::string llama_url = "http://127.0.0.1:8080";
  std::string model = "local";
  double timeout_s = 30;
  long max_uncached_tags = -1;
  std::string cache;
  bool no_cache = false;
  bool include_previews = false;
  bool event_labels = false;
  double svg_width = 1200;
};

void AddAgentOptions(CLI::App& command, AgentOptions& options);

// What the projection is asked for, but for the taggers. Reads the op-map files. Fails with
// kUsage, and like ReadTextFile.
Result<ProjectionOptions> ProjectionOptionsOf(const AgentOptions& options);

// The folder that paths are named relative to and sessions are chosen by: absolute, links
// followed where it exists.
std::string ProjectRootOf(const AgentOptions& options);

// The whole file. Fails with kNotFound or kInvalid; errors name it.
Result<std::string> ReadTextFile(const std::string& path);

}  // namespace sonde::cli

#endif  // SONDE_CLI_AGENT_OPTIONS_H_
