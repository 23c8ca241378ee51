// RecordStats: the Stats messages of tasks, resources and operations.

#include "console/wire/record_stats.h"

#include <algorithm>
#include <atomic>

#include "console/wire/message_fields.h"
#include "console/wire/utf8.h"

namespace sonde {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// One entry of a map<uint64, Stats>.
template <typename Body>
void StatsEntry(ProtobufWriter& out, std::uint32_t field, std::uint64_t id, Body&& body) {
  out.Message(field, [&] {
    out.UintField(1, id);
    out.Message(2, body);
  });
}

struct PollTimes {
  std::int64_t busy_ns;
  std::int64_t started_ns;
  std::int64_t ended_ns;
};

// Such that the busy time is what clients make of it: `busy_ns`, and while the last poll has begun
// later than one has ended, the time since it began.
PollTimes PollTimesOf(const TaskSlot& task) {
  for (;;) {
    const std::int64_t sum = task.busy.sum();
    const std::int64_t started = task.last_poll_started_ns.load(std::memory_order_acquire);
    const std::int64_t ended = task.last_poll_ended_ns.load(std::memory_order_acquire);
    if (task.busy.sum() != sum) continue;
    if (sum < 0) {
      const std::int64_t since = std::max(started, -sum);
      return {sum + since, since, std::min(ended, since - 1)};
    }
    // The poll begins just now, or its thread is inside another task.
    if (started > ended) return {sum, SteadyNs(), ended};
    return {sum, started, ended};
  }
}

}  // namespace

void WriteTaskStats(ProtobufWriter& out, const TaskSlot& task, const WallClock& clock) {
  const std::uint64_t polls = task.polls.load(std::memory_order_acquire);
  const PollTimes times = PollTimesOf(task);
  const std::uint64_t drops = task.waker_drops.load(std::memory_order_acquire);
  std::int64_t ended = task.ended_ns.load(kRelaxed);
  // A task that ends itself does so inside its last poll.
  if (ended != 0) ended = std::max(ended, times.ended_ns);

  StatsEntry(out, 3, task.id.load(kRelaxed), [&] {
    WriteTime(out, 1, clock.UnixNs(task.created_ns));
    WriteOptionalTime(out, 2, clock, ended);
    out.UintField(3, task.wakes.load(kRelaxed));
    out.UintField(4, task.waker_clones.load(kRelaxed));
    out.UintField(5, drops);
    WriteOptionalTime(out, 6, clock, task.last_wake_ns.load(kRelaxed));
    out.Message(7, [&] {
      out.UintField(1, polls);
      WriteOptionalTime(out, 3, clock, task.first_poll_ns.load(kRelaxed));
      WriteOptionalTime(out, 4, clock, times.started_ns);
      WriteOptionalTime(out, 5, clock, times.ended_ns);
      WriteTime(out, 6, times.busy_ns);
    });
    out.UintField(8, task.self_wakes.load(kRelaxed));
    WriteTime(out, 9, task.scheduled_ns.load(kRelaxed));
  });
}

void WriteResourceStats(ProtobufWriter& out, const ResourceSlot& resource, const WallClock& clock) {
  StatsEntry(out, 2, resource.id.load(kRelaxed), [&] {
    WriteTime(out, 1, clock.UnixNs(resource.created_ns));
    WriteOptionalTime(out, 2, clock, resource.ended_ns.load(kRelaxed));
    for (const ResourceSlot::Attribute& attribute : resource.attributes) {
      const char* const name = attribute.name.load(std::memory_order_acquire);
      if (name == nullptr) break;
      const char* const unit = attribute.unit.load(kRelaxed);
      out.Message(3, [&] {
        WriteNumber(out, 1, kResourceMetadata, ValidUtf8(name), attribute.value.load(kRelaxed));
        if (unit != nullptr) out.BytesField(2, ValidUtf8(unit));
      });
    }
  });
}

void WriteAsyncOpStats(ProtobufWriter& out, const AsyncOpSlot& op, const WallClock& clock) {
  const std::int64_t last_poll = op.last_poll_ns.load(kRelaxed);
  StatsEntry(out, 2, op.id.load(kRelaxed), [&] {
    WriteTime(out, 1, clock.UnixNs(op.created_ns));
    WriteOptionalTime(out, 2, clock, op.ended_ns.load(kRelaxed));
    if (op.task_id != 0) WriteId(out, 4, op.task_id);
    out.Message(5, [&] {
      out.UintField(1, op.polls.load(kRelaxed));
      WriteOptionalTime(out, 3, clock, op.created_ns);
      WriteOptionalTime(out, 4, clock, last_poll);
      WriteOptionalTime(out, 5, clock, last_poll);
      WriteTime(out, 6, 0);
    });
  });
}

}  // namespace sonde
