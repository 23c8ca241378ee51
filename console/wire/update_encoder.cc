// UpdateEncoder: writes records as messages of the Instrument service.
// Field numbers and names are those of the service that tokio-console clients speak.

#include "console/wire/update_encoder.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "console/wire/hdr_histogram.h"
#include "console/wire/utf8.h"
#include "export/protobuf_writer.h"

namespace sonde {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::uint64_t kResourceMetadata = 100;
constexpr std::uint64_t kAsyncOpMetadata = 101;

std::uint64_t MetadataOf(TaskOrigin origin) { return 1 + static_cast<std::uint64_t>(origin); }

void Id(ProtobufWriter& out, std::uint32_t field, std::uint64_t id) {
  out.Message(field, [&] { out.UintField(1, id); });
}

// A Timestamp or a Duration. The client takes no negative ones.
void Time(ProtobufWriter& out, std::uint32_t field, std::int64_t ns) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns));
  out.Message(field, [&] {
    out.UintField(1, value / 1'000'000'000);
    out.UintField(2, value % 1'000'000'000);
  });
}

void OptionalTime(ProtobufWriter& out, std::uint32_t field, const WallClock& clock,
                  std::int64_t steady_ns) {
  if (steady_ns != 0) Time(out, field, clock.UnixNs(steady_ns));
}

void TextField(ProtobufWriter& out, std::uint32_t field, std::uint64_t metadata,
               std::string_view name, std::string_view text) {
  if (text.empty()) return;
  out.Message(field, [&] {
    out.AlwaysBytes(1, name);
    out.AlwaysBytes(4, ValidUtf8(text));
    Id(out, 8, metadata);
  });
}

void NumberField(ProtobufWriter& out, std::uint32_t field, std::uint64_t metadata,
                 std::string_view name, std::uint64_t number) {
  out.Message(field, [&] {
    out.AlwaysBytes(1, name);
    out.AlwaysUint(5, number);
    Id(out, 8, metadata);
  });
}

void UserField(ProtobufWriter& out, std::uint32_t field_number, std::uint64_t metadata,
               const Field& field) {
  const std::string name = ValidUtf8(field.name);
  if (const auto* text = std::get_if<std::string_view>(&field.value)) {
    TextField(out, field_number, metadata, name, *text);
  } else if (const auto* number = std::get_if<std::uint64_t>(&field.value)) {
    NumberField(out, field_number, metadata, name, *number);
  } else {
    out.Message(field_number, [&] {
      out.AlwaysBytes(1, name);
      if (const auto* signed_number = std::get_if<std::int64_t>(&field.value)) {
        const auto bits = static_cast<std::uint64_t>(*signed_number);
        out.AlwaysUint(6, bits << 1 ^ static_cast<std::uint64_t>(*signed_number >> 63));
      } else {
        out.AlwaysUint(7, std::get<bool>(field.value) ? 1 : 0);
      }
      Id(out, 8, metadata);
    });
  }
}

// Left out rather than empty: an empty file name is more than the client's detail view can take.
void Place(ProtobufWriter& out, std::uint32_t field, const SourcePlace& place) {
  if (place.file == nullptr || place.file[0] == '\0') return;
  out.Message(field, [&] {
    out.AlwaysBytes(1, ValidUtf8(place.file));
    out.AlwaysUint(3, place.line);
    out.AlwaysUint(4, place.column);
  });
}

// One entry of a map<uint64, Stats>.
template <typename Body>
void StatsEntry(ProtobufWriter& out, std::uint32_t field, std::uint64_t id, Body&& body) {
  out.Message(field, [&] {
    out.UintField(1, id);
    out.Message(2, body);
  });
}

void TaskStats(ProtobufWriter& out, const TaskSlot& task, const WallClock& clock) {
  // In the order in which later values include earlier ones, so that a poll in flight shows as
  // running.
  const std::uint64_t polls = task.polls.load(std::memory_order_acquire);
  const std::int64_t busy_ns = task.busy_ns.load(kRelaxed);
  const std::int64_t last_ended = task.last_poll_ended_ns.load(kRelaxed);
  const std::uint64_t drops = task.waker_drops.load(std::memory_order_acquire);
  std::int64_t ended = task.ended_ns.load(kRelaxed);
  // A task that ends itself does so inside its last poll.
  if (ended != 0) ended = std::max(ended, last_ended);

  StatsEntry(out, 3, task.id.load(kRelaxed), [&] {
    Time(out, 1, clock.UnixNs(task.created_ns));
    OptionalTime(out, 2, clock, ended);
    out.UintField(3, task.wakes.load(kRelaxed));
    out.UintField(4, task.waker_clones.load(kRelaxed));
    out.UintField(5, drops);
    OptionalTime(out, 6, clock, task.last_wake_ns.load(kRelaxed));
    out.Message(7, [&] {
      out.UintField(1, polls);
      OptionalTime(out, 3, clock, task.first_poll_ns.load(kRelaxed));
      OptionalTime(out, 4, clock, task.last_poll_started_ns.load(kRelaxed));
      OptionalTime(out, 5, clock, last_ended);
      Time(out, 6, busy_ns);
    });
    out.UintField(8, task.self_wakes.load(kRelaxed));
    Time(out, 9, task.scheduled_ns.load(kRelaxed));
  });
}

void ResourceStats(ProtobufWriter& out, const ResourceSlot& resource, const WallClock& clock) {
  StatsEntry(out, 2, resource.id.load(kRelaxed), [&] {
    Time(out, 1, clock.UnixNs(resource.created_ns));
    OptionalTime(out, 2, clock, resource.ended_ns.load(kRelaxed));
    for (const ResourceSlot::Attribute& attribute : resource.attributes) {
      const char* const name = attribute.name.load(std::memory_order_acquire);
      if (name == nullptr) break;
      const char* const unit = attribute.unit.load(kRelaxed);
      out.Message(3, [&] {
        NumberField(out, 1, kResourceMetadata, ValidUtf8(name), attribute.value.load(kRelaxed));
        if (unit != nullptr) out.BytesField(2, ValidUtf8(unit));
      });
    }
  });
}

void AsyncOpStats(ProtobufWriter& out, const AsyncOpSlot& op, const WallClock& clock) {
  const std::int64_t last_poll = op.last_poll_ns.load(kRelaxed);
  StatsEntry(out, 2, op.id.load(kRelaxed), [&] {
    Time(out, 1, clock.UnixNs(op.created_ns));
    OptionalTime(out, 2, clock, op.ended_ns.load(kRelaxed));
    if (op.task_id != 0) Id(out, 4, op.task_id);
    out.Message(5, [&] {
      out.UintField(1, op.polls.load(kRelaxed));
      OptionalTime(out, 3, clock, op.created_ns);
      OptionalTime(out, 4, clock, last_poll);
      OptionalTime(out, 5, clock, last_poll);
      Time(out, 6, 0);
    });
  });
}

std::string_view NameOf(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::kTimer:
      return "Timer";
    case ResourceKind::kSocket:
      return "Socket";
    case ResourceKind::kMutex:
      return "Mutex";
    case ResourceKind::kSemaphore:
      return "Semaphore";
    case ResourceKind::kChannel:
      return "Channel";
    case ResourceKind::kOther:
      break;
  }
  return "Other";
}

