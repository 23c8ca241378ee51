// ReadPprof: a Profile from the protobuf message perftools.profiles.Profile.

#ifndef SONDE_EXPORT_PPROF_DECODE_H_
#define SONDE_EXPORT_PPROF_DECODE_H_

#include <string_view>

#include "sonde/formats.h"

namespace sonde {

// Errors: kMalformed with the byte offset of the field at fault, also for
// profiles that were written one behind the other; kLimit.
Result<Profile> ReadPprof(std::string_view message, const ReadOptions& options);

}  // namespace sonde

#endif  // SONDE_EXPORT_PPROF_DECODE_H_
