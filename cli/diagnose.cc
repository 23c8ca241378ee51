// sonde classify and sonde report: candidates for an investigation, and a report for people.

#include <memory>

#include "cli/commands.h"
#include "cli/evidence_output.h"
#include "sonde/artifact.h"
#include "sonde/call_tree.h"
#include "sonde/diagnosis.h"
#include "sonde/flame_graph.h"
#include "sonde/profile_builder.h"

namespace sonde::cli {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{128} << 20;

struct DiagnoseOptions {
  std::string analysis;
  std::string rules;
  ReportText text;
  std::string format = "auto";
  std::uint64_t max_input_bytes = kLargest;
  EvidenceOutput output;
};

void AddCommon(CLI::App& command, DiagnoseOptions& options) {
  command.add_option("--analysis", options.analysis, "Artifact that sonde analyze wrote")
      ->required();
  command.add_option("--rules", options.rules,
                     "Rules of your own, TOML or YAML, beside the "
                     "built-in ones");
  command.add_option("--max-input-bytes", options.max_input_bytes, "Largest input")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}))
      ->capture_default_str();
  options.output.AddTo(command, kLargest);
}

Result<int> Classify(const DiagnoseOptions& options) {
  if (Status status = options.output.Check({options.analysis}); !status.ok()) {
    return status.error();
  }
  const Result<Analysis> analysis = ReadAnalysis(options.analysis, options.max_input_bytes);
  if (!analysis.ok()) return analysis.error();
  const Result<nlohmann::json> diagnosis = Diagnose(analysis.value(), options.rules);
  if (!diagnosis.ok()) return diagnosis.error();
  if (Status status = options.output.Write(diagnosis.value()); !status.ok()) return status.error();
  return 0;
}

// The call paths of the artifact as a picture. Paths beyond the artifact's limit are not in it.
Result<std::string> PictureOf(const Analysis& analysis) {
  ProfileBuilder builder({{analysis.main.event, analysis.main.weight_unit}});
  for (const AnalysisPath& path : analysis.main.call_paths) {
    if (path.weight <= 0) continue;
    StackId stack = kEmptyStack;
    for (const AnalysisFrame& frame : path.frames) {
      stack = builder.Extend(stack, builder.FrameNamed(frame.symbol));
    }
    builder.AddSample(stack, kNoLabels, {path.weight});
  }
  const Profile profile = std::move(builder).Build();
  const FrameNames names(profile);
  FlameShape shape;
  shape.type = profile.sample_types()[0];
  Result<FlameGraph> graph = FlameGraph::Make(CallTree(names, 0), shape);
  if (!graph.ok()) return graph.error();
  StringSink sink;
  FlameStyle style;
  style.title = "Call paths";
  if (Status status = graph.value().WriteHtml(style, sink); !status.ok()) return status.error();
  return std::move(sink).Take();
}

Result<int> Report(const DiagnoseOptions& options, bool html) {
  if (Status status = options.output.Check({options.analysis}); !status.ok()) {
    return status.error();
  }
  const Result<Analysis> analysis = ReadAnalysis(options.analysis, options.max_input_bytes);
  if (!analysis.ok()) return analysis.error();
  const Result<nlohmann::json> diagnosis = Diagnose(analysis.value(), options.rules);
  if (!diagnosis.ok()) return diagnosis.error();
  std::string text;
  if (html) {
    const Result<std::string> picture = PictureOf(analysis.value());
    if (!picture.ok()) return picture.error();
    text = ReportHtml(analysis.value(), diagnosis.value(), options.text, picture.value());
  } else {
    text = ReportMarkdown(analysis.value(), diagnosis.value(), options.text);
  }
  if (Status status = options.output.WriteText(text); !status.ok()) return status.error();
  return 0;
}

}  // namespace

void AddClassify(Program& program) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command = program.Command(
      "classify", "Write candidates for an investigation, with what speaks for and against each",
      [options] { return Classify(*options); });
  AddCommon(*command, *options);
}

void AddReport(Program& program) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command = nullptr;
  command = program.Command("report", "Write a report for people, as Markdown or HTML",
                            [options] { return Report(*options, options->format == "html"); });
  AddCommon(*command, *options);
  command->add_option("--problem", options->text.problem, "What was observed")
      ->capture_default_str();
  command->add_option("--metric", options->text.metric, "What is to improve")
      ->capture_default_str();
  command->add_option("--format", options->format, "markdown or html; auto goes by the extension")
      ->check(CLI::IsMember({"auto", "markdown", "html"}))
      ->capture_default_str();
  command->parse_complete_callback([command, options] {
    if (options->format != "auto") return;
    const std::string path = command->get_option("--output")->as<std::string>();
    options->format = path.ends_with(".html") || path.ends_with(".htm") ? "html" : "markdown";
  });
}

}  // namespace sonde::cli
