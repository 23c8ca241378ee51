// TaskLedger: observes the TaskRegistry: what is new, what changed since when, what may be
// forgotten.

#ifndef SONDE_CONSOLE_TASK_LEDGER_H_
#define SONDE_CONSOLE_TASK_LEDGER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "console/task_names.h"
#include "console/task_registry.h"
#include "console/update_source.h"
#include "console/wall_clock.h"

namespace sonde {

// At most one in a process. Used by one thread, except NameOf().
//
// Each Refresh is an epoch; a record remembers in which it was first seen and in which it last
// changed, a watcher up to which it has been told. What a watcher still has to hear of a record
// that is forgotten (its end) is owed to it.
class TaskLedger final : public UpdateSource {
 public:
  struct Options {
    std::chrono::nanoseconds retention = std::chrono::seconds(60);  // Of what has ended.
    std::uint32_t ceiling =
        TaskRegistry::kDefaultCeiling;  // Of tasks, resources and operations each.
  };
  // Forgotten before their time was over, because the ceiling was near.
  struct Evicted {
    std::uint64_t tasks = 0;
    std::uint64_t resources = 0;
    std::uint64_t async_ops = 0;
  };

  TaskLedger(const Options& options, const WallClock& clock);
  ~TaskLedger() override;
  TaskLedger(const TaskLedger&) = delete;
  TaskLedger& operator=(const TaskLedger&) = delete;

  std::unique_ptr<Cursor> Watch() override;
  void Refresh() override;
  GrpcFrame Details(std::uint64_t task_id) override;

  // True when records run short and a Refresh would make room.
  bool UnderPressure() const noexcept;

  const Evicted& evicted() const noexcept { return evicted_; }
  const WallClock& clock() const noexcept { return clock_; }
  // What the task was called, also when it is younger than the last Refresh; empty when that is not
  // known, or no more. Any thread.
  std::string NameOf(std::uint64_t task_id);

  // Calls fn(const TaskSlot&, bool has_ended) for each task that is kept.
  template <typename Fn>
  void ForEachTask(Fn&& fn) {
    SlotPool<TaskSlot>& pool = registry_.tasks;
    for (std::uint32_t index = 0; index < pool.high(); ++index) {
      TaskSlot& slot = pool.At(index);
      const std::uint64_t id = slot.id.load(std::memory_order_acquire);
      if (id == 0 || !SlotPool<TaskSlot>::Pin(slot, id, pool)) continue;
      const struct AtEnd {
        SlotPool<TaskSlot>& pool;
        TaskSlot& slot;
        ~AtEnd() { pool.Unpin(slot); }
      } unpin{pool, slot};
      fn(std::as_const(slot), slot.state.load(std::memory_order_acquire) == SlotHeader::kEnded);
    }
  }

 private:
  class WatchCursor;
  void TryRefresh() noexcept;
  template <typename Slot>
  void RefreshPool(SlotPool<Slot>& pool, std::uint64_t& evicted);

  TaskRegistry& registry_;
  const WallClock& clock_;
  Options options_;
  std::uint64_t epoch_ = 0;
  Evicted evicted_;
  TaskNames names_;
  std::mutex naming_;              // Held while NameOf looks at all records, and of
  std::uint64_t named_up_to_ = 0;  // the last id there was when it did so.
  std::vector<WatchCursor*> cursors_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_TASK_LEDGER_H_