void Histogram(ProtobufWriter& out, std::uint32_t field, const Log2Histogram& durations) {
  const HdrHistogram histogram = EncodeHdrHistogram(durations);
  out.Message(field, [&] {
    out.AlwaysBytes(1, histogram.bytes);
    out.AlwaysUint(2, HdrHistogram::kHighest);
    out.UintField(3, histogram.outliers);
    if (histogram.outliers != 0) out.AlwaysUint(4, histogram.highest_outlier);
  });
}

void NewMetadata(ProtobufWriter& out, std::uint64_t id, std::string_view name,
                 std::string_view target, std::initializer_list<std::string_view> fields) {
  constexpr std::uint64_t kTraceLevel = 4;
  out.Message(1, [&] {
    Id(out, 1, id);
    out.Message(2, [&] {
      out.BytesField(1, name);
      out.BytesField(2, target);
      out.UintField(6, kTraceLevel);
      for (const std::string_view field : fields) out.AlwaysBytes(7, field);
    });
  });
}

}  // namespace

GrpcFrame MakeGrpcFrame(std::string_view message) {
  std::string frame;
  frame.reserve(5 + message.size());
  frame.push_back('\0');  // Not compressed.
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(message.size() >> shift & 0xff));
  }
  frame += message;
  return std::make_shared<const std::string>(std::move(frame));
}

void UpdateEncoder::AddMetadata() {
  ProtobufWriter out(metadata_);
  constexpr std::array<std::pair<TaskOrigin, std::string_view>, 3> kTargets{
      {{TaskOrigin::kManual, "sonde::task"},
       {TaskOrigin::kAsio, "sonde::asio"},
       {TaskOrigin::kBlocking, "sonde::blocking"}}};
  for (const auto& [origin, target] : kTargets) {
    NewMetadata(out, MetadataOf(origin), "runtime.spawn", target,
                {"kind", "task.name", "task.id", "parent"});
  }
  NewMetadata(out, kResourceMetadata, "runtime.resource", "sonde::resource",
              {"concrete_type", "kind"});
  NewMetadata(out, kAsyncOpMetadata, "runtime.resource.async_op", "sonde::async_op", {"source"});
}

