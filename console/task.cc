// Task, PollGuard, TaskRef, TaskWaker: what the program's threads record.

#include "sonde/task.h"

#include <algorithm>

#include "console/slot_life.h"
#include "console/task_registry.h"
#include "sonde/thread_context.h"

namespace sonde {
inline namespace on {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// The innermost guard of the thread.
thread_local PollGuard* t_poll = nullptr;

TaskRegistry& Registry() noexcept { return TaskRegistry::Get(); }

bool PinLive(TaskSlot& slot, std::uint64_t id) noexcept {
  if (!SlotPool<TaskSlot>::Pin(slot, id, Registry().tasks)) return false;
  if (slot.state.load(std::memory_order_acquire) == SlotHeader::kLive) return true;
  Registry().tasks.Unpin(slot);
  return false;
}

void CountWake(TaskSlot& slot, bool self) noexcept {
  slot.last_wake_ns.store(SteadyNs(), kRelaxed);
  if (self) slot.self_wakes.fetch_add(1, kRelaxed);
  slot.wakes.fetch_add(1, std::memory_order_release);
}

// Returns what it was.
std::int64_t Raise(AtomicTime& time, std::int64_t value) noexcept {
  std::int64_t before = time.load(kRelaxed);
  while (value > before && !time.compare_exchange_weak(before, value, kRelaxed)) {
  }
  return before;
}

// A poll begins at `now`: whichever comes first after a wake answers it. The task was waiting for
// it only when no other thread was polling.
void AnswerWake(TaskSlot& slot, std::int64_t now, bool is_waiting) noexcept {
  const std::int64_t last_started = Raise(slot.last_poll_started_ns, now);
  const std::int64_t woken = slot.last_wake_ns.load(kRelaxed);
  if (!is_waiting || woken <= last_started) return;
  const std::int64_t since = std::max(woken, slot.last_poll_ended_ns.load(kRelaxed));
  const std::int64_t waited = std::max<std::int64_t>(0, now - since);
  slot.scheduled_ns.fetch_add(waited, kRelaxed);
  slot.scheduled_times.Add(waited);
}

void ResetCounters(TaskSlot& slot) noexcept {
  for (AtomicCount* count : {&slot.wakes, &slot.self_wakes, &slot.waker_clones, &slot.waker_drops,
                             &slot.polls, &slot.polls_ended}) {
    count->store(0, kRelaxed);
  }
  for (AtomicTime* time : {&slot.last_wake_ns, &slot.first_poll_ns, &slot.last_poll_started_ns,
                           &slot.last_poll_ended_ns, &slot.scheduled_ns, &slot.ended_ns}) {
    time->store(0, kRelaxed);
  }
  slot.busy.Clear();
  slot.outcome.store(TaskOutcome::kFinished, kRelaxed);
  slot.poll_times.Clear();
  slot.scheduled_times.Clear();
}

}  // namespace

TaskRef current_task() noexcept {
  const PollGuard* const poll = t_poll;
  return poll == nullptr ? TaskRef() : TaskRef(poll->slot_, poll->id_);
}

void TaskRef::Wake() const noexcept {
  if (slot_ == nullptr || !PinLive(*slot_, id_)) return;
  CountWake(*slot_, PollGuard::IsPolling(*this));
  Registry().tasks.Unpin(*slot_);
}

void TaskRef::WakeFromOutside() const noexcept {
  if (slot_ == nullptr || !PinLive(*slot_, id_)) return;
  CountWake(*slot_, false);
  Registry().tasks.Unpin(*slot_);
}

std::int64_t TaskClockNs() noexcept { return SteadyNs(); }

// The guard that names `task` from here on; false when there is nothing to do.
bool PollGuard::Enter(TaskRef task) noexcept {
  if (task.slot_ == nullptr || slot_ != nullptr || current_task() == task) return false;
  if (!PinLive(*task.slot_, task.id_)) return false;
  slot_ = task.slot_;
  id_ = task.id_;
  started_ns_ = 0;
  inner_ns_ = 0;
  outer_ = t_poll;
  t_poll = this;
  outer_task_ = ExchangeCurrentTask(id_);
  return true;
}

// The guard whose task stands still while this one's runs.
PollGuard* PollGuard::Interrupted() const noexcept {
  PollGuard* outer = outer_;
  while (outer != nullptr && outer->started_ns_ == 0) outer = outer->outer_;
  return outer;
}

void PollGuard::Measure(std::int64_t self_woken_ns) noexcept {
  TaskSlot& slot = *slot_;
  if (self_woken_ns != 0) {
    slot.last_wake_ns.store(self_woken_ns, kRelaxed);
    slot.self_wakes.fetch_add(1, kRelaxed);
    slot.wakes.fetch_add(1, std::memory_order_release);
  }
  if (PollGuard* const outer = Interrupted()) outer->slot_->busy.Pause();
  started_ns_ =
      slot.busy.Enter([&](std::int64_t now, bool is_first) { AnswerWake(slot, now, is_first); });
  if (slot.first_poll_ns.load(kRelaxed) == 0) slot.first_poll_ns.store(started_ns_, kRelaxed);
  slot.polls.fetch_add(1, std::memory_order_release);
}

void PollGuard::Begin(TaskRef task, std::int64_t self_woken_ns) noexcept {
  if (Enter(task)) Measure(self_woken_ns);
}

void PollGuard::Adopt(TaskRef task) noexcept { Enter(task); }

void PollGuard::BeginAdopted() noexcept {
  if (t_poll != nullptr && t_poll->started_ns_ == 0) t_poll->Measure(0);
}

bool PollGuard::IsPolling(TaskRef task) noexcept {
  return t_poll != nullptr && t_poll->started_ns_ != 0 && current_task() == task;
}

void PollGuard::End() noexcept {
  if (slot_ == nullptr) return;
  TaskSlot& slot = *slot_;
  slot_ = nullptr;
  ExchangeCurrentTask(outer_task_);
  t_poll = outer_;
  if (started_ns_ != 0) {
    const std::int64_t ended = slot.busy.Leave([&](std::int64_t now, bool is_last) {
      if (is_last) slot.last_poll_ended_ns.store(now, kRelaxed);
    });
    const std::int64_t elapsed = ended - started_ns_;
    if (PollGuard* const outer = Interrupted()) {
      outer->inner_ns_ += elapsed;
      outer->slot_->busy.Resume();
    }
    slot.poll_times.Add(std::max<std::int64_t>(0, elapsed - inner_ns_));
    slot.polls_ended.fetch_add(1, std::memory_order_release);
  }
  Registry().tasks.Unpin(slot);
}

TaskWaker::TaskWaker(TaskRef task) noexcept {
  if (task.slot_ == nullptr || !PinLive(*task.slot_, task.id_)) return;
  task_ = task;
  task.slot_->waker_clones.fetch_add(1, std::memory_order_release);
  Registry().tasks.Unpin(*task.slot_);
}

TaskWaker::~TaskWaker() {
  if (task_.slot_ == nullptr || !PinLive(*task_.slot_, task_.id_)) return;
  task_.slot_->waker_drops.fetch_add(1, std::memory_order_release);
  Registry().tasks.Unpin(*task_.slot_);
}

Task::Task(std::string_view name, std::initializer_list<Field> fields, const TaskOptions& options,
           const SourceLocation& location) noexcept
    : holds_waker_(!options.only_wakers_resume) {
  TaskSlot* const slot = Registry().tasks.Take();
  if (slot == nullptr) return;
  ResetCounters(*slot);
  slot->created_ns = SteadyNs();
  slot->parent_id = options.parent.id();
  slot->origin = options.origin;
  slot->place = location;
  slot->kind.Assign(options.kind);
  slot->name.Assign(name);
  slot->fields.Assign(fields);
  if (holds_waker_) slot->waker_clones.store(1, kRelaxed);
  ref_ = TaskRef(slot, Publish(*slot, Registry().last_task_id));
}

Task& Task::operator=(Task&& other) noexcept {
  if (this != &other) {
    End();
    ref_ = std::exchange(other.ref_, {});
    holds_waker_ = other.holds_waker_;
  }
  return *this;
}

void Task::End(TaskOutcome outcome) noexcept {
  const TaskRef ended = std::exchange(ref_, {});
  if (ended.slot_ == nullptr) return;
  TaskSlot& slot = *ended.slot_;
  slot.outcome.store(outcome, kRelaxed);
  if (holds_waker_) slot.waker_drops.fetch_add(1, kRelaxed);
  EndSlot(slot, Registry().tasks);
}

}  // namespace on
}  // namespace sonde
