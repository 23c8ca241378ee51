// TaskReader: what is recorded of tasks, read as the console reads it.

#ifndef SONDE_TESTS_CONSOLE_TASK_READER_H_
#define SONDE_TESTS_CONSOLE_TASK_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "console/task_ledger.h"

namespace sonde {

struct SeenTask {
  std::uint64_t id = 0;
  std::string name;
  std::uint64_t parent = 0;
  std::uint64_t polls = 0;
  std::uint64_t wakes = 0;
  std::uint64_t self_wakes = 0;
  std::int64_t busy_ns = 0;
  std::int64_t scheduled_ns = 0;
  std::uint64_t wakers = 0;
  bool has_ended = false;
  TaskOutcome outcome = TaskOutcome::kFinished;
  std::string file;
  std::vector<std::string> fields;
};

class TaskReader {
 public:
  std::map<std::uint64_t, SeenTask> All() {
    std::map<std::uint64_t, SeenTask> all;
    ledger.ForEachTask([&](const TaskSlot& slot, bool has_ended) {
      SeenTask& seen = all[slot.id];
      seen.id = slot.id;
      seen.name = slot.name.view();
      seen.parent = slot.parent_id;
      seen.polls = slot.polls;
      seen.wakes = slot.wakes;
      seen.self_wakes = slot.self_wakes;
      seen.busy_ns = slot.busy.Read().busy_ns;
      seen.scheduled_ns = slot.scheduled_ns;
      seen.wakers = slot.waker_clones - slot.waker_drops;
      seen.has_ended = has_ended;
      seen.outcome = slot.outcome;
      seen.file = slot.place.file;
      slot.fields.ForEach([&](const Field& field) {
        seen.fields.push_back(std::string(field.name) + "=" + Text(field));
      });
    });
    return all;
  }
  SeenTask Look(std::uint64_t id) { return All()[id]; }
  // The only task called `name`.
  SeenTask Find(const std::string& name) {
    SeenTask found;
    for (const auto& [id, task] : All()) {
      if (task.name == name) found = task;
    }
    return found;
  }

  WallClock clock;
  TaskLedger ledger{{}, clock};

 private:
  static std::string Text(const Field& field) {
    if (const auto* text = std::get_if<std::string_view>(&field.value)) return std::string(*text);
    if (const auto* number = std::get_if<std::uint64_t>(&field.value)) {
      return std::to_string(*number);
    }
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      return std::to_string(*number);
    }
    return std::get<bool>(field.value) ? "true" : "false";
  }
};

}  // namespace sonde

#endif  // SONDE_TESTS_CONSOLE_TASK_READER_H_
