// ReadPerfData: a recording of the perf tool, read without it, as a Profile.

#ifndef SONDE_EXPORT_PERF_DATA_PERF_DATA_H_
#define SONDE_EXPORT_PERF_DATA_PERF_DATA_H_

#include <string_view>

#include "sonde/formats.h"

namespace sonde {

// One sample type an event; labels "comm", "pid", "tid". Reads files and what went
// through a pipe, of either byte order, compressed or not, of newer kernels too.
// What the kernel lost, records of unknown types and what is behind a fault are
// losses; strict makes a fault an error. Names come from the files on this machine
// whose build ids agree. Fails with kMalformed, kUnsupported, kLimit.
Result<Profile> ReadPerfData(std::string_view file, const ReadOptions& options);

}  // namespace sonde

#endif  // SONDE_EXPORT_PERF_DATA_PERF_DATA_H_