void UpdateEncoder::AddTask(const TaskSlot& task, bool is_new) {
  ProtobufWriter out(tasks_);
  if (is_new) {
    const std::uint64_t id = task.id.load(kRelaxed);
    const std::uint64_t metadata = MetadataOf(task.origin);
    out.Message(1, [&] {
      Id(out, 1, id);
      Id(out, 2, metadata);
      out.UintField(3, task.origin == TaskOrigin::kBlocking ? 1 : 0);
      TextField(out, 4, metadata, "task.name", task.name.view());
      TextField(out, 4, metadata, "kind", task.kind.view());
      NumberField(out, 4, metadata, "task.id", id);
      if (task.parent_id != 0) NumberField(out, 4, metadata, "parent", task.parent_id);
      task.fields.ForEach([&](const Field& field) { UserField(out, 4, metadata, field); });
      if (task.parent_id != 0) Id(out, 5, task.parent_id);
      Place(out, 6, task.place);
    });
  }
  TaskStats(out, task, clock_);
}

void UpdateEncoder::AddResource(const ResourceSlot& resource, bool is_new) {
  ProtobufWriter out(resources_);
  if (is_new) {
    out.Message(1, [&] {
      Id(out, 1, resource.id.load(kRelaxed));
      Id(out, 2, kResourceMetadata);
      out.BytesField(3, ValidUtf8(resource.type.view()));
      out.Message(4, [&] {
        const std::string_view other = resource.other_kind.view();
        if (resource.kind == ResourceKind::kTimer) {
          out.AlwaysUint(1, 0);
        } else if (resource.kind == ResourceKind::kOther && !other.empty()) {
          out.AlwaysBytes(2, ValidUtf8(other));
        } else {
          out.AlwaysBytes(2, NameOf(resource.kind));
        }
      });
      Place(out, 5, resource.place);
      if (resource.parent_id != 0) Id(out, 6, resource.parent_id);
      out.BoolField(7, resource.is_internal);
    });
  }
  ResourceStats(out, resource, clock_);
}

void UpdateEncoder::AddAsyncOp(const AsyncOpSlot& op, bool is_new) {
  ProtobufWriter out(async_ops_);
  if (is_new) {
    out.Message(1, [&] {
      Id(out, 1, op.id.load(kRelaxed));
      Id(out, 2, kAsyncOpMetadata);
      out.BytesField(3, ValidUtf8(op.source));
      Id(out, 5, op.resource_id);
    });
  }
  AsyncOpStats(out, op, clock_);
}

void UpdateEncoder::AddDropped(std::uint64_t tasks, std::uint64_t resources,
                               std::uint64_t async_ops) {
  ProtobufWriter(tasks_).UintField(4, tasks);
  ProtobufWriter(resources_).UintField(4, resources);
  ProtobufWriter(async_ops_).UintField(3, async_ops);
}

std::string UpdateEncoder::StatsOf(const TaskSlot& task) const {
  std::string stats;
  ProtobufWriter out(stats);
  TaskStats(out, task, clock_);
  return stats;
}

std::string UpdateEncoder::StatsOf(const ResourceSlot& resource) const {
  std::string stats;
  ProtobufWriter out(stats);
  ResourceStats(out, resource, clock_);
  return stats;
}

std::string UpdateEncoder::StatsOf(const AsyncOpSlot& op) const {
  std::string stats;
  ProtobufWriter out(stats);
  AsyncOpStats(out, op, clock_);
  return stats;
}

GrpcFrame UpdateEncoder::Take() {
  std::string message;
  message.reserve(size() + 64);
  ProtobufWriter out(message);
  Time(out, 1, clock_.NowUnixNs());
  out.AlwaysBytes(2, tasks_);
  out.AlwaysBytes(3, resources_);
  out.AlwaysBytes(4, async_ops_);
  if (!metadata_.empty()) out.AlwaysBytes(5, metadata_);
  metadata_.clear();
  tasks_.clear();
  resources_.clear();
  async_ops_.clear();
  return MakeGrpcFrame(message);
}

GrpcFrame EncodeTaskDetails(const TaskSlot& task, const WallClock& clock) {
  std::string message;
  ProtobufWriter out(message);
  Id(out, 1, task.id.load(kRelaxed));
  Time(out, 2, clock.NowUnixNs());
  Histogram(out, 4, task.poll_times);
  Histogram(out, 5, task.scheduled_times);
  return MakeGrpcFrame(message);
}

GrpcFrame EncodeState(bool is_paused) {
  std::string message;
  ProtobufWriter(message).UintField(1, is_paused ? 1 : 0);
  return MakeGrpcFrame(message);
}

}  // namespace sonde
