// ReadChromeTrace: a Profile from a trace in Chrome's event format.

#ifndef SONDE_EXPORT_CHROME_TRACE_READ_H_
#define SONDE_EXPORT_CHROME_TRACE_READ_H_

#include <string_view>

#include "sonde/formats.h"

namespace sonde {

// Spans (complete events X, and pairs of B and E) nest by time on each thread; a
// span weighs the time that none of its children covers. Labels: pid, tid, and thread
// where its name is told. Events without a duration are counted as losses.
// Errors: kMalformed, kLimit.
Result<Profile> ReadChromeTrace(std::string_view text, const ReadOptions& options);

}  // namespace sonde

#endif  // SONDE_EXPORT_CHROME_TRACE_READ_H_
