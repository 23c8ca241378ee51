// EvidenceOutput: what the commands that write evidence have in common.

#ifndef SONDE_CLI_EVIDENCE_OUTPUT_H_
#define SONDE_CLI_EVIDENCE_OUTPUT_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/analysis.h"
#include "sonde/result.h"

namespace sonde::cli {

// --output and --max-output-bytes, and --markdown-output where a command has one.
class EvidenceOutput {
 public:
  void AddTo(CLI::App& command, std::uint64_t max_bytes);
  void AddMarkdownTo(CLI::App& command);

  // Before any work: makes missing folders, refuses outputs without a name, folders, an input
  // (by any name) or each other.
  Status Check(const std::vector<std::string>& inputs) const;
  // Writes, and prints the absolute path of the main output on standard output.
  Status Write(const nlohmann::json& artifact, std::string_view markdown = {}) const;
  Status WriteText(std::string_view text) const;

  // Of the main output, as given.
  const std::string& path() const noexcept { return path_; }

 private:
  Status Put(const std::string& path, std::string_view text) const;

  std::string path_;
  std::optional<std::string> markdown_path_;
  std::uint64_t max_bytes_ = 0;
};

// --max-records and its kin, with the names and defaults that AnalysisLimits documents.
void AddLimits(CLI::App& command, AnalysisLimits& limits);

// A file that `sonde analyze` wrote.
Result<Analysis> ReadAnalysis(const std::string& path, std::uint64_t max_bytes);

}  // namespace sonde::cli

#endif  // SONDE_CLI_EVIDENCE_OUTPUT_H_
