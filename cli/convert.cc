// sonde convert: one profile in another format.

#include <memory>

#include "cli/commands.h"
#include "cli/profile_options.h"
#include "cli/profile_writer.h"

namespace sonde::cli {
namespace {

struct Convert {
  std::string input;
  ProfileOptions reading;
  ProfileWriter writing;

  Result<int> Run() const {
    if (Status status = writing.Check({&input, 1}); !status.ok()) return status.error();
    const Result<Profile> profile = reading.Read(input);
    if (!profile.ok()) return profile.error();
    if (Status status = writing.Write(profile.value()); !status.ok()) return status.error();
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
  convert->writing.AddTo(*command);
  convert->reading.AddTo(*command);
}

}  // namespace sonde::cli
