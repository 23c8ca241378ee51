// TaskRow: what is known of a task of another process.

#include "cli/task_row.h"

#include <algorithm>

namespace sonde::cli {

TaskState TaskRow::state() const noexcept {
  if (dropped != 0) return TaskState::kCompleted;
  if (last_poll_started > last_poll_ended) return TaskState::kRunning;
  if (last_wake > last_poll_started) return TaskState::kScheduled;
  return TaskState::kIdle;
}
std::int64_t TaskRow::TotalNs(std::int64_t now) const noexcept {
  return std::max<std::int64_t>(0, (dropped != 0 ? dropped : now) - created);
}
std::int64_t TaskRow::BusyNs(std::int64_t now) const noexcept {
  const bool is_running = state() == TaskState::kRunning;
  return busy_ns + (is_running ? std::max<std::int64_t>(0, now - last_poll_started) : 0);
}
std::int64_t TaskRow::ScheduledNs(std::int64_t now) const noexcept {
  const bool is_scheduled = state() == TaskState::kScheduled;
  return scheduled_ns +
         (is_scheduled ? std::max<std::int64_t>(0, now - std::max(last_wake, last_poll_ended)) : 0);
}
std::int64_t TaskRow::IdleNs(std::int64_t now) const noexcept {
  return std::max<std::int64_t>(0, TotalNs(now) - BusyNs(now) - ScheduledNs(now));
}

std::vector<std::string> TaskRow::Warnings(std::int64_t now) const {
  std::vector<std::string> warnings;
  if (kind == "blocking" || kind == "block_on") return warnings;
  const TaskState where = state();
  if (where == TaskState::kIdle && waker_clones == waker_drops && polls > 0) {
    warnings.emplace_back("lost its waker");
  }
  if (wakes > 0 && self_wakes * 2 > wakes) warnings.emplace_back("wakes itself");
  constexpr std::int64_t kLongPoll = 1'000'000'000;
  if (where == TaskState::kRunning && polls <= 1 && BusyNs(now) >= kLongPoll) {
    warnings.emplace_back("never yields");
  }
  return warnings;
}

const char* NameOf(TaskState state) noexcept {
  switch (state) {
    case TaskState::kRunning:
      return "running";
    case TaskState::kScheduled:
      return "scheduled";
    case TaskState::kIdle:
      return "idle";
    case TaskState::kCompleted:
      break;
  }
  return "completed";
}

}  // namespace sonde::cli
