// Any bytes are lines of a Claude Code transcript: never a crash, and numbers that hold together.

#include "tests/fuzz/agent_log_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  sonde::agentlog::FeedLines(sonde::agentlog::MakeClaudeDialect, data, size);
  return 0;
}
