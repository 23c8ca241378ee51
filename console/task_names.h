// TaskNames: what the tasks of this process were called, longer than their records are kept.

#ifndef SONDE_CONSOLE_TASK_NAMES_H_
#define SONDE_CONSOLE_TASK_NAMES_H_

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sonde {

// Four bytes a task for the last 2^20 tasks, and each distinct name once; of names at most 65,536,
// the rest become "[other]". Any thread.
class TaskNames {
 public:
  static constexpr std::size_t kTasksKept = std::size_t{1} << 20;
  static constexpr std::size_t kNamesKept = std::size_t{1} << 16;

  // A name that finds no memory is not known.
  void Add(std::uint64_t task_id, std::string_view name) noexcept;
  // Empty when the task is not known, or no more.
  std::string Find(std::uint64_t task_id) const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t first_id_ = 1;
  std::deque<std::uint32_t> name_of_;  // By id, from first_id_; 0 = not known.
  std::vector<std::string> names_{{}};
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_TASK_NAMES_H_
