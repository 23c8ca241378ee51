// LockWaits: how long threads waited for locks of the kernel, from its tracepoints.

#ifndef SONDE_EXPORT_PERF_DATA_LOCK_WAITS_H_
#define SONDE_EXPORT_PERF_DATA_LOCK_WAITS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "export/perf_data/header.h"
#include "export/perf_data/sample.h"
#include "sonde/profile.h"

namespace sonde::perf_data {

// A thread waited for a lock, on `stack`.
struct LockWait {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint32_t cpu = 0;  // That it began on, or kNoCpu.
  std::uint64_t lock = 0;
  std::uint32_t kind = 0;  // As the kernel says it.
  StackId stack = kEmptyStack;
  std::uint64_t began_ns = 0;  // Of the recording's clock.
  std::int64_t duration_ns = 0;
  std::int64_t inner_ns = 0;  // Of that, for other locks meanwhile.
};

// "mutex", "spinlock", "rwsem:R", ...: what perf calls that kind of lock.
std::string_view LockKindName(std::uint32_t kind) noexcept;

// Fed in order of time. A wait within another, as for the spin lock inside a mutex, is taken off
// the outer one: no nanosecond of a thread counts twice. Memory is bounded by the waits that go on,
// at most 8 a thread. Not thread-safe.
class LockWaits {
 public:
  // Looks for the two tracepoints among the events: both, every one of them.
  void Find(const Header& header);
  bool is_recorded() const noexcept { return begin_ != nullptr; }
  bool IsBegin(const Event* event) const noexcept { return event != nullptr && event == begin_; }
  bool IsEnd(const Event* event) const noexcept { return event != nullptr && event == end_; }

  // A lock that is waited for already, as a mutex that was spun for first, is still the same wait.
  // False when something of the sample is not there, or too many waits are open.
  bool Begin(const Sample& sample, StackId stack);
  // Nothing when the beginning was not seen.
  std::optional<LockWait> End(const Sample& sample);
  // The thread is no more.
  void Forget(std::uint32_t tid) { waiting_.erase(tid); }
  // Those that wait at the end of the recording, by thread.
  std::vector<LockWait> EndAll(std::uint64_t time_ns);

 private:
  std::optional<std::uint64_t> LockOf(const Sample& sample) const;

  const Event* begin_ = nullptr;
  const Event* end_ = nullptr;
  TraceField lock_;
  TraceField kind_;
  bool is_swapped_ = false;
  std::map<std::uint32_t, std::vector<LockWait>> waiting_;  // By thread, the innermost last.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_LOCK_WAITS_H_
