// OffCpuTimes: how long threads were away from the CPU after each recorded switch.

#ifndef SONDE_EXPORT_PERF_DATA_OFF_CPU_H_
#define SONDE_EXPORT_PERF_DATA_OFF_CPU_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "export/perf_data/header.h"
#include "export/perf_data/sample.h"
#include "sonde/profile.h"

namespace sonde::perf_data {

// A thread left the CPU on `stack` and was away for a time.
struct OffCpuInterval {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::uint32_t cpu = 0;  // That it left, or kNoCpu.
  StackId stack = kEmptyStack;
  std::uint64_t left_ns = 0;  // Of the recording's clock.
  std::int64_t duration_ns = 0;
  bool was_preempted = false;  // It could have run on.
};

// Fed in order of time. Memory is bounded by the threads that are away. Not thread-safe.
class OffCpuTimes {
 public:
  // Looks for the event that is sampled at every switch, in a recording that tells of returns too.
  // Called once, before the rest.
  void Find(const Header& header);
  bool is_recorded() const noexcept { return switch_event_ != nullptr; }
  bool IsSwitch(const Event* event) const noexcept {
    return event != nullptr && event == switch_event_;
  }

  // False when the return from an earlier switch was never seen: that interval has no end and is
  // forgotten. Thread 0, which is idleness, and threads that end are passed over.
  bool Leave(const Sample& at_switch, StackId stack);
  // The switch that was seen last was not of the thread's own will.
  void NotePreempted(std::uint32_t tid);
  // Nothing when it was not seen to leave.
  std::optional<OffCpuInterval> Return(std::uint32_t tid, std::uint64_t time_ns);
  // The return of the thread that the sample of a switch says comes next.
  std::optional<OffCpuInterval> ReturnOfNext(const Sample& at_switch);
  // The thread is no more.
  void Forget(std::uint32_t tid) { away_.erase(tid); }
  // Those that are away at the end of the recording, by thread.
  std::vector<OffCpuInterval> End(std::uint64_t time_ns);

 private:
  const Event* switch_event_ = nullptr;  // Whose samples say on which stack a thread left.
  TraceField next_thread_;
  TraceField state_that_left_;
  bool is_swapped_ = false;
  std::map<std::uint32_t, OffCpuInterval> away_;  // By thread.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_OFF_CPU_H_
