// PerfCommand: the command line that records one target and nothing else.

#ifndef SONDE_EVIDENCE_PERF_COMMAND_H_
#define SONDE_EVIDENCE_PERF_COMMAND_H_

#include <string>
#include <vector>

#include "sonde/collection.h"

namespace sonde {

// What `stat` counts when nothing is asked for.
const std::vector<std::string>& DefaultCounters();

// `perf` and `output` are absolute. Every mode follows the target's own threads and children,
// so that none needs to look at the rest of the machine.
std::vector<std::string> PerfCommand(const CollectionRequest& request, const std::string& perf,
                                     const std::string& output);

// What a reader of such a recording has to know.
std::vector<std::string> WarningsFor(CollectionMode mode);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_PERF_COMMAND_H_
