// Any bytes are lines of a Codex log: never a crash, and numbers that hold together.

#include "tests/fuzz/agent_log_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  sonde::agentlog::FeedLines(sonde::agentlog::MakeCodexDialect, data, size);
  return 0;
}
