// sonde merge: the sum of several profiles.

#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/profile_options.h"
#include "cli/profile_writer.h"
#include "sonde/combine.h"

namespace sonde::cli {
namespace {

struct MergeInputs {
  std::vector<std::string> inputs;
  bool common = false;
  ProfileOptions reading;
  ProfileWriter writing;

  // The number of the first profile that does not go with the first one.
  static std::size_t FirstToDiffer(const std::vector<const Profile*>& profiles,
                                   TypeMismatch mismatch) {
    std::size_t number = 1;
    while (number + 1 < profiles.size()) {
      const Profile* const pair[] = {profiles.front(), profiles[number]};
      if (!Merge(pair, mismatch).ok()) break;
      ++number;
    }
    return number;
  }

  Result<int> Run() const {
    if (Status status = writing.Check(inputs); !status.ok()) return status.error();
    std::vector<Profile> profiles;
    for (const std::string& input : inputs) {
      Result<Profile> profile = reading.Read(input, writing.needs());
      if (!profile.ok()) return profile.error();
      profiles.push_back(std::move(profile).value());
    }
    std::vector<const Profile*> pointers;
    for (const Profile& profile : profiles) pointers.push_back(&profile);
    const TypeMismatch mismatch = common ? TypeMismatch::kCommon : TypeMismatch::kRefuse;
    const Result<Profile> sum = Merge(pointers, mismatch);
    if (!sum.ok()) return InFile(sum.error(), inputs[FirstToDiffer(pointers, mismatch)]);
    if (Status status = writing.Write(sum.value()); !status.ok()) return status.error();
    return 0;
  }
};

}  // namespace

void AddMerge(Program& program) {
  const auto merge = std::make_shared<MergeInputs>();
  CLI::App* const command =
      program.Command("merge", "Add up several profiles", [merge] { return merge->Run(); });
  command->add_option("inputs", merge->inputs, "Profiles to read, of any format")->required();
  command->add_flag("--common", merge->common,
                    "Keep the sample types that all inputs have, instead of refusing unlike ones");
  merge->writing.AddTo(*command);
  merge->reading.AddTo(*command);
}

}  // namespace sonde::cli
