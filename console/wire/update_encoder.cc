// UpdateEncoder: writes records as messages of the Instrument service.
// Field numbers and names are those of the service that tokio-console clients speak.

#include "console/wire/update_encoder.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "console/wire/hdr_histogram.h"
#include "console/wire/message_fields.h"
#include "console/wire/record_stats.h"
#include "console/wire/utf8.h"
#include "export/protobuf_writer.h"

namespace sonde {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr std::uint64_t kAsyncOpMetadata = 101;

std::uint64_t MetadataOf(TaskOrigin origin) { return 1 + static_cast<std::uint64_t>(origin); }

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

// Of a field that clients take for something else than one of the program's.
bool IsReserved(std::string_view name) {
  constexpr std::array<std::string_view, 9> kReserved{
      "kind",   "task.name", "task.id",  "size.bytes", "original_size.bytes",
      "parent", "loc.file",  "loc.line", "loc.col"};
  return std::ranges::find(kReserved, name) != kReserved.end();
}

void WriteOwnField(ProtobufWriter& out, std::uint64_t metadata, const Field& field) {
  if (!IsReserved(field.name)) return WriteField(out, 4, metadata, field);
  const std::string name = "field." + std::string(field.name);
  Field renamed = field;
  renamed.name = name;
  WriteField(out, 4, metadata, renamed);
}

void NewMetadata(ProtobufWriter& out, std::uint64_t id, std::string_view name,
                 std::string_view target, std::initializer_list<std::string_view> fields) {
  constexpr std::uint64_t kTraceLevel = 4;
  out.Message(1, [&] {
    WriteId(out, 1, id);
    out.Message(2, [&] {
      out.BytesField(1, name);
      out.BytesField(2, target);
      out.UintField(6, kTraceLevel);
      for (const std::string_view field : fields) out.AlwaysBytes(7, field);
    });
  });
}

}  // namespace

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
      WriteId(out, 1, id);
      WriteId(out, 2, metadata);
      out.UintField(3, task.origin == TaskOrigin::kBlocking ? 1 : 0);
      WriteText(out, 4, metadata, "task.name", task.name.view());
      WriteText(out, 4, metadata, "kind", task.kind.view());
      WriteNumber(out, 4, metadata, "task.id", id);
      if (task.parent_id != 0) WriteNumber(out, 4, metadata, "parent", task.parent_id);
      task.fields.ForEach([&](const Field& field) { WriteOwnField(out, metadata, field); });
      if (task.parent_id != 0) WriteId(out, 5, task.parent_id);
      WritePlace(out, 6, task.place);
    });
  }
  WriteTaskStats(out, task, clock_);
}

void UpdateEncoder::AddResource(const ResourceSlot& resource, bool is_new) {
  ProtobufWriter out(resources_);
  if (is_new) {
    out.Message(1, [&] {
      WriteId(out, 1, resource.id.load(kRelaxed));
      WriteId(out, 2, kResourceMetadata);
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
      WritePlace(out, 5, resource.place);
      if (resource.parent_id != 0) WriteId(out, 6, resource.parent_id);
      out.BoolField(7, resource.is_internal);
    });
  }
  WriteResourceStats(out, resource, clock_);
}

void UpdateEncoder::AddAsyncOp(const AsyncOpSlot& op, bool is_new) {
  ProtobufWriter out(async_ops_);
  if (is_new) {
    out.Message(1, [&] {
      WriteId(out, 1, op.id.load(kRelaxed));
      WriteId(out, 2, kAsyncOpMetadata);
      out.BytesField(3, ValidUtf8(op.source));
      WriteId(out, 5, op.resource_id);
    });
  }
  WriteAsyncOpStats(out, op, clock_);
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
  WriteTaskStats(out, task, clock_);
  return stats;
}

std::string UpdateEncoder::StatsOf(const ResourceSlot& resource) const {
  std::string stats;
  ProtobufWriter out(stats);
  WriteResourceStats(out, resource, clock_);
  return stats;
}

std::string UpdateEncoder::StatsOf(const AsyncOpSlot& op) const {
  std::string stats;
  ProtobufWriter out(stats);
  WriteAsyncOpStats(out, op, clock_);
  return stats;
}

GrpcFrame UpdateEncoder::Take() {
  std::string message;
  message.reserve(size() + 64);
  ProtobufWriter out(message);
  WriteTime(out, 1, clock_.NowUnixNs());
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
  WriteId(out, 1, task.id.load(kRelaxed));
  WriteTime(out, 2, clock.NowUnixNs());
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
