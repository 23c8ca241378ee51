// sonde: the program. Each sub-command has a file of its own.

#include <malloc.h>

#include <algorithm>
#include <array>

#include "cli/command.h"
#include "cli/command_word.h"
#include "cli/commands.h"

namespace sonde::cli {
namespace {

struct Named {
  std::string_view name;
  void (*add)(Program&);
};

// Those without a name add several sub-commands, or describe the others.
constexpr std::array kCommands{Named{"agent", AddAgent},
                               Named{"analyze", AddAnalyze},
                               Named{"capture", AddCapture},
                               Named{"classify", AddClassify},
                               Named{"collect", AddCollect},
                               Named{{}, AddCompare},
                               Named{{}, AddCompletion},
                               Named{"console", AddConsole},
                               Named{"convert", AddConvert},
                               Named{"diff", AddDiff},
                               Named{"flame", AddFlame},
                               Named{{}, AddInspect},
                               Named{"install-skill", AddInstallSkill},
                               Named{"mcp", AddMcp},
                               Named{"merge", AddMerge},
                               Named{"push", AddPush},
                               Named{"report", AddReport},
                               Named{"sessions", AddSessions},
                               Named{"snapshot", AddSnapshot},
                               Named{"snapshots", AddSnapshots},
                               Named{"symbolize", AddSymbolize},
                               Named{"top", AddTop}};

// Blocks of this size and more are mapped, and go back to the system when they are freed. glibc
// takes the same number, but raises it with each that is freed unless it was set: of a table that
// has grown the heap would keep the smaller ones.
constexpr int kMappedBytes = 128 * 1024;

}  // namespace
}  // namespace sonde::cli

int main(int argc, char** argv) {
  using namespace sonde::cli;
  mallopt(M_MMAP_THRESHOLD, kMappedBytes);
  Program program;
  const std::string_view word = CommandWord(argc, argv);
  const auto is_asked_for = [&](const Named& command) {
    return !command.name.empty() && command.name == word;
  };
  // The options of all others would be most of the memory that a small job takes.
  const bool is_one = std::ranges::any_of(kCommands, is_asked_for);
  for (const Named& command : kCommands) {
    if (!is_one || is_asked_for(command)) command.add(program);
  }
  return program.Run(argc, argv);
}
