// TaskLedger: observes the TaskRegistry.

#include "console/task_ledger.h"

#include <algorithm>
#include <deque>
#include <new>
#include <string>
#include <type_traits>

#include "console/wire/update_encoder.h"

namespace sonde {
namespace {

constexpr auto kAcquire = std::memory_order_acquire;
constexpr std::size_t kMessageBytes = std::size_t{1} << 20;
constexpr std::size_t kRecordBytes = std::size_t{4}
                                     << 10;  // More than any record takes on the wire.

// A number that is another one after every event that is told to watchers.
std::uint64_t ActivityOf(const TaskSlot& task) {
  return task.polls.load(kAcquire) + task.polls_ended.load(kAcquire) + task.wakes.load(kAcquire) +
         task.waker_clones.load(kAcquire) + task.waker_drops.load(kAcquire);
}
std::uint64_t ActivityOf(const ResourceSlot& resource) { return resource.changes.load(kAcquire); }
std::uint64_t ActivityOf(const AsyncOpSlot& op) { return op.polls.load(kAcquire); }

void Add(UpdateEncoder& out, const TaskSlot& slot, bool is_new) { out.AddTask(slot, is_new); }
void Add(UpdateEncoder& out, const ResourceSlot& slot, bool is_new) {
  out.AddResource(slot, is_new);
}
void Add(UpdateEncoder& out, const AsyncOpSlot& slot, bool is_new) { out.AddAsyncOp(slot, is_new); }

// From a tenth below the ceiling on records are short; then a quarter is made free.
template <typename Slot>
bool IsShort(const SlotPool<Slot>& pool) {
  return pool.in_use() >= pool.ceiling() - pool.ceiling() / 10;
}

struct Dropped {
  std::uint64_t tasks = 0;
  std::uint64_t resources = 0;
  std::uint64_t async_ops = 0;
};

}  // namespace

class TaskLedger::WatchCursor final : public UpdateSource::Cursor {
 public:
  explicit WatchCursor(TaskLedger& ledger) : ledger_(ledger), encoder_(ledger.clock_) {
    ledger_.cursors_.push_back(this);
  }
  ~WatchCursor() override { std::erase(ledger_.cursors_, this); }

  bool Begin() override {
    if (phase_ != Phase::kDone) return false;
    target_ = ledger_.epoch_;
    phase_ = Phase::kOwed;
    next_ = 0;
    sent_ = 0;
    if (told_ == 0) encoder_.AddMetadata();
    AddDropped();
    return true;
  }

  GrpcFrame Next() override {
    if (phase_ == Phase::kDone) return nullptr;
    while (phase_ != Phase::kDone) {
      if (!Advance()) return Send();
    }
    told_ = target_;
    // Also when nothing changed: the time in it drives the clock on the watcher's screen.
    return encoder_.size() != 0 || sent_ == 0 ? Send() : nullptr;
  }

  // `slot` has ended and is about to be forgotten.
  template <typename Slot>
  void Owe(const Slot& slot) {
    const bool knows = slot.seen.first_epoch <= target_;
    if (!knows || slot.seen.last_epoch <= told_) return;
    if (owed_.empty() || owed_.back().Bytes() > kMessageBytes / 2) owed_.emplace_back();
    owed_.back().Of(slot) += encoder_.StatsOf(slot);
  }

 private:
  // Parts of a resource come after all that have no parent, so that the parent is known by then.
  enum class Phase { kOwed, kTasks, kResources, kParts, kAsyncOps, kDone };
  struct Owed {
    std::string tasks;
    std::string resources;
    std::string async_ops;
    std::string& Of(const TaskSlot&) { return tasks; }
    std::string& Of(const ResourceSlot&) { return resources; }
    std::string& Of(const AsyncOpSlot&) { return async_ops; }
    std::size_t Bytes() const { return tasks.size() + resources.size() + async_ops.size(); }
  };

  GrpcFrame Send() {
    ++sent_;
    return encoder_.Take();
  }

  // False when the message is full.
  bool Advance() {
    TaskRegistry& registry = ledger_.registry_;
    switch (phase_) {
      case Phase::kOwed:
        return PayOwed();
      case Phase::kTasks:
        return AddChanged(registry.tasks, Phase::kResources, [](const TaskSlot&) { return true; });
      case Phase::kResources: {
        has_parts_ = false;
        const bool is_over =
            AddChanged(registry.resources, Phase::kParts, [this](const ResourceSlot& resource) {
              const bool is_part = resource.parent_id != 0;
              has_parts_ = has_parts_ || is_part;
              return !is_part;
            });
        return is_over && !(has_parts_ && encoder_.size() != 0);
      }
      case Phase::kParts:
        return AddChanged(registry.resources, Phase::kAsyncOps,
                          [](const ResourceSlot& resource) { return resource.parent_id != 0; });
      case Phase::kAsyncOps:
        return AddChanged(registry.async_ops, Phase::kDone,
                          [](const AsyncOpSlot&) { return true; });
      case Phase::kDone:
        break;
    }
    return true;
  }

  bool PayOwed() {
    if (owed_.empty()) {
      phase_ = Phase::kTasks;
      return true;
    }
    const Owed owed = std::move(owed_.front());
    owed_.pop_front();
    encoder_.AddTaskStats(owed.tasks);
    encoder_.AddResourceStats(owed.resources);
    encoder_.AddAsyncOpStats(owed.async_ops);
    return encoder_.size() < kMessageBytes / 4;
  }

