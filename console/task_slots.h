// TaskSlot, ResourceSlot, AsyncOpSlot: what is recorded of each, written by the program's own
// threads and read by the console's.

#ifndef SONDE_CONSOLE_TASK_SLOTS_H_
#define SONDE_CONSOLE_TASK_SLOTS_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "console/busy_time.h"
#include "console/log2_histogram.h"
#include "console/short_text.h"
#include "console/slot_pool.h"
#include "sonde/resource.h"
#include "sonde/source_location.h"
#include "sonde/task.h"

namespace sonde {

// Nanoseconds of the steady clock; 0 = never.
using AtomicTime = std::atomic<std::int64_t>;
using AtomicCount = std::atomic<std::uint64_t>;

// What the console's thread alone remembers about a record.
struct SeenState {
  std::uint64_t id = 0;           // Whom the rest is about.
  std::uint64_t activity = 0;     // As last looked at.
  std::uint64_t first_epoch = 0;  // When it was first seen, and
  std::uint64_t last_epoch = 0;   // when it last changed.
};

inline namespace on {

struct TaskSlot : SlotHeader {
  static constexpr std::size_t kNameBytes = 96;
  static constexpr std::size_t kFieldBytes = 320;

  // Counters that any thread adds to.
  AtomicCount wakes{0};
  AtomicCount self_wakes{0};
  AtomicCount waker_clones{0};
  AtomicCount waker_drops{0};
  AtomicTime last_wake_ns{0};
  // Written by the threads that poll.
  BusyTime busy;  // Of the threads that are inside a poll, and not in one of another task there.
  AtomicCount polls{0};
  AtomicCount polls_ended{0};
  AtomicTime first_poll_ns{0};
  AtomicTime last_poll_started_ns{0};
  AtomicTime last_poll_ended_ns{0};
  AtomicTime scheduled_ns{0};
  AtomicTime ended_ns{0};
  Log2Histogram poll_times;
  Log2Histogram scheduled_times;

  // Written before the record is live.
  std::int64_t created_ns = 0;
  std::uint64_t parent_id = 0;
  TaskOrigin origin = TaskOrigin::kManual;
  std::atomic<TaskOutcome> outcome{TaskOutcome::kFinished};
  SourceLocation place;
  ShortText<16> kind;
  ShortText<kNameBytes> name;
  FieldText<kFieldBytes> fields;

  SeenState seen;
};
static_assert(sizeof(TaskSlot) <= 1024, "a task takes at most 1 KiB");

struct ResourceSlot : SlotHeader {
  static constexpr std::size_t kAttributes = 4;
  struct Attribute {
    std::atomic<const char*> name{nullptr};
    std::atomic<const char*> unit{nullptr};
    AtomicCount value{0};
  };

  AtomicCount changes{0};
  AtomicTime ended_ns{0};
  std::array<Attribute, kAttributes> attributes;

  std::int64_t created_ns = 0;
  std::uint64_t parent_id = 0;
  ResourceKind kind = ResourceKind::kOther;
  bool is_internal = false;
  SourceLocation place;
  ShortText<48> type;
  ShortText<32> other_kind;

  SeenState seen;
};

struct AsyncOpSlot : SlotHeader {
  AtomicCount polls{0};
  AtomicTime last_poll_ns{0};
  AtomicTime ended_ns{0};

  std::int64_t created_ns = 0;
  std::uint64_t task_id = 0;
  std::uint64_t resource_id = 0;
  const char* source = "";

  SeenState seen;
};

}  // namespace on

}  // namespace sonde

#endif  // SONDE_CONSOLE_TASK_SLOTS_H_
