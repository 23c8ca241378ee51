// sonde: the program. Each sub-command has a file of its own.

#include "cli/command.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  sonde::cli::Program program;
  sonde::cli::AddAgent(program);
  sonde::cli::AddAnalyze(program);
  sonde::cli::AddCapture(program);
  sonde::cli::AddClassify(program);
  sonde::cli::AddCollect(program);
  sonde::cli::AddCompare(program);
  sonde::cli::AddCompletion(program);
  sonde::cli::AddConsole(program);
  sonde::cli::AddConvert(program);
  sonde::cli::AddDiff(program);
  sonde::cli::AddFlame(program);
  sonde::cli::AddInspect(program);
  sonde::cli::AddInstallSkill(program);
  sonde::cli::AddMcp(program);
  sonde::cli::AddMerge(program);
  sonde::cli::AddPush(program);
  sonde::cli::AddReport(program);
  sonde::cli::AddSessions(program);
  sonde::cli::AddSnapshot(program);
  sonde::cli::AddSnapshots(program);
  sonde::cli::AddSymbolize(program);
  sonde::cli::AddTop(program);
  return program.Run(argc, argv);
}
