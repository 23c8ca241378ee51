// ConsoleModel: what a console client knows after the updates it was sent.

#ifndef SONDE_CLI_CONSOLE_MODEL_H_
#define SONDE_CLI_CONSOLE_MODEL_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sonde/result.h"

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

struct ResourceRow {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;
  std::string kind;
  std::string type;
  std::string location;
  std::string attributes;
  std::int64_t created = 0;
  std::int64_t dropped = 0;
};

struct AsyncOpRow {
  std::uint64_t id = 0;
  std::uint64_t resource_id = 0;
  std::uint64_t task_id = 0;
  std::string source;
  std::uint64_t polls = 0;
  std::int64_t created = 0;
  std::int64_t dropped = 0;
};

// Durations counted by range.
struct DurationCounts {
  struct Range {
    std::uint64_t from_ns = 0;
    std::uint64_t to_ns = 0;
    std::uint64_t count = 0;
  };
  std::vector<Range> ranges;  // Ascending; none is empty.
  std::uint64_t total = 0;
  std::uint64_t outliers = 0;  // Of these, longer than the histogram reaches.
  std::uint64_t highest_outlier_ns = 0;

  // The duration that `share` (0 to 1) of all are not longer than.
  std::uint64_t PercentileNs(double share) const noexcept;
};

struct TaskDetails {
  std::uint64_t task_id = 0;
  DurationCounts polls;
  DurationCounts scheduled;
};

// Not thread-safe.
class ConsoleModel {
 public:
  // What has ended stays for so long after its end, by the server's clock.
  static constexpr std::int64_t kRetainNs = 6'000'000'000;

  // Takes the bytes of an Update. kMalformed when they are none.
  Status Apply(std::string_view update);
  // Forgets what ended more than kRetainNs ago.
  void Retire();

  std::int64_t now() const noexcept { return now_; }
  std::uint64_t dropped_tasks() const noexcept { return dropped_tasks_; }
  const std::map<std::uint64_t, TaskRow>& tasks() const noexcept { return tasks_; }
  const std::map<std::uint64_t, ResourceRow>& resources() const noexcept { return resources_; }
  const std::map<std::uint64_t, AsyncOpRow>& async_ops() const noexcept { return async_ops_; }

  // Everything known, as JSON with sorted keys.
  std::string ToJson() const;

 private:
  Status ApplyMetadata(std::string_view bytes);
  Status ApplyTasks(std::string_view bytes);
  Status ApplyResources(std::string_view bytes);
  Status ApplyAsyncOps(std::string_view bytes);

  std::int64_t now_ = 0;
  std::uint64_t dropped_tasks_ = 0;
  std::map<std::uint64_t, std::string> targets_;  // By metadata id.
  std::map<std::uint64_t, TaskRow> tasks_;
  std::map<std::uint64_t, ResourceRow> resources_;
  std::map<std::uint64_t, AsyncOpRow> async_ops_;
};

// Takes the bytes of a TaskDetails message. kMalformed when they are none.
Result<TaskDetails> ReadTaskDetails(std::string_view message);

const char* NameOf(TaskState state) noexcept;

}  // namespace sonde::cli

#endif  // SONDE_CLI_CONSOLE_MODEL_H_
