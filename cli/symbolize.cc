// sonde symbolize: adds file, line and inlined frames to the addresses of a profile.

#include <memory>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/profile_options.h"
#include "cli/profile_writer.h"
#include "sonde/symbolize.h"

namespace sonde::cli {
namespace {

struct SymbolizeInput {
  std::string input;
  SymbolizeOptions options;
  ProfileOptions reading;
  ProfileWriter writing;

  Result<int> Run() const {
    std::vector<std::string> inputs = options.binaries;
    inputs.push_back(input);
    if (Status status = writing.Check(inputs); !status.ok()) return status.error();
    const Result<Profile> profile = reading.Read(input);
    if (!profile.ok()) return profile.error();
    Symbolized symbolized = Symbolize(profile.value(), options);
    for (const std::string& missing : symbolized.missing) Note(missing);
    for (const std::string& unused : symbolized.unused) Note("--binary is of no use: " + unused);
    Note("found lines for " + std::to_string(symbolized.found) + " of " +
         std::to_string(symbolized.addresses) + " addresses");
    const Profile named = reading.Named(std::move(symbolized.profile));
    if (Status status = writing.Write(named); !status.ok()) return status.error();
    return 0;
  }
};

}  // namespace

void AddSymbolize(Program& program) {
  const auto symbolize = std::make_shared<SymbolizeInput>();
  CLI::App* const command = program.Command(
      "symbolize", "Add file, line and inlined frames from debug information, by build id",
      [symbolize] { return symbolize->Run(); });
  command->add_option("input", symbolize->input, "Profile to read, or - for standard input")
      ->required();
  command
      ->add_option("--binary", symbolize->options.binaries,
                   "File to look at before those the profile names. Repeatable")
      ->take_all();
  symbolize->writing.AddTo(*command);
  symbolize->reading.AddTo(*command);
}

}  // namespace sonde::cli
