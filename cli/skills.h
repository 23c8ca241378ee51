// Skills: the texts that teach an agent to use sonde, as part of the program.

#ifndef SONDE_CLI_SKILLS_H_
#define SONDE_CLI_SKILLS_H_

#include <span>
#include <string_view>

namespace sonde::cli {

struct SkillFile {
  std::string_view skill;  // Name of its folder.
  std::string_view path;   // In that folder: "SKILL.md".
  std::string_view text;
};

// All files of one skill follow each other.
std::span<const SkillFile> SkillFiles() noexcept;

}  // namespace sonde::cli

#endif  // SONDE_CLI_SKILLS_H_
