// ShellFolder: where a command line has gone with cd.

#ifndef SONDE_AGENTLOG_SHELL_FOLDER_H_
#define SONDE_AGENTLOG_SHELL_FOLDER_H_

#include <span>
#include <string>
#include <string_view>

#include "agentlog/shell_lexer.h"

namespace sonde::agentlog {

// Copied at a subshell and put back behind it. Not thread-safe.
class ShellFolder {
 public:
  // The arguments of cd or pushd.
  void Change(std::span<const ShellToken> arguments);
  // False when `path` is relative to a folder that the text does not tell.
  bool Knows(std::string_view path) const noexcept;
  // `path` as seen from where the command line started.
  std::string Below(std::string_view path) const;

 private:
  std::string folder_;  // Empty = where the command line started.
  bool is_known_ = true;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_FOLDER_H_
