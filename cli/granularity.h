// The option --by: what makes two frames the same.

#ifndef SONDE_CLI_GRANULARITY_H_
#define SONDE_CLI_GRANULARITY_H_

#include <CLI/CLI.hpp>
#include <string>

#include "sonde/frame_names.h"

namespace sonde::cli {

// Adds --by functions|lines|files|modules|addresses, kept as text in `value`.
inline void AddGranularity(CLI::App& command, std::string& value) {
  command.add_option("--by", value, "What a frame is told apart by")
      ->check(CLI::IsMember({"functions", "lines", "files", "modules", "addresses"}))
      ->capture_default_str();
}

inline Granularity GranularityNamed(const std::string& name) {
  if (name == "lines") return Granularity::kLines;
  if (name == "files") return Granularity::kFiles;
  if (name == "modules") return Granularity::kModules;
  if (name == "addresses") return Granularity::kAddresses;
  return Granularity::kFunctions;
}

}  // namespace sonde::cli

#endif  // SONDE_CLI_GRANULARITY_H_
