// ReadPerfScript: the text that `perf script` prints, as a Profile.

#ifndef SONDE_EXPORT_PERF_SCRIPT_PERF_SCRIPT_H_
#define SONDE_EXPORT_PERF_SCRIPT_PERF_SCRIPT_H_

#include <cstddef>
#include <string_view>

#include "sonde/formats.h"

namespace sonde {

// One sample type an event, in order of appearance and the first one shown by
// default; labels "comm", "pid", "tid" as far as the text tells them. A period
// that is not printed or 0 weighs 1. Lines that are neither a sample nor a frame
// are losses ("unknown line"), and so is a last line that breaks off ("text cut off"); when strict
// they are kMalformed with the line. Texts of
// `smallest_to_split` bytes or more are read by two threads, with equal results.
// Fails with kMalformed when the text holds no sample, kLimit.
Result<Profile> ReadPerfScript(std::string_view text, const ReadOptions& options,
                               std::size_t smallest_to_split = std::size_t{32} << 20);

}  // namespace sonde

#endif  // SONDE_EXPORT_PERF_SCRIPT_PERF_SCRIPT_H_
