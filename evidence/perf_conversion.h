// PerfConversion: perf's own reading of a recording, for one that ours does not understand.

#ifndef SONDE_EVIDENCE_PERF_CONVERSION_H_
#define SONDE_EVIDENCE_PERF_CONVERSION_H_

#include <cstdint>
#include <stop_token>
#include <string>

#include "sonde/result.h"

namespace sonde {

struct PerfConversion {
  std::string script;    // The text of perf script.
  bool has_cpu = true;   // Without --sample-cpu perf has no CPU to print.
  std::string messages;  // What perf said beside it.
};

// Runs `perf`, an absolute path of perf and nothing else, on `recording`: read only, bounded in
// time and in the bytes it may write, and ended when `stop` asks for it. kPathSafety, kTool,
// kTimeout, kLimit. Any thread.
Result<PerfConversion> ConvertRecording(const std::string& perf, const std::string& recording,
                                        double timeout_seconds, std::uint64_t max_bytes,
                                        const std::stop_token& stop);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_PERF_CONVERSION_H_
