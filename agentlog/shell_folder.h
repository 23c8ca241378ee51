// ShellFolder: where a command line has gone with cd.

#ifndef SONDE_AGENTLOG_SHELL_FOLDER_H_
#define SONDE_AGENTLOG_SHELL_FOLDER_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/shell_lexer.h"

namespace sonde::agentlog {

// Copied at a subshell and put back behind it. Not thread-safe.
class ShellFolder {
 public:
  // The arguments of cd.
  void Change(std::span<const ShellToken> arguments);
  // The arguments of pushd.
  void Push(std::span<const ShellToken> arguments);
  void Pop();
  // False when `path` is relative to a folder that the text does not tell.
  bool Knows(std::string_view path) const noexcept;
  // `path` as seen from where the command line started.
  std::string Below(std::string_view path) const;

 private:
  struct Place {
    std::string folder{};  // Empty = where the command line started.
    bool is_known = true;
  };

  void GoTo(const ShellToken& folder);

  Place now_;
  Place before_{.is_known = false};
  std::vector<Place> pushed_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SHELL_FOLDER_H_
