// sonde analyze: a profile of any format becomes an analysis artifact.

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/evidence_output.h"
#include "cli/finite.h"
#include "sonde/analysis.h"

namespace sonde::cli {
namespace {

constexpr std::uint64_t kLargestOutput = std::uint64_t{128} << 20;

struct AnalyzeOptions {
  std::string input;
  AnalysisOptions analysis;
  EvidenceOutput output;
};

Result<int> Run(const AnalyzeOptions& options) {
  std::vector<std::string> inputs{options.input};
  if (!options.analysis.perf_path.empty()) inputs.push_back(options.analysis.perf_path);
  if (Status status = options.output.Check(inputs); !status.ok()) return status.error();
  const Result<Analysis> analysis = AnalyzeFile(options.input, options.analysis);
  if (!analysis.ok()) return analysis.error();
  if (Status status = options.output.Write(ToJson(analysis.value())); !status.ok()) {
    return status.error();
  }
  return 0;
}

void AddOne(Program& program, const char* name, const char* description, const char* format) {
  auto options = std::make_shared<AnalyzeOptions>();
  options->analysis.format = format;
  CLI::App* command = program.Command(name, description, [options] { return Run(*options); });
  command->add_option("-i,--input", options->input, "Profile to analyse")->required();
  if (*format == '\0') {
    command->add_option("--from", options->analysis.format,
                        "Format of the input; judged by its content when not given");
  }
  command->add_option("--event", options->analysis.event,
                      "Event (sample type) to put first; the others follow as other_events");
  if (*format == '\0' || std::string_view(format) == "perf-data") {
    command->add_option("--perf-path", options->analysis.perf_path,
                        "perf, by its absolute path, for recordings that cannot be read directly");
    command
        ->add_option("--timeout-seconds", options->analysis.timeout_seconds, "How long it may take")
        ->check(NumberFrom(0.1, 86'400.0))
        ->capture_default_str();
  }
  options->output.AddTo(*command, kLargestOutput);
  AddLimits(*command, options->analysis.limits);
}

}  // namespace

void AddAnalyze(Program& program) {
  AddOne(program, "analyze", "Write hotspots and call paths of a profile as a JSON artifact", "");
  AddOne(program, "analyze-folded", "analyze, for folded stacks", "folded");
  AddOne(program, "analyze-perf-script", "analyze, for the text of perf script", "perf-script");
  AddOne(program, "analyze-perf-data", "analyze, for perf.data, which is read directly",
         "perf-data");
}

}  // namespace sonde::cli
