// OffCpuTimes: how long threads were away from the CPU after each recorded switch.

#include "export/perf_data/off_cpu.h"

#include <algorithm>

#include "export/perf_data/cursor.h"

namespace sonde::perf_data {
namespace {

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
           (has_records || (event.has(kSampleRaw) && header.next_thread_offset != 0));
  });
  if (found == events.end()) return;
  switch_event_ = &*found;
  next_thread_offset_ = header.next_thread_offset;
  is_swapped_ = header.swapped;
}

bool OffCpuTimes::Leave(std::uint32_t pid, std::uint32_t tid, std::uint32_t cpu,
                        std::uint64_t time_ns, StackId stack) {
  if (tid == 0) return true;
  const bool was_here = !away_.contains(tid);
  away_[tid] = {.pid = pid, .tid = tid, .cpu = cpu, .stack = stack, .left_ns = time_ns};
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
  if (next_thread_offset_ == 0) return std::nullopt;
  Cursor fields(at_switch.raw, is_swapped_);
  fields.Skip(next_thread_offset_);
  const std::uint32_t next = fields.U32();
  return fields.ok() ? Return(next, at_switch.time_ns) : std::nullopt;
}

std::vector<OffCpuInterval> OffCpuTimes::End(std::uint64_t time_ns) {
  std::vector<OffCpuInterval> rest;
  for (const auto& [tid, interval] : away_) rest.push_back(EndedAt(interval, time_ns));
  away_.clear();
  return rest;
}

}  // namespace sonde::perf_data
