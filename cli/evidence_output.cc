// EvidenceOutput: what the commands that write evidence have in common.

#include "cli/evidence_output.h"

#include <filesystem>
#include <iostream>

#include "cli/output.h"
#include "sonde/artifact.h"

namespace sonde::cli {
namespace {

Status MakeParents(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failure;
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (!failure) return {};
  return Error{.code = ErrorCode::kOutput,
               .message = "cannot make the folder: " + failure.message(),
               .file = path};
}

}  // namespace

void EvidenceOutput::AddTo(CLI::App& command, std::uint64_t max_bytes) {
  max_bytes_ = max_bytes;
  command
      .add_option("-o,--output", path_,
                  "File to write, or - for standard output; missing folders are made")
      ->required();
  command.add_option("--max-output-bytes", max_bytes_, "Largest output")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}))
      ->capture_default_str();
}

void EvidenceOutput::AddMarkdownTo(CLI::App& command) {
  command.add_option("--markdown-output", markdown_path_, "Also write it for people, as Markdown");
}

Status EvidenceOutput::Check(const std::vector<std::string>& inputs) const {
  std::vector<std::string> outputs{path_};
  if (markdown_path_.has_value()) outputs.push_back(*markdown_path_);
  for (const std::string& output : outputs) {
    if (Status made = MakeParents(output); !made.ok()) return made;
  }
  return CheckOutputs(outputs, inputs);
}

Status EvidenceOutput::Write(const nlohmann::json& artifact, std::string_view markdown) const {
  if (markdown_path_.has_value()) {
    if (Status status = Put(*markdown_path_, markdown); !status.ok()) return status;
  }
  return WriteText(ArtifactText(artifact));
}

Status EvidenceOutput::Put(const std::string& path, std::string_view text) const {
  // What is too large is refused by the same words wherever it was to go.
  if (path != "-" || text.size() > max_bytes_) return sonde::WriteText(path, text, max_bytes_);
  std::cout << text;
  return {};
}

Status EvidenceOutput::WriteText(std::string_view text) const {
  if (Status status = Put(path_, text); !status.ok() || path_ == "-") return status;
  std::cout << std::filesystem::absolute(path_).lexically_normal().string() << '\n';
  return {};
}

void AddLimits(CLI::App& command, AnalysisLimits& limits) {
  const auto add = [&](const char* name, std::uint64_t& value, std::uint64_t least,
                       const char* what) {
    command.add_option(name, value, what)
        ->check(CLI::Range(least, std::uint64_t{INT64_MAX}))
        ->capture_default_str()
        ->group("Limits");
  };
  add("--max-input-bytes", limits.max_input_bytes, 1, "Largest input");
  add("--max-records", limits.max_records, 1, "Most records, good and bad");
  add("--max-line-chars", limits.max_line_chars, 16, "Longest line, in bytes; longer is skipped");
  add("--max-stack-depth", limits.max_stack_depth, 1, "Deepest stack; deeper is skipped");
  add("--max-unique-frames", limits.max_unique_frames, 1, "Most distinct frames");
  add("--max-unique-call-paths", limits.max_unique_call_paths, 1, "Most distinct call paths");
  add("--max-warnings", limits.max_warnings, 0, "Warnings kept; all are counted");
  add("--top-n", limits.max_hotspots_output, 1, "Hotspots put out; the rest is counted");
  add("--call-path-limit", limits.max_call_paths_output, 1,
      "Call paths put out; the rest is counted");
}

Result<Analysis> ReadAnalysis(const std::string& path, std::uint64_t max_bytes) {
  const Result<nlohmann::json> document = ReadArtifact(path, max_bytes);
  if (!document.ok()) return document.error();
  Result<Analysis> analysis = AnalysisFromJson(document.value());
  if (!analysis.ok()) return InFile(analysis.error(), path);
  return analysis;
}

}  // namespace sonde::cli
