// ListQuery: what a list of the terminal client holds, in which order, and how each line reads.

#ifndef SONDE_CLI_CONSOLE_LIST_H_
#define SONDE_CLI_CONSOLE_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/console_model.h"
#include "cli/screen_line.h"

namespace sonde::cli {

enum class ConsoleTab : std::uint8_t { kTasks, kResources, kAsyncOps };

struct ListQuery {
  ConsoleTab tab = ConsoleTab::kTasks;
  char sort = 't';  // The key that sorts tasks by a column.
  bool is_ascending = false;
  std::string filter{};  // Words that a line must have; "state:idle" for tasks.

  // Of all that match, in order. Lines are made one by one, for those that are seen.
  std::vector<std::uint64_t> Ids(const ConsoleModel& model) const;
  ScreenLine Head(int width) const;
  // Of an id that Ids returned.
  ScreenLine LineOf(const ConsoleModel& model, std::uint64_t id, int width) const;
};

// All fields of a task as text.
std::string FieldsOf(const TaskRow& task);

}  // namespace sonde::cli

#endif  // SONDE_CLI_CONSOLE_LIST_H_
