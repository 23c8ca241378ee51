// GperftoolsProfile: the CPU profile format of gperftools, written.
// Format: https://github.com/gperftools/gperftools/blob/master/docs/cpuprofile-fileformat.adoc

#ifndef SONDE_SAMPLER_GPERFTOOLS_PROFILE_H_
#define SONDE_SAMPLER_GPERFTOOLS_PROFILE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "sampler/interval.h"
#include "sonde/byte_sink.h"
#include "sonde/result.h"

namespace sonde {

// Adds up intervals. Not thread-safe.
class GperftoolsProfile {
 public:
  void Add(const Interval& interval);

  // 64-bit words of this machine, then the mappings of this process as they are now. Closes the
  // sink.
  Status Write(ByteSink& sink) const;

  // In sampling periods.
  std::uint64_t samples() const noexcept { return samples_; }

 private:
  std::int64_t period_ns_ = 0;
  std::uint64_t samples_ = 0;
  std::map<std::vector<std::uint64_t>, std::uint64_t> stacks_;  // From the leaf; weight.
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_GPERFTOOLS_PROFILE_H_
