// ShellFolder: where a command line has gone with cd.

#include "agentlog/shell_folder.h"

#include <utility>

namespace sonde::agentlog {
namespace {

bool IsAbsolute(std::string_view path) noexcept {
  return path.starts_with('/') || path.starts_with('~');
}

constexpr std::size_t kMaxPushed = 64;
constexpr std::size_t kMaxFolder = 4096;

std::span<const ShellToken> WithoutOptions(std::span<const ShellToken> arguments) {
  while (!arguments.empty() && arguments.front().text.starts_with('-') &&
         arguments.front().text.size() > 1) {
    arguments = arguments.subspan(1);
  }
  return arguments;
}

}  // namespace

bool ShellFolder::Knows(std::string_view path) const noexcept {
  return now_.is_known || IsAbsolute(path);
}

std::string ShellFolder::Below(std::string_view path) const {
  if (now_.folder.empty() || IsAbsolute(path)) return std::string(path);
  return now_.folder + '/' + std::string(path);
}

void ShellFolder::Change(std::span<const ShellToken> arguments) {
  arguments = WithoutOptions(arguments);
  if (!arguments.empty() && arguments.front().text == "-") {
    std::swap(now_, before_);
    return;
  }
  before_ = now_;
  if (arguments.empty()) {
    now_ = {.folder = "~"};
  } else {
    GoTo(arguments.front());
  }
}

void ShellFolder::GoTo(const ShellToken& folder) {
  if (!folder.is_literal || folder.is_pattern) {
    now_.is_known = false;
    return;
  }
  const bool is_absolute = IsAbsolute(folder.text);
  if (!now_.is_known && !is_absolute) return;
  now_ = {.folder = is_absolute ? folder.text : Below(folder.text)};
  now_.is_known = now_.folder.size() <= kMaxFolder;
  if (!now_.is_known) now_.folder.clear();
  while (now_.folder.size() > 1 && now_.folder.ends_with('/')) now_.folder.pop_back();
}

void ShellFolder::Push(std::span<const ShellToken> arguments) {
  arguments = WithoutOptions(arguments);
  if (arguments.empty()) {
    // Changes places with the one on top.
    if (pushed_.empty()) return;
    before_ = now_;
    std::swap(now_, pushed_.back());
    return;
  }
  if (pushed_.size() == kMaxPushed) pushed_.erase(pushed_.begin());
  pushed_.push_back(now_);
  Change(arguments);
}

void ShellFolder::Pop() {
  if (pushed_.empty()) return;
  before_ = std::exchange(now_, std::move(pushed_.back()));
  pushed_.pop_back();
}

}  // namespace sonde::agentlog
