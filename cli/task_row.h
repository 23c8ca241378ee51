// TaskRow: what is known of a task of another process.

#ifndef SONDE_CLI_TASK_ROW_H_
#define SONDE_CLI_TASK_ROW_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sonde::cli {

enum class TaskState : std::uint8_t { kRunning, kScheduled, kIdle, kCompleted };

// Times are Unix nanoseconds, 0 = never.
struct TaskRow {
  std::uint64_t id = 0;
  std::string name;
  std::string kind;
  std::string target;
  std::string location;
  std::vector<std::pair<std::string, std::string>> fields;  // Without name and kind.
  std::int64_t created = 0;
  std::int64_t dropped = 0;
  std::uint64_t wakes = 0;
  std::uint64_t self_wakes = 0;
  std::uint64_t waker_clones = 0;
  std::uint64_t waker_drops = 0;
  std::int64_t last_wake = 0;
  std::uint64_t polls = 0;
  std::int64_t first_poll = 0;
  std::int64_t last_poll_started = 0;
  std::int64_t last_poll_ended = 0;
  std::int64_t busy_ns = 0;       // Of polls that are over.
  std::int64_t scheduled_ns = 0;  // Before polls that began.

  TaskState state() const noexcept;
  // At the time `now`.
  std::int64_t TotalNs(std::int64_t now) const noexcept;
  std::int64_t BusyNs(std::int64_t now) const noexcept;
  std::int64_t ScheduledNs(std::int64_t now) const noexcept;
  std::int64_t IdleNs(std::int64_t now) const noexcept;
  // What is suspicious about it: "lost its waker", "wakes itself", "never yields".
  std::vector<std::string> Warnings(std::int64_t now) const;
};

const char* NameOf(TaskState state) noexcept;

}  // namespace sonde::cli

#endif  // SONDE_CLI_TASK_ROW_H_
