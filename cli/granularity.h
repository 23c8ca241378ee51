// The option --by: what makes two frames the same.

#ifndef SONDE_CLI_GRANULARITY_H_
#define SONDE_CLI_GRANULARITY_H_

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

#include "cli/profile_options.h"
#include "sonde/frame_names.h"
#include "sonde/group.h"

namespace sonde::cli {

// Adds --by functions|lines|files|modules|addresses|task, kept as text in `value`.
inline void AddGranularity(CLI::App& command, std::string& value) {
  command
      .add_option("--by", value,
                  "What a frame is told apart by; task: in tables the tasks, elsewhere functions "
                  "under the task that ran them")
      ->check(CLI::IsMember({"functions", "lines", "files", "modules", "addresses", "task"}))
      ->capture_default_str();
}

inline Granularity GranularityNamed(const std::string& name) {
  if (name == "lines") return Granularity::kLines;
  if (name == "files") return Granularity::kFiles;
  if (name == "modules") return Granularity::kModules;
  if (name == "addresses") return Granularity::kAddresses;
  return Granularity::kFunctions;
}

// What --by looks at, in a sub-command that shows nothing but names.
inline ProfileNeeds NeedsOfNames(const std::string& name) {
  return {.labels = name == "task", .ids = false, .addresses = name == "addresses"};
}

// The profile as --by wants it: in pictures and files under its tasks, or as it is.
inline Profile GroupedBy(const std::string& name, Profile profile) {
  return name == "task" ? GroupByLabel(profile, "task") : std::move(profile);
}

// The same for tables, whose rows are then tasks.
inline Profile SummedBy(const std::string& name, Profile profile) {
  return name == "task" ? SumByLabel(profile, "task") : std::move(profile);
}
// What the rows of a table are.
inline std::string RowsOf(const std::string& name) { return name == "task" ? "tasks" : name; }

}  // namespace sonde::cli

#endif  // SONDE_CLI_GRANULARITY_H_
