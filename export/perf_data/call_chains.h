// CallChains: the call chain of each sample, from all that the sample recorded of it.

#ifndef SONDE_EXPORT_PERF_DATA_CALL_CHAINS_H_
#define SONDE_EXPORT_PERF_DATA_CALL_CHAINS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "export/perf_data/unwinder.h"

namespace sonde::perf_data {

// Not thread-safe.
class CallChains {
 public:
  // `modules` outlives the object. `unwinds`: follow recorded stacks, where there are any.
  CallChains(Modules& modules, bool unwinds) : unwinder_(modules), unwinds_(unwinds) {}

  // As Frames::StackOf takes it: what the kernel followed, then calls from last-branch records,
  // then what is unwound from recorded registers and stack. `misc` is the record's. Valid until
  // the next call.
  std::span<const std::uint64_t> Of(const Event& event, std::uint16_t misc, const Sample& sample,
                                    const Process& process);

  // Samples whose stack could not be followed to its end.
  std::uint64_t truncated() const noexcept { return truncated_; }

 private:
  Unwinder unwinder_;
  bool unwinds_;
  std::vector<std::uint64_t> chain_;
  std::uint64_t truncated_ = 0;
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_CALL_CHAINS_H_
