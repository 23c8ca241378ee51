// Task: a piece of work that the console shows while it lives, and for a minute after its end.
//
// With profiling compiled out everything here still compiles and does nothing.

#ifndef SONDE_TASK_H_
#define SONDE_TASK_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <variant>

#include "sonde/source_location.h"
#include "sonde/switch.h"

namespace sonde {

// A named value shown beside a task or resource. Text is copied by whoever takes the field.
struct Field {
  std::string_view name;
  std::variant<std::string_view, std::uint64_t, std::int64_t, bool> value;

  Field(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
  Field(std::string_view field_name, const char* text)
      : name(field_name), value(std::string_view(text)) {}
  Field(std::string_view field_name, bool truth) : name(field_name), value(truth) {}
  template <std::integral Integer>
  Field(std::string_view field_name, Integer number) : name(field_name) {
    if constexpr (std::is_signed_v<Integer>) {
      value = static_cast<std::int64_t>(number);
    } else {
      value = static_cast<std::uint64_t>(number);
    }
  }
};

// How a task came to its end, as far as it is known.
enum class TaskOutcome : std::uint8_t { kFinished, kFailed, kCancelled };

#if defined(SONDE_ENABLED) && SONDE_ENABLED

inline namespace on {

struct TaskSlot;

// Where a task comes from: it decides the `target` that clients group by.
enum class TaskOrigin : std::uint8_t { kManual, kAsio, kBlocking };

// Names a task without keeping it alive: once the task is gone, all calls do nothing. Copying
// is free. Any thread. Not async-signal-safe.
class TaskRef {
 public:
  constexpr TaskRef() noexcept = default;
  constexpr TaskRef(TaskSlot* slot, std::uint64_t id) noexcept : slot_(slot), id_(id) {}

  // Unique in this process and counted from 1; 0 for no task, or one that was not recorded.
  std::uint64_t id() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ != 0; }

  // Tells that the task can go on. From within its own poll it counts as a self wake.
  void Wake() const noexcept;
  // The same for what the task waited for, which may be ready while it still runs.
  void WakeFromOutside() const noexcept;

  friend bool operator==(const TaskRef&, const TaskRef&) = default;

 private:
  friend class PollGuard;
  friend class Task;
  friend class TaskWaker;
  TaskSlot* slot_ = nullptr;
  std::uint64_t id_ = 0;
};

// The clock of all records: nanoseconds, never 0. Any thread.
std::int64_t TaskClockNs() noexcept;

// The task that the calling thread is polling, or none. Any thread. Not async-signal-safe.
TaskRef current_task() noexcept;

struct TaskOptions {
  std::string_view kind = "task";  // Shown as is; clients switch warnings off for "blocking".
  TaskRef parent = current_task();
  TaskOrigin origin = TaskOrigin::kManual;
  // A task that waits while no waker is held can never go on, and clients warn of it. Normally the
  // Task counts as a waker; set this where only TaskWaker objects can resume it.
  bool only_wakers_resume = false;
};

// While it lives the task runs on this thread: its time counts as busy, samples of the thread
// carry its id and current_task() names it. Several threads may poll a task at once: it is busy
// while at least one does, and that time counts once. Guards on one thread nest; the time of an
// inner task is not counted for the outer one. Must end on the thread that it began on, so it must
// not be held across a co_await. Not async-signal-safe.
class [[nodiscard]] PollGuard {
 public:
  explicit PollGuard(TaskRef task) noexcept : PollGuard() { Begin(task); }
  ~PollGuard() {
    if (slot_ != nullptr) End();
  }
  PollGuard(const PollGuard&) = delete;
  PollGuard& operator=(const PollGuard&) = delete;

  // For adapters. An idle guard, which Begin starts, once, and End stops early. A task that woke
  // itself says when, in `self_woken_ns` of TaskClockNs(): it is counted when it leads to a poll.
  PollGuard() noexcept = default;
  void Begin(TaskRef task, std::int64_t self_woken_ns = 0) noexcept;
  void End() noexcept;
  // Makes the task current without a poll; BeginAdopted, further down the stack, begins it.
  void Adopt(TaskRef task) noexcept;
  static void BeginAdopted() noexcept;
  // True while the calling thread is inside a poll of `task`.
  static bool IsPolling(TaskRef task) noexcept;

 private:
  friend TaskRef current_task() noexcept;
  friend class TaskRef;
  bool Enter(TaskRef task) noexcept;
  PollGuard* Interrupted() const noexcept;
  void Measure(std::int64_t self_woken_ns) noexcept;

