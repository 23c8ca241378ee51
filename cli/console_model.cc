// ConsoleModel: what a console client knows after the updates it was sent.

#include "cli/console_model.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "export/protobuf_reader.h"

namespace sonde::cli {
namespace {

using Reader = ProtobufReader;

// Calls take(reader) for each field of `bytes`; kMalformed when they are no message.
template <typename Take>
Status ForEachField(std::string_view bytes, Take&& take) {
  Reader reader(bytes);
  while (reader.Next()) take(reader);
  if (reader.ok()) return {};
  return Error{.code = ErrorCode::kMalformed,
               .message = "not a message of a console server",
               .byte_offset = reader.offset()};
}

// A Timestamp or a Duration.
std::int64_t ReadNs(std::string_view bytes) {
  std::int64_t ns = 0;
  Reader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) ns += reader.integer() * 1'000'000'000;
    if (reader.field() == 2) ns += reader.integer();
  }
  return ns;
}

std::uint64_t ReadId(std::string_view bytes) {
  std::uint64_t id = 0;
  Reader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) id = reader.number();
  }
  return id;
}

std::string ReadLocation(std::string_view bytes) {
  std::string place;
  std::uint64_t line = 0;
  Reader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1 || (reader.field() == 2 && place.empty())) place = reader.bytes();
    if (reader.field() == 3) line = reader.number();
  }
  if (line != 0) place += ':' + std::to_string(line);
  return place;
}

std::pair<std::string, std::string> ReadField(std::string_view bytes) {
  std::pair<std::string, std::string> field;
  Reader reader(bytes);
  while (reader.Next()) {
    switch (reader.field()) {
      case 1:
        field.first = reader.bytes();
        break;
      case 3:
      case 4:
        field.second = reader.bytes();
        break;
      case 5:
        field.second = std::to_string(reader.number());
        break;
      case 6: {
        const std::uint64_t bits = reader.number();
        field.second = std::to_string(static_cast<std::int64_t>(bits >> 1) ^
                                      -static_cast<std::int64_t>(bits & 1));
        break;
      }
      case 7:
        field.second = reader.number() != 0 ? "true" : "false";
        break;
      default:
        break;
    }
  }
  return field;
}

// An entry of a map<uint64, message>.
std::pair<std::uint64_t, std::string_view> ReadEntry(std::string_view bytes) {
  std::pair<std::uint64_t, std::string_view> entry;
  Reader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) entry.first = reader.number();
    if (reader.field() == 2) entry.second = reader.bytes();
  }
  return entry;
}

void ReadPollStats(std::string_view bytes, TaskRow& task) {
  task.polls = 0;
  task.first_poll = task.last_poll_started = task.last_poll_ended = task.busy_ns = 0;
  Reader reader(bytes);
  while (reader.Next()) {
    switch (reader.field()) {
      case 1:
        task.polls = reader.number();
        break;
      case 3:
        task.first_poll = ReadNs(reader.bytes());
        break;
      case 4:
        task.last_poll_started = ReadNs(reader.bytes());
        break;
      case 5:
        task.last_poll_ended = ReadNs(reader.bytes());
        break;
      case 6:
        task.busy_ns = ReadNs(reader.bytes());
        break;
      default:
        break;
    }
  }
}

// Stats replace what was known; a field that is missing is 0.
void ReadTaskStats(std::string_view bytes, TaskRow& task) {
  task.dropped = task.last_wake = task.scheduled_ns = 0;
  task.wakes = task.self_wakes = task.waker_clones = task.waker_drops = 0;
  Reader reader(bytes);
  while (reader.Next()) {
    switch (reader.field()) {
      case 1:
        task.created = ReadNs(reader.bytes());
        break;
      case 2:
        task.dropped = ReadNs(reader.bytes());
        break;
      case 3:
        task.wakes = reader.number();
        break;
      case 4:
        task.waker_clones = reader.number();
        break;
      case 5:
        task.waker_drops = reader.number();
        break;
      case 6:
        task.last_wake = ReadNs(reader.bytes());
        break;
      case 7:
        ReadPollStats(reader.bytes(), task);
        break;
      case 8:
        task.self_wakes = reader.number();
        break;
      case 9:
        task.scheduled_ns = ReadNs(reader.bytes());
        break;
      default:
        break;
    }
  }
}

std::string ReadAttribute(std::string_view bytes) {
  std::string text;
  Reader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) {
      const auto [name, value] = ReadField(reader.bytes());
      text = name + '=' + value;
    }
    if (reader.field() == 2) text += ' ' + std::string(reader.bytes());
  }
  return text;
}

double Seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::uint64_t BigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

// The V2 form of HdrHistogram, not compressed; empty when the bytes are something else.
DurationCounts ReadHistogram(std::string_view bytes) {
  constexpr std::size_t kHead = 40;
  DurationCounts counts;
  if (bytes.size() < kHead || BigEndian(bytes.substr(0, 4)) != 0x1c84'9313) return counts;
  const std::uint64_t digits = BigEndian(bytes.substr(12, 4));
  if (digits < 1 || digits > 5) return counts;
  std::uint64_t largest = 2;
  for (std::uint64_t i = 0; i < digits; ++i) largest *= 10;
  const unsigned sub_bits = static_cast<unsigned>(std::bit_width(largest - 1));
  const std::uint64_t half = std::uint64_t{1} << (sub_bits - 1);

  std::string_view payload = bytes.substr(kHead);
  std::uint64_t index = 0;
  while (!payload.empty()) {
    std::uint64_t raw = 0;
    for (unsigned i = 0; i < 9 && !payload.empty(); ++i) {
      const auto byte = static_cast<unsigned char>(payload.front());
      payload.remove_prefix(1);
      raw |= (i == 8 ? std::uint64_t{byte} : std::uint64_t{byte & 0x7fU}) << (7 * i);
      if (byte < 0x80) break;
    }
    const std::int64_t count =
        static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
    if (count < 0) {
      index += static_cast<std::uint64_t>(-count);
      continue;
    }
    const std::uint64_t at = index++;
    if (count == 0) continue;
    const std::uint64_t bucket = at < 2 * half ? 0 : at / half - 1;
    if (bucket > 63) return counts;
    const std::uint64_t sub = at - bucket * half;
    counts.ranges.push_back(
        {sub << bucket, ((sub + 1) << bucket) - 1, static_cast<std::uint64_t>(count)});
    counts.total += static_cast<std::uint64_t>(count);
  }
  return counts;
}

DurationCounts ReadDurations(std::string_view bytes) {
  DurationCounts counts;
  std::uint64_t outliers = 0;
  std::uint64_t highest = 0;
  Reader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) counts = ReadHistogram(reader.bytes());
    if (reader.field() == 3) outliers = reader.number();
    if (reader.field() == 4) highest = reader.number();
  }
  counts.outliers = outliers;
  counts.highest_outlier_ns = highest;
  return counts;
}

}  // namespace

TaskState TaskRow::state() const noexcept {
  if (dropped != 0) return TaskState::kCompleted;
  if (last_poll_started > last_poll_ended) return TaskState::kRunning;
  if (last_wake > last_poll_started) return TaskState::kScheduled;
  return TaskState::kIdle;
}
std::int64_t TaskRow::TotalNs(std::int64_t now) const noexcept {
  return std::max<std::int64_t>(0, (dropped != 0 ? dropped : now) - created);
}
std::int64_t TaskRow::BusyNs(std::int64_t now) const noexcept {
  const bool is_running = state() == TaskState::kRunning;
  return busy_ns + (is_running ? std::max<std::int64_t>(0, now - last_poll_started) : 0);
}
std::int64_t TaskRow::ScheduledNs(std::int64_t now) const noexcept {
  const bool is_scheduled = state() == TaskState::kScheduled;
  return scheduled_ns + (is_scheduled ? std::max<std::int64_t>(0, now - last_wake) : 0);
}
std::int64_t TaskRow::IdleNs(std::int64_t now) const noexcept {
  return std::max<std::int64_t>(0, TotalNs(now) - BusyNs(now) - ScheduledNs(now));
}

std::vector<std::string> TaskRow::Warnings(std::int64_t now) const {
  std::vector<std::string> warnings;
  if (kind == "blocking" || kind == "block_on") return warnings;
  const TaskState where = state();
  if (where == TaskState::kIdle && waker_clones == waker_drops && polls > 0) {
    warnings.emplace_back("lost its waker");
  }
  if (wakes > 0 && self_wakes * 2 > wakes) warnings.emplace_back("wakes itself");
  constexpr std::int64_t kLongPoll = 1'000'000'000;
  if (where == TaskState::kRunning && polls <= 1 && BusyNs(now) >= kLongPoll) {
    warnings.emplace_back("never yields");
  }
  return warnings;
}

