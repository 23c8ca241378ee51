// sonde convert: one profile in another format.

#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/profile_options.h"
#include "cli/profile_writer.h"

namespace sonde::cli {
namespace {

struct Convert {
  std::string input;
  bool split = false;
  ProfileOptions reading;
  ProfileWriter writing;

  Result<int> Run() const {
    if (Status status = writing.Check({&input, 1}); !status.ok()) return status.error();
    if (split) return Split();
    const Result<Profile> profile = reading.Read(input, writing.needs());
    if (!profile.ok()) return profile.error();
    if (Status status = writing.Write(profile.value()); !status.ok()) return status.error();
    return 0;
  }

  Result<int> Split() const {
    const Result<std::vector<Profile>> profiles = reading.ReadEach(input);
    if (!profiles.ok()) return profiles.error();
    if (Status status = writing.WriteEach(profiles.value(), {&input, 1}); !status.ok()) {
      return status.error();
    }
    return 0;
  }
};

}  // namespace

void AddConvert(Program& program) {
  const auto convert = std::make_shared<Convert>();
  CLI::App* const command =
      program.Command("convert", "Write a profile of any format in another one",
                      [convert] { return convert->Run(); });
  command->add_option("input", convert->input, "Profile to read, or - for standard input")
      ->required();
  command->add_flag("--split", convert->split,
                    "Take several pprof profiles in one file apart: OUT.1.EXTENSION and so on");
  convert->writing.AddTo(*command);
  convert->reading.AddTo(*command);
}

}  // namespace sonde::cli
