// The sub-commands. Each has a file of its own, named after it.

#ifndef SONDE_CLI_COMMANDS_H_
#define SONDE_CLI_COMMANDS_H_

#include "cli/command.h"

namespace sonde::cli {

void AddAgent(Program& program);
void AddAnalyze(Program& program);
void AddCapture(Program& program);
void AddClassify(Program& program);
void AddCollect(Program& program);
void AddCompare(Program& program);
void AddCompletion(Program& program);
void AddConsole(Program& program);
void AddConvert(Program& program);
void AddDiff(Program& program);
void AddFlame(Program& program);
void AddInspect(Program& program);
void AddInstallSkill(Program& program);
void AddMcp(Program& program);
void AddMerge(Program& program);
void AddPush(Program& program);
void AddReport(Program& program);
void AddSessions(Program& program);
void AddSnapshot(Program& program);
void AddSnapshots(Program& program);
void AddSymbolize(Program& program);
void AddTop(Program& program);

}  // namespace sonde::cli

#endif  // SONDE_CLI_COMMANDS_H_