std::uint64_t DurationCounts::PercentileNs(double share) const noexcept {
  const double wanted = share * static_cast<double>(total);
  double seen = 0;
  for (const Range& range : ranges) {
    seen += static_cast<double>(range.count);
    if (seen >= wanted) return range.to_ns;
  }
  return 0;
}

const char* NameOf(TaskState state) noexcept {
  switch (state) {
    case TaskState::kRunning:
      return "running";
    case TaskState::kScheduled:
      return "scheduled";
    case TaskState::kIdle:
      return "idle";
    case TaskState::kCompleted:
      break;
  }
  return "completed";
}

Status ConsoleModel::Apply(std::string_view update) {
  std::string_view metadata;
  std::string_view tasks;
  std::string_view resources;
  std::string_view async_ops;
  const Status read = ForEachField(update, [&](const Reader& reader) {
    if (reader.field() == 1) now_ = ReadNs(reader.bytes());
    if (reader.field() == 2) tasks = reader.bytes();
    if (reader.field() == 3) resources = reader.bytes();
    if (reader.field() == 4) async_ops = reader.bytes();
    if (reader.field() == 5) metadata = reader.bytes();
  });
  if (!read.ok()) return read;
  if (const Status status = ApplyMetadata(metadata); !status.ok()) return status;
  if (const Status status = ApplyTasks(tasks); !status.ok()) return status;
  if (const Status status = ApplyResources(resources); !status.ok()) return status;
  return ApplyAsyncOps(async_ops);
}

Status ConsoleModel::ApplyMetadata(std::string_view bytes) {
  return ForEachField(bytes, [&](const Reader& entry) {
    std::uint64_t id = 0;
    std::string target;
    Reader reader(entry.bytes());
    while (reader.Next()) {
      if (reader.field() == 1) id = ReadId(reader.bytes());
      if (reader.field() != 2) continue;
      Reader inner(reader.bytes());
      while (inner.Next()) {
        if (inner.field() == 2) target = inner.bytes();
      }
    }
    targets_[id] = target;
  });
}

Status ConsoleModel::ApplyTasks(std::string_view bytes) {
  std::vector<std::pair<std::uint64_t, std::string_view>> stats;
  const Status read = ForEachField(bytes, [&](const Reader& entry) {
    if (entry.field() == 3) stats.push_back(ReadEntry(entry.bytes()));
    if (entry.field() == 4) dropped_tasks_ += entry.number();
    if (entry.field() != 1) return;
    TaskRow task;
    Reader reader(entry.bytes());
    while (reader.Next()) {
      if (reader.field() == 1) task.id = ReadId(reader.bytes());
      if (reader.field() == 2) task.target = targets_[ReadId(reader.bytes())];
      if (reader.field() == 6) task.location = ReadLocation(reader.bytes());
      if (reader.field() != 4) continue;
      auto field = ReadField(reader.bytes());
      if (field.first == "task.name") {
        task.name = field.second;
      } else if (field.first == "kind") {
        task.kind = field.second;
      } else if (field.first != "task.id") {
        task.fields.push_back(std::move(field));
      }
    }
    tasks_[task.id] = std::move(task);
  });
  for (const auto& [id, message] : stats) {
    const auto found = tasks_.find(id);
    if (found != tasks_.end()) ReadTaskStats(message, found->second);
  }
  return read;
}

Status ConsoleModel::ApplyResources(std::string_view bytes) {
  std::vector<std::pair<std::uint64_t, std::string_view>> stats;
  const Status read = ForEachField(bytes, [&](const Reader& entry) {
    if (entry.field() == 2) stats.push_back(ReadEntry(entry.bytes()));
    if (entry.field() != 1) return;
    ResourceRow resource;
    Reader reader(entry.bytes());
    while (reader.Next()) {
      if (reader.field() == 1) resource.id = ReadId(reader.bytes());
      if (reader.field() == 3) resource.type = reader.bytes();
      if (reader.field() == 5) resource.location = ReadLocation(reader.bytes());
      if (reader.field() == 6) resource.parent = ReadId(reader.bytes());
      if (reader.field() != 4) continue;
      Reader kind(reader.bytes());
      while (kind.Next()) resource.kind = kind.field() == 1 ? "Timer" : std::string(kind.bytes());
    }
    resources_[resource.id] = std::move(resource);
  });
  for (const auto& [id, message] : stats) {
    const auto found = resources_.find(id);
    if (found == resources_.end()) continue;
    found->second.attributes.clear();
    Reader reader(message);
    while (reader.Next()) {
      if (reader.field() == 1) found->second.created = ReadNs(reader.bytes());
      if (reader.field() == 2) found->second.dropped = ReadNs(reader.bytes());
      if (reader.field() != 3) continue;
      std::string& attributes = found->second.attributes;
      if (!attributes.empty()) attributes += ' ';
      attributes += ReadAttribute(reader.bytes());
    }
  }
  return read;
}

