// Skills: the texts that teach an agent to use sonde, as part of the program.

#ifndef SONDE_CLI_SKILLS_H_
#define SONDE_CLI_SKILLS_H_

#include <span>
#include <string_view>

namespace sonde::cli {

struct Skill {
  std::string_view name;  // Of its folder.
  std::string_view text;  // Of its SKILL.md.
};

std::span<const Skill> Skills() noexcept;

}  // namespace sonde::cli

#endif  // SONDE_CLI_SKILLS_H_