  TaskSlot* slot_ = nullptr;  // Null when there is nothing to measure.
  PollGuard* outer_ = nullptr;
  std::uint64_t id_ = 0;
  std::uint64_t outer_task_ = 0;  // Whose samples the thread took before.
  std::int64_t started_ns_ = 0;   // 0 when adopted only.
  std::int64_t inner_ns_ = 0;     // Spent in guards inside this one.
};

// Holds the right to wake a task; copies are counted and shown as its wakers. Any thread, each
// object by one thread at a time.
class TaskWaker {
 public:
  explicit TaskWaker(TaskRef task) noexcept;
  TaskWaker(const TaskWaker& other) noexcept : TaskWaker(other.task_) {}
  TaskWaker(TaskWaker&& other) noexcept : task_(std::exchange(other.task_, {})) {}
  TaskWaker& operator=(TaskWaker other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~TaskWaker();
  void Wake() const noexcept { task_.Wake(); }

 private:
  TaskRef task_;
};

// Owns a task: made when its work is known, destroyed when it is over. When no room is left the
// task is not recorded, which is counted and shown, and everything else goes on as usual. The
// name is kept to 95 bytes and all fields together to 320; what is cut ends with an ellipsis.
//
// One thread at a time, except ref(), whose copies may be used by any thread. Not
// async-signal-safe.
class Task {
 public:
  explicit Task(std::string_view name, std::initializer_list<Field> fields = {},
                const TaskOptions& options = {},
                const SourceLocation& location = SONDE_HERE) noexcept;
  Task(Task&& other) noexcept
      : ref_(std::exchange(other.ref_, {})), holds_waker_(other.holds_waker_) {}
  Task& operator=(Task&& other) noexcept;
  ~Task() { End(); }

  TaskRef ref() const noexcept { return ref_; }
  std::uint64_t id() const noexcept { return ref_.id(); }
  void Wake() const noexcept { ref_.Wake(); }
  PollGuard Poll() const noexcept { return PollGuard(ref_); }

  // Ends the task now rather than at destruction.
  void End(TaskOutcome outcome = TaskOutcome::kFinished) noexcept;

 private:
  TaskRef ref_;
  bool holds_waker_ = true;
};

// A section that may block the thread, shown as a task of its own that is busy throughout.
class [[nodiscard]] BlockingSection {
 public:
  explicit BlockingSection(std::string_view name, std::initializer_list<Field> fields = {},
                           const SourceLocation& location = SONDE_HERE) noexcept
      : task_(name, fields, {.kind = "blocking", .origin = TaskOrigin::kBlocking}, location),
        poll_(task_.ref()) {}

 private:
  Task task_;
  PollGuard poll_;
};

}  // namespace on

#else

inline namespace off {

class TaskRef {
 public:
  constexpr std::uint64_t id() const noexcept { return 0; }
  constexpr explicit operator bool() const noexcept { return false; }
  constexpr void Wake() const noexcept {}
  constexpr void WakeFromOutside() const noexcept {}
  friend constexpr bool operator==(const TaskRef&, const TaskRef&) noexcept { return true; }
};
constexpr std::int64_t TaskClockNs() noexcept { return 1; }
constexpr TaskRef current_task() noexcept { return {}; }

enum class TaskOrigin : std::uint8_t { kManual, kAsio, kBlocking };
struct TaskOptions {
  std::string_view kind = "task";
  TaskRef parent = current_task();
  TaskOrigin origin = TaskOrigin::kManual;
  bool only_wakers_resume = false;
};

class [[nodiscard]] [[maybe_unused]] PollGuard {
 public:
  constexpr PollGuard() noexcept {}
  constexpr explicit PollGuard(TaskRef) noexcept {}
  PollGuard(const PollGuard&) = delete;
  PollGuard& operator=(const PollGuard&) = delete;
  constexpr void Begin(TaskRef, std::int64_t = 0) noexcept {}
  constexpr void End() noexcept {}
  constexpr void Adopt(TaskRef) noexcept {}
  static constexpr void BeginAdopted() noexcept {}
  static constexpr bool IsPolling(TaskRef) noexcept { return false; }
};
class [[maybe_unused]] TaskWaker {
 public:
  constexpr explicit TaskWaker(TaskRef) noexcept {}
  constexpr void Wake() const noexcept {}
};
class [[maybe_unused]] Task {
 public:
  constexpr explicit Task(std::string_view, std::initializer_list<Field> = {},
                          const TaskOptions& = {}, const SourceLocation& = SONDE_HERE) noexcept {}
  constexpr Task(Task&&) noexcept = default;
  constexpr Task& operator=(Task&&) noexcept = default;
  constexpr TaskRef ref() const noexcept { return {}; }
  constexpr std::uint64_t id() const noexcept { return 0; }
  constexpr void Wake() const noexcept {}
  constexpr PollGuard Poll() const noexcept { return {}; }
  constexpr void End(TaskOutcome = TaskOutcome::kFinished) noexcept {}
};
class [[nodiscard]] [[maybe_unused]] BlockingSection {
 public:
  constexpr explicit BlockingSection(std::string_view, std::initializer_list<Field> = {},
                                     const SourceLocation& = SONDE_HERE) noexcept {}
  BlockingSection(const BlockingSection&) = delete;
  BlockingSection& operator=(const BlockingSection&) = delete;
};

}  // namespace off

#endif

// Calls `work` as a blocking section called `name` and returns what it returns.
template <typename Work>
decltype(auto) Blocking(std::string_view name, Work&& work) {
  const BlockingSection section(name);
  return std::forward<Work>(work)();
}

}  // namespace sonde

#endif  // SONDE_TASK_H_