Status ConsoleModel::ApplyAsyncOps(std::string_view bytes) {
  std::vector<std::pair<std::uint64_t, std::string_view>> stats;
  const Status read = ForEachField(bytes, [&](const Reader& entry) {
    if (entry.field() == 2) stats.push_back(ReadEntry(entry.bytes()));
    if (entry.field() != 1) return;
    AsyncOpRow op;
    Reader reader(entry.bytes());
    while (reader.Next()) {
      if (reader.field() == 1) op.id = ReadId(reader.bytes());
      if (reader.field() == 3) op.source = reader.bytes();
      if (reader.field() == 5) op.resource_id = ReadId(reader.bytes());
    }
    async_ops_[op.id] = std::move(op);
  });
  for (const auto& [id, message] : stats) {
    const auto found = async_ops_.find(id);
    if (found == async_ops_.end()) continue;
    Reader reader(message);
    while (reader.Next()) {
      if (reader.field() == 1) found->second.created = ReadNs(reader.bytes());
      if (reader.field() == 2) found->second.dropped = ReadNs(reader.bytes());
      if (reader.field() == 4) found->second.task_id = ReadId(reader.bytes());
      if (reader.field() != 5) continue;
      Reader polls(reader.bytes());
      while (polls.Next()) {
        if (polls.field() == 1) found->second.polls = polls.number();
      }
    }
  }
  return read;
}

void ConsoleModel::Retire() {
  const auto is_old = [this](const auto& entry) {
    return entry.second.dropped != 0 && now_ - entry.second.dropped > kRetainNs;
  };
  std::erase_if(tasks_, is_old);
  std::erase_if(resources_, is_old);
  std::erase_if(async_ops_, is_old);
}

std::string ConsoleModel::ToJson() const {
  nlohmann::json tasks = nlohmann::json::array();
  for (const auto& [id, task] : tasks_) {
    nlohmann::json fields = nlohmann::json::object();
    for (const auto& [name, value] : task.fields) fields[name] = value;
    tasks.push_back({{"id", id},
                     {"name", task.name},
                     {"kind", task.kind},
                     {"target", task.target},
                     {"location", task.location},
                     {"fields", fields},
                     {"state", NameOf(task.state())},
                     {"total_seconds", Seconds(task.TotalNs(now_))},
                     {"busy_seconds", Seconds(task.BusyNs(now_))},
                     {"scheduled_seconds", Seconds(task.ScheduledNs(now_))},
                     {"idle_seconds", Seconds(task.IdleNs(now_))},
                     {"polls", task.polls},
                     {"wakes", task.wakes},
                     {"self_wakes", task.self_wakes},
                     {"wakers", task.waker_clones - task.waker_drops},
                     {"warnings", task.Warnings(now_)}});
  }
  nlohmann::json resources = nlohmann::json::array();
  for (const auto& [id, resource] : resources_) {
    resources.push_back({{"id", id},
                         {"kind", resource.kind},
                         {"type", resource.type},
                         {"location", resource.location},
                         {"attributes", resource.attributes},
                         {"parent", resource.parent},
                         {"is_gone", resource.dropped != 0}});
  }
  nlohmann::json async_ops = nlohmann::json::array();
  for (const auto& [id, op] : async_ops_) {
    async_ops.push_back({{"id", id},
                         {"source", op.source},
                         {"resource", op.resource_id},
                         {"task", op.task_id},
                         {"polls", op.polls},
                         {"is_over", op.dropped != 0}});
  }
  const nlohmann::json all = {{"schema_version", "1.0"},         {"time_ns", now_},
                              {"dropped_tasks", dropped_tasks_}, {"tasks", tasks},
                              {"resources", resources},          {"async_ops", async_ops}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<TaskDetails> ReadTaskDetails(std::string_view message) {
  TaskDetails details;
  const Status read = ForEachField(message, [&](const Reader& reader) {
    if (reader.field() == 1) details.task_id = ReadId(reader.bytes());
    if (reader.field() == 4) details.polls = ReadDurations(reader.bytes());
    if (reader.field() == 5) details.scheduled = ReadDurations(reader.bytes());
  });
  if (!read.ok()) return read.error();
  return details;
}

}  // namespace sonde::cli
