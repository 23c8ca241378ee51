// Any bytes are a command line: reading them ends, and what is found keeps its promises.

#include <cstdlib>
#include <string_view>

#include "agentlog/patch.h"
#include "agentlog/shell_command.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sonde::agentlog::ShellCommand command = sonde::agentlog::ReadShellCommand(text);
  if (command.processes.size() > 64 || command.files.size() > 256 || command.domains.size() > 64) {
    std::abort();
  }
  for (const std::string& domain : command.domains) {
    if (domain.empty() || domain.find_first_of("@/ \t\n") != std::string::npos) std::abort();
  }
  for (const std::string& process : command.processes) {
    if (process.empty() || process.find_first_of("=/ \t\n$") != std::string::npos) std::abort();
  }
  for (const sonde::agentlog::FileTouch& touch : command.files) {
    if (touch.path.empty()) std::abort();
  }
  for (const auto& touch : sonde::agentlog::FilesOfPatch(text)) {
    if (touch.path.empty()) std::abort();
  }
  return 0;
}
