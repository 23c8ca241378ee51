// sonde install-skill: puts the skills where coding agents look for them.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/agent_options.h"
#include "cli/commands.h"
#include "cli/skills.h"
#include "sonde/byte_sink.h"

namespace sonde::cli {
namespace {

struct InstallSkill {
  std::string root = ".";
  std::vector<std::string> skills;
  std::vector<std::string> agents;

  Result<int> Run() const;
};

struct Placement {
  std::string path;
  std::string_view text;
  bool is_there = false;  // Already, with the same text.
};

bool IsChosen(const std::vector<std::string>& chosen, std::string_view name) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

// Links may not lead the skills out of the folder they are installed into.
Status CheckInside(const std::filesystem::path& path, const std::string& root) {
  std::error_code failure;
  const std::filesystem::path inner = std::filesystem::weakly_canonical(root, failure);
  if (std::filesystem::exists(inner) && !std::filesystem::is_directory(inner)) {
    return Error{.code = ErrorCode::kInvalid, .message = "not a folder", .file = root};
  }
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, failure);
  const auto parted = std::mismatch(inner.begin(), inner.end(), target.begin(), target.end());
  if (failure || parted.first != inner.end()) {
    return Error{.code = ErrorCode::kPathSafety,
                 .message = "a link leads out of " + inner.string(),
                 .file = path.string()};
  }
  return {};
}

Result<int> InstallSkill::Run() const {
  for (const std::string& wanted : skills) {
    const auto known = [&](const SkillFile& file) { return file.skill == wanted; };
    if (std::ranges::none_of(SkillFiles(), known)) {
      std::string names;
      for (const SkillFile& file : SkillFiles()) {
        if (file.path == "SKILL.md") names += ' ' + std::string(file.skill);
      }
      return Error{.code = ErrorCode::kUsage,
                   .message = "there is no skill '" + wanted + "' among" + names};
    }
  }
  if (std::error_code error; !std::filesystem::exists(root, error)) {
    return Error{.code = ErrorCode::kNotFound, .message = "no such folder", .file = root};
  }
  // Nothing is written unless everything may be.
  std::vector<Placement> placements;
  for (const auto& [agent, folder] :
       {std::pair{"agents", ".agents/skills"}, std::pair{"claude", ".claude/skills"}}) {
    if (!IsChosen(agents, agent)) continue;
    for (const SkillFile& file : SkillFiles()) {
      if (!IsChosen(skills, file.skill)) continue;
      const std::filesystem::path path =
          std::filesystem::path(root) / folder / file.skill / file.path;
      if (Status status = CheckInside(path, root); !status.ok()) return status.error();
      Placement placement{.path = path.string(), .text = file.text};
      std::error_code error;
      if (std::filesystem::symlink_status(path, error).type() !=
          std::filesystem::file_type::not_found) {
        const Result<std::string> there = ReadTextFile(placement.path);
        if (!there.ok() || there.value() != file.text) {
          return Error{.code = ErrorCode::kPathSafety,
                       .message = "another file is there and is not overwritten",
                       .file = placement.path};
        }
        placement.is_there = true;
      }
      placements.push_back(std::move(placement));
    }
  }
  for (const Placement& placement : placements) {
    if (placement.is_there) {
      std::cout << "unchanged " << placement.path << '\n';
      continue;
    }
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(placement.path).parent_path(), error);
    if (error) {
      return Error{.code = ErrorCode::kOutput,
                   .message = "cannot make its folder: " + error.message(),
                   .file = placement.path};
    }
    Result<std::unique_ptr<FileSink>> file = FileSink::Open(placement.path);
    if (!file.ok()) return InFile(file.error(), placement.path);
    Status written = file.value()->Write(placement.text);
    if (written.ok()) written = file.value()->Close();
    if (!written.ok()) return InFile(written.error(), placement.path);
    std::cout << "installed " << placement.path << '\n';
  }
  return 0;
}

}  // namespace

void AddInstallSkill(Program& program) {
  const auto install = std::make_shared<InstallSkill>();
  CLI::App* const command =
      program.Command("install-skill", "Install the skills that teach coding agents to use sonde",
                      [install] { return install->Run(); });
  command->add_option("--root,--project", install->root, "Project or home folder to install into")
      ->capture_default_str();
  command
      ->add_option("--for", install->agents,
                   "agents (.agents/skills) or claude (.claude/skills); both when not given")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"agents", "claude"}));
  command->add_option("--skill", install->skills, "Skill to install; all when not given")
      ->allow_extra_args(false);
}

}  // namespace sonde::cli
