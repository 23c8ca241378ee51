// CommandLine: what the program accepts, as data for whatever describes it.

#ifndef SONDE_CLI_COMMAND_LINE_H_
#define SONDE_CLI_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sonde::cli {

struct OptionFacts {
  std::vector<std::string> names;   // "--output", "-o"; empty for what is given by its place.
  std::string place;                // "input": the name of what is given by its place.
  std::string description;          // One paragraph.
  std::string default_text;         // Empty where there is none to show.
  std::vector<std::string> values;  // All that may be given; empty when that is open.
  bool takes_value = false;
  bool is_required = false;
};

struct CommandFacts {
  std::string name;  // "analyze", "agent suggest-rules"; empty for the program itself.
  std::string description;
  std::vector<OptionFacts> options;
};

// The program first, then its commands by name, each followed by its own.
std::vector<CommandFacts> FactsOf(const CLI::App& app);

// Scripts for shells: "bash", "zsh" or "fish".
std::string CompletionScript(const std::vector<CommandFacts>& commands, const std::string& shell);
// Manual pages in roff, named "sonde.1" and "sonde-analyze.1".
struct ManualPage {
  std::string file;
  std::string text;
};
std::vector<ManualPage> ManualPages(const std::vector<CommandFacts>& commands);

}  // namespace sonde::cli

#endif  // SONDE_CLI_COMMAND_LINE_H_
