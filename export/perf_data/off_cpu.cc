// OffCpuTimes: how long threads were away from the CPU after each recorded switch.

#include "export/perf_data/off_cpu.h"

#include <algorithm>

namespace sonde::perf_data {
namespace {

// The kernel gives no id of a thread that it has let go of.
constexpr std::uint32_t kThreadThatEnded = UINT32_MAX;
// Bits of prev_state (TASK_REPORT in include/linux/sched.h): dead and zombie, whose values were
// once each other's; all that a thread may wait for. Bits above mark preemption.
constexpr std::uint64_t kEnds = 0x30;
constexpr std::uint64_t kWaits = 0xff;

OffCpuInterval EndedAt(OffCpuInterval interval, std::uint64_t time_ns) {
  const std::uint64_t away = time_ns > interval.left_ns ? time_ns - interval.left_ns : 0;
  interval.duration_ns = static_cast<std::int64_t>(std::min<std::uint64_t>(away, INT64_MAX));
  return interval;
}

}  // namespace

void OffCpuTimes::Find(const Header& header) {
  const auto& events = header.events();
  const bool has_records = std::ranges::any_of(events, &Event::has_switch_records);
  const auto found = std::ranges::find_if(events, [&](const Event& event) {
    return event.samples_every_switch() &&
           (has_records || (event.has(kSampleRaw) && header.next_thread.is_known()));
  });
  if (found == events.end()) return;
  switch_event_ = &*found;
  next_thread_ = header.next_thread;
  state_that_left_ = header.state_that_left;
  is_swapped_ = header.swapped;
}

bool OffCpuTimes::Leave(const Sample& at_switch, StackId stack) {
  const std::uint32_t tid = at_switch.tid;
  const std::optional<std::uint64_t> state = state_that_left_.In(at_switch.raw, is_swapped_);
  if (tid == 0 || tid == kThreadThatEnded || (state.value_or(0) & kEnds) != 0) return true;
  const bool was_here = !away_.contains(tid);
  away_[tid] = {.pid = at_switch.pid,
                .tid = tid,
                .cpu = at_switch.cpu,
                .stack = stack,
                .left_ns = at_switch.time_ns,
                .was_preempted = state.has_value() && (*state & kWaits) == 0};
  return was_here;
}

void OffCpuTimes::NotePreempted(std::uint32_t tid) {
  if (const auto found = away_.find(tid); found != away_.end()) found->second.was_preempted = true;
}

std::optional<OffCpuInterval> OffCpuTimes::Return(std::uint32_t tid, std::uint64_t time_ns) {
  const auto found = away_.find(tid);
  if (found == away_.end()) return std::nullopt;
  const OffCpuInterval interval = EndedAt(found->second, time_ns);
  away_.erase(found);
  return interval;
}

std::optional<OffCpuInterval> OffCpuTimes::ReturnOfNext(const Sample& at_switch) {
  const std::optional<std::uint64_t> next = next_thread_.In(at_switch.raw, is_swapped_);
  return next ? Return(static_cast<std::uint32_t>(*next), at_switch.time_ns) : std::nullopt;
}

std::vector<OffCpuInterval> OffCpuTimes::End(std::uint64_t time_ns) {
  std::vector<OffCpuInterval> rest;
  for (const auto& [tid, interval] : away_) rest.push_back(EndedAt(interval, time_ns));
  away_.clear();
  return rest;
}

}  // namespace sonde::perf_data
