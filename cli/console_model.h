// ConsoleModel: what a console client knows after the updates it was sent.

#ifndef SONDE_CLI_CONSOLE_MODEL_H_
#define SONDE_CLI_CONSOLE_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/duration_counts.h"
#include "cli/task_row.h"
#include "sonde/result.h"

namespace sonde::cli {

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

}  // namespace sonde::cli

#endif  // SONDE_CLI_CONSOLE_MODEL_H_
