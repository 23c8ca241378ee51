// ReadSpeedscope: a Profile from a speedscope file.

#ifndef SONDE_EXPORT_SPEEDSCOPE_READ_H_
#define SONDE_EXPORT_SPEEDSCOPE_READ_H_

#include <string_view>

#include "sonde/formats.h"

namespace sonde {

// Times become nanoseconds. The name of each profile in the file becomes the
// label "thread", except in files of our own, where it names a sample type.
// Samples and events that do not fit are losses. Errors: kMalformed, kLimit.
Result<Profile> ReadSpeedscope(std::string_view text, const ReadOptions& options);

}  // namespace sonde

#endif  // SONDE_EXPORT_SPEEDSCOPE_READ_H_
