// sonde flame: a profile as a flame graph in one file.

#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/flame_file.h"
#include "cli/granularity.h"
#include "cli/output.h"
#include "cli/profile_options.h"

namespace sonde::cli {
namespace {

struct Flame {
  std::string input;
  std::string output = "-";
  std::string sample_type;
  std::string by = "functions";
  ProfileOptions reading;
  FlameFile file;

  Result<int> Run() const {
    if (Status status = CheckOutput(output, input); !status.ok()) return status.error();
    if (output != "-" && !FlameFile::IsNamedLikeOne(output)) {
      return Error{.code = ErrorCode::kUsage,
                   .message = "the output of flame ends in .svg or .html",
                   .file = output};
    }
    Result<Profile> read = reading.Read(input, NeedsOfNames(by));
    if (!read.ok()) return read.error();
    const Profile profile = GroupedBy(by, std::move(read).value());
    const Result<std::size_t> type = ProfileOptions::SampleType(profile, sample_type);
    if (!type.ok()) return type.error();

    const Result<FlameGraph> graph = GraphOf(profile, type.value());
    if (!graph.ok()) return InFile(graph.error(), input);
    const FlameStyle style = file.Style(input == "-" ? "Flame graph" : std::string(BaseName(input)),
                                        DescribeForFlame(profile, type.value()));
    if (Status status = FlameFile::Write(graph.value(), style, output); !status.ok()) {
      return status.error();
    }
    return 0;
  }

 private:
  Result<FlameGraph> GraphOf(const Profile& profile, std::size_t type) const {
    const FrameNames names(profile, GranularityNamed(by));
    const FlameShape shape = file.Shape(profile.sample_types()[type]);
    // A profile with negative weights is a difference: what was removed against what was added.
    std::vector<std::int64_t> added(profile.sample_count());
    std::vector<std::int64_t> removed(profile.sample_count());
    bool is_difference = false;
    for (std::size_t i = 0; i < profile.sample_count(); ++i) {
      const std::int64_t weight = profile.value(i, type);
      if (weight >= 0) {
        added[i] = weight;
      } else {
        removed[i] = SaturatingAdd(-(weight + 1), 1);
        is_difference = true;
      }
    }
    if (!is_difference) {
      return FlameGraph::Make(CallTree(names, type, shape.direction), shape);
    }
    return FlameGraph::MakeDifference(CallTree(names, removed, shape.direction),
                                      CallTree(names, added, shape.direction), shape);
  }
};

}  // namespace

void AddFlame(Program& program) {
  const auto flame = std::make_shared<Flame>();
  CLI::App* const command = program.Command(
      "flame", "Draw a profile as a flame graph, one SVG or HTML file that opens anywhere",
      [flame] { return flame->Run(); });
  command->add_option("input", flame->input, "Profile to read, or - for standard input")
      ->required();
  command
      ->add_option("-o,--output", flame->output,
                   "File to write, .svg or .html (and .gz); - for SVG on standard output")
      ->capture_default_str();
  command->add_option("--sample-type", flame->sample_type, "What to weigh, by name or number");
  AddGranularity(*command, flame->by);
  flame->file.AddTo(*command);
  flame->reading.AddTo(*command);
}

}  // namespace sonde::cli
