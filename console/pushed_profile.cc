// PushedProfile: a profile as it is pushed.

#include "console/pushed_profile.h"

#include <utility>

#include "sonde/byte_sink.h"
#include "sonde/pprof.h"

namespace sonde {

Result<PushedProfile> MakePushedProfile(const Profile& profile, std::int64_t time_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  PushedProfile pushed;
  StringSink bytes;
  GzipSink gzip(bytes);
  Status written = WritePprof(profile, gzip);
  if (written.ok()) written = gzip.Close();
  if (!written.ok()) return written.error();
  pushed.bytes = std::move(bytes).Take();
  pushed.time_ns = profile.time_ns() != 0 ? profile.time_ns() : time_ns;
  pushed.duration_ns = profile.duration_ns();
  pushed.sample_types.assign(profile.sample_types().begin(), profile.sample_types().end());
  if (profile.period() > 0 && profile.period_type().unit == "nanoseconds") {
    pushed.samples_per_second = (kSecond + profile.period() / 2) / profile.period();
  }
  return pushed;
}

}  // namespace sonde
