// pprof: writes a Profile as the protobuf message perftools.profiles.Profile.
// Format: https://github.com/google/pprof/blob/main/proto/profile.proto

#ifndef SONDE_PPROF_H_
#define SONDE_PPROF_H_

#include "sonde/byte_sink.h"
#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde {

// Writes the plain message (wrap the sink in a GzipSink for .pb.gz). Equal
// profiles give equal bytes. Losses and the number of records are kept as
// comments that ReadPprof takes back. Does not close the sink. Any thread.
Status WritePprof(const Profile& profile, ByteSink& sink);

}  // namespace sonde

#endif  // SONDE_PPROF_H_
