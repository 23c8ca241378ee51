// ShellCommand: what a command line does: programs started, files touched, hosts contacted.

#include "agentlog/shell_command.h"

#include <utility>

#include "agentlog/shell_reader.h"

namespace sonde::agentlog {

std::string_view NameOf(Effect effect) noexcept {
  switch (effect) {
    case Effect::kTest:
      return "test";
    case Effect::kRepository:
      return "repo";
    case Effect::kNetwork:
      return "network";
    case Effect::kWrite:
      return "write";
    case Effect::kRead:
      return "read";
    case Effect::kProcess:
      break;
  }
  return "process";
}

std::string_view NameOf(Access access) noexcept {
  switch (access) {
    case Access::kRead:
      return "read";
    case Access::kWrite:
      return "write";
    case Access::kCreate:
      return "create";
    case Access::kDelete:
      return "delete";
    case Access::kRename:
      break;
  }
  return "rename";
}

ShellCommand ReadShellCommand(std::string_view text) {
  ShellReader reader;
  reader.ReadText(text, 0);
  return std::move(reader).Take();
}

ShellCommand ReadShellArguments(std::span<const std::string> words) {
  ShellReader reader;
  reader.ReadWords(words);
  return std::move(reader).Take();
}

}  // namespace sonde::agentlog
