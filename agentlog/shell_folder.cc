// ShellFolder: where a command line has gone with cd.

#include "agentlog/shell_folder.h"

namespace sonde::agentlog {
namespace {

bool IsAbsolute(std::string_view path) noexcept {
  return path.starts_with('/') || path.starts_with('~');
}

}  // namespace

bool ShellFolder::Knows(std::string_view path) const noexcept {
  return is_known_ || IsAbsolute(path);
}

std::string ShellFolder::Below(std::string_view path) const {
  if (folder_.empty() || IsAbsolute(path)) return std::string(path);
  return folder_ + '/' + std::string(path);
}

void ShellFolder::Change(std::span<const ShellToken> arguments) {
  while (!arguments.empty() && arguments.front().text.starts_with('-') &&
         arguments.front().text.size() > 1) {
    arguments = arguments.subspan(1);
  }
  if (arguments.empty()) {
    folder_ = "~";
    is_known_ = true;
  } else if (!arguments.front().is_literal || arguments.front().is_pattern ||
             arguments.front().text == "-") {
    is_known_ = false;
  } else {
    const std::string_view to = arguments.front().text;
    const bool is_absolute = IsAbsolute(to);
    if (!is_known_ && !is_absolute) return;
    folder_ = is_absolute ? std::string(to) : Below(to);
    is_known_ = true;
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  }
}

}  // namespace sonde::agentlog
