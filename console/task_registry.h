// TaskRegistry: the records of all tasks, resources and async operations of this process.

#ifndef SONDE_CONSOLE_TASK_REGISTRY_H_
#define SONDE_CONSOLE_TASK_REGISTRY_H_

#include <atomic>
#include <cstdint>

#include "console/slot_pool.h"
#include "console/steady_ns.h"
#include "console/task_slots.h"

namespace sonde {

// There is one, which exists before the program's first line runs and is never destroyed, so
// that tasks may be made and ended at any time. Creators take a record from its pool and own it
// until they end it. While nobody observes, ended records go straight back; otherwise they stay,
// kEnded, until the observer retires them. Any thread.
struct TaskRegistry {
  static constexpr std::uint32_t kDefaultCeiling = 100'000;

  SlotPool<TaskSlot> tasks{kDefaultCeiling};
  SlotPool<ResourceSlot> resources{kDefaultCeiling};
  SlotPool<AsyncOpSlot> async_ops{kDefaultCeiling};
  std::atomic<std::uint64_t> last_task_id{0};
  std::atomic<std::uint64_t> last_resource_id{0};
  std::atomic<std::uint64_t> last_async_op_id{0};
  std::atomic<bool> observed{false};

  static TaskRegistry& Get() noexcept;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_TASK_REGISTRY_H_
