// sonde classify and sonde report: candidates for an investigation, and a report for people.

#include <memory>
#include <span>

#include "cli/commands.h"
#include "cli/evidence_output.h"
#include "cli/output.h"
#include "evidence/symbol_name.h"
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
  command.add_option("-i,--analysis", options.analysis, "Artifact that sonde analyze wrote")
      ->required();
  command.add_option("--rules", options.rules,
                     "Rules of your own, TOML or YAML, beside the "
                     "built-in ones");
  command.add_option("--max-input-bytes", options.max_input_bytes, "Largest input")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}))
      ->capture_default_str();
  options.output.AddTo(command, kLargest);
}

Status CheckFiles(const DiagnoseOptions& options) {
  std::vector<std::string> inputs{options.analysis};
  if (!options.rules.empty()) inputs.push_back(options.rules);
  return options.output.Check(inputs);
}

Result<int> Classify(const DiagnoseOptions& options) {
  if (Status status = CheckFiles(options); !status.ok()) return status.error();
  const Result<Analysis> analysis = ReadAnalysis(options.analysis, options.max_input_bytes);
  if (!analysis.ok()) return analysis.error();
  const Result<nlohmann::json> diagnosis = Diagnose(analysis.value(), options.rules);
  if (!diagnosis.ok()) return diagnosis.error();
  if (Status status = options.output.Write(diagnosis.value()); !status.ok()) return status.error();
  return 0;
}

// The frame with its module, which has a part in how it is called and coloured.
LocationId LocationOf(const AnalysisFrame& frame, ProfileBuilder& builder) {
  Location location;
  if (!IsUnknownDso(frame.dso)) {
    location.mapping = builder.AddMapping({.file = builder.Intern(frame.dso)});
  }
  if (IsUnknownSymbol(frame.symbol)) return builder.AddLocation(location);
  const Line line{builder.AddFunction({.name = builder.Intern(frame.symbol)})};
  location.lines = std::span(&line, 1);
  return builder.AddLocation(location);
}

// The call paths of the artifact as a picture. Paths beyond the artifact's limit are not in it.
Result<std::string> PictureOf(const Analysis& analysis) {
  ProfileBuilder builder({{analysis.main.event, analysis.main.weight_unit}});
  for (const AnalysisPath& path : analysis.main.call_paths) {
    if (path.weight <= 0) continue;
    StackId stack = kEmptyStack;
    for (const AnalysisFrame& frame : path.frames) {
      stack = builder.Extend(stack, LocationOf(frame, builder));
    }
    builder.AddSample(stack, kNoLabels, {path.weight}, path.record_count);
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

// By the extension of the output when no format was asked for.
Result<bool> IsHtml(const DiagnoseOptions& options) {
  if (options.format != "auto") return options.format == "html";
  const std::string& path = options.output.path();
  if (HasExtension(path, {".html", ".htm"})) return true;
  if (HasExtension(path, {"", ".md", ".markdown", ".txt"})) return false;
  return Error{.code = ErrorCode::kUsage,
               .message = "a report ends in .md or .html, unless --format says what it is",
               .file = path};
}

Result<int> Report(const DiagnoseOptions& options) {
  const Result<bool> html = IsHtml(options);
  if (!html.ok()) return html.error();
  if (Status status = CheckFiles(options); !status.ok()) return status.error();
  const Result<Analysis> analysis = ReadAnalysis(options.analysis, options.max_input_bytes);
  if (!analysis.ok()) return analysis.error();
  const Result<nlohmann::json> diagnosis = Diagnose(analysis.value(), options.rules);
  if (!diagnosis.ok()) return diagnosis.error();
  std::string text;
  if (html.value()) {
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
                            [options] { return Report(*options); });
  AddCommon(*command, *options);
  command->add_option("--problem", options->text.problem, "What was observed")
      ->capture_default_str();
  command->add_option("--metric", options->text.metric, "What is to improve")
      ->capture_default_str();
  command->add_option("--format", options->format, "markdown or html; auto goes by the extension")
      ->check(CLI::IsMember({"auto", "markdown", "html"}))
      ->capture_default_str();
}

}  // namespace sonde::cli
