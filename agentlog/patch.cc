// FilesOfPatch: the files that a patch of an agent adds, changes, deletes or moves.

#include "agentlog/patch.h"

#include <algorithm>
#include <utility>

#include "agentlog/shell_operands.h"

namespace sonde::agentlog {
namespace {

constexpr std::size_t kMaxFiles = 256;

}  // namespace

bool IsPatch(std::string_view text) noexcept {
  return text.find("*** Begin Patch") != std::string_view::npos;
}

std::vector<FileTouch> FilesOfPatch(std::string_view text) {
  constexpr std::pair<std::string_view, Access> kMarks[] = {
      {"*** Add File: ", Access::kCreate},
      {"*** Update File: ", Access::kWrite},
      {"*** Delete File: ", Access::kDelete},
      {"*** Move to: ", Access::kRename},
  };
  std::vector<FileTouch> files;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (const auto& [mark, access] : kMarks) {
      if (!line.starts_with(mark)) continue;
      line.remove_prefix(mark.size());
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
      if (!IsFilePath(line) || files.size() == kMaxFiles) break;
      if (access == Access::kRename) {
        if (files.empty() || files.back().access != Access::kWrite) break;
        files.back() = {Access::kRename, std::string(line), files.back().path};
      } else {
        files.push_back({access, std::string(line)});
      }
      break;
    }
  }
  return files;
}

}  // namespace sonde::agentlog