  template <typename Slot, typename Wanted>
  bool AddChanged(SlotPool<Slot>& pool, Phase then, Wanted&& is_wanted) {
    for (; next_ < pool.high(); ++next_) {
      if (encoder_.size() + kRecordBytes > kMessageBytes) return false;
      Slot& slot = pool.At(next_);
      const SeenState& seen = slot.seen;
      if (seen.id == 0 || seen.last_epoch <= told_ || seen.first_epoch > target_) continue;
      if (!SlotPool<Slot>::Pin(slot, seen.id, pool)) continue;
      if (is_wanted(slot)) Add(encoder_, slot, seen.first_epoch > told_);
      pool.Unpin(slot);
    }
    next_ = 0;
    phase_ = then;
    return true;
  }

  void AddDropped() {
    const TaskRegistry& registry = ledger_.registry_;
    const Dropped now{registry.tasks.dropped(), registry.resources.dropped(),
                      registry.async_ops.dropped()};
    encoder_.AddDropped(now.tasks - dropped_.tasks, now.resources - dropped_.resources,
                        now.async_ops - dropped_.async_ops);
    dropped_ = now;
  }

  TaskLedger& ledger_;
  UpdateEncoder encoder_;
  std::uint64_t told_ = 0;  // The epoch up to which the watcher knows everything.
  std::uint64_t target_ =
      0;  // The epoch that it is being told about; told_ when there is nothing to tell.
  Phase phase_ = Phase::kDone;
  std::uint32_t next_ = 0;
  std::uint64_t sent_ = 0;
  bool has_parts_ = false;
  Dropped dropped_;
  std::deque<Owed> owed_;
};

TaskLedger::TaskLedger(const Options& options, const WallClock& clock)
    : registry_(TaskRegistry::Get()), clock_(clock), options_(options) {
  registry_.tasks.SetCeiling(options.ceiling);
  registry_.resources.SetCeiling(options.ceiling);
  registry_.async_ops.SetCeiling(options.ceiling);
  registry_.observed.store(true, std::memory_order_release);
  TryRefresh();
}

TaskLedger::~TaskLedger() {
  registry_.observed.store(false, std::memory_order_release);
  options_.retention = std::chrono::nanoseconds(-1);
  TryRefresh();
}

// What finds no memory is found the next time, or by the next ledger.
void TaskLedger::TryRefresh() noexcept {
  try {
    Refresh();
  } catch (const std::bad_alloc&) {
  }
}

std::unique_ptr<UpdateSource::Cursor> TaskLedger::Watch() {
  return std::make_unique<WatchCursor>(*this);
}

void TaskLedger::Refresh() {
  ++epoch_;
  RefreshPool(registry_.tasks, evicted_.tasks);
  RefreshPool(registry_.resources, evicted_.resources);
  RefreshPool(registry_.async_ops, evicted_.async_ops);
}

std::string TaskLedger::NameOf(std::uint64_t task_id) {
  std::string name = names_.Find(task_id);
  if (!name.empty()) return name;
  const std::lock_guard lock(naming_);
  // Looked at since it was made: then it was found, or is gone.
  if (task_id <= named_up_to_) return names_.Find(task_id);
  named_up_to_ = registry_.last_task_id.load(std::memory_order_relaxed);
  ForEachTask([this](const TaskSlot& slot, bool) {
    names_.Add(slot.id.load(std::memory_order_relaxed), slot.name.view());
  });
  return names_.Find(task_id);
}

bool TaskLedger::UnderPressure() const noexcept {
  return IsShort(registry_.tasks) || IsShort(registry_.resources) || IsShort(registry_.async_ops);
}

GrpcFrame TaskLedger::Details(std::uint64_t task_id) {
  GrpcFrame details;
  ForEachTask([&](const TaskSlot& task, bool) {
    if (task.id.load(std::memory_order_relaxed) == task_id)
      details = EncodeTaskDetails(task, clock_);
  });
  return details;
}

template <typename Slot>
void TaskLedger::RefreshPool(SlotPool<Slot>& pool, std::uint64_t& evicted) {
  const std::int64_t now = SteadyNs();
  std::vector<std::pair<std::int64_t, Slot*>> ended;
  const auto forget = [&](Slot& slot) {
    for (WatchCursor* cursor : cursors_) cursor->Owe(slot);
    slot.seen = SeenState();
    pool.Retire(slot);
  };

  for (std::uint32_t index = 0; index < pool.high(); ++index) {
    Slot& slot = pool.At(index);
    const std::uint64_t id = slot.id.load(kAcquire);
    if (id == 0 || !SlotPool<Slot>::Pin(slot, id, pool)) continue;
    SeenState& seen = slot.seen;
    const bool has_ended = slot.state.load(kAcquire) == SlotHeader::kEnded;
    const std::uint64_t activity = ActivityOf(slot) * 2 + (has_ended ? 1 : 0);
    if (seen.id != id) {
      seen = {id, activity, epoch_, epoch_};
      if constexpr (std::is_same_v<Slot, TaskSlot>) names_.Add(id, slot.name.view());
    } else if (seen.activity != activity) {
      seen.activity = activity;
      seen.last_epoch = epoch_;
    }
    const std::int64_t ended_ns = slot.ended_ns.load(std::memory_order_relaxed);
    pool.Unpin(slot);
    if (!has_ended) continue;
    if (now - ended_ns > options_.retention.count()) {
      forget(slot);
    } else {
      ended.emplace_back(ended_ns, &slot);
    }
  }

  if (!IsShort(pool)) return;
  const std::uint32_t wanted = pool.ceiling() - pool.ceiling() / 4;
  const std::size_t surplus = pool.in_use() > wanted ? pool.in_use() - wanted : 0;
  const std::size_t count = std::min(surplus, ended.size());
  std::nth_element(ended.begin(), ended.begin() + static_cast<std::ptrdiff_t>(count), ended.end());
  for (std::size_t i = 0; i < count; ++i) forget(*ended[i].second);
  evicted += count;
}

}  // namespace sonde
