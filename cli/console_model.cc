// ConsoleModel: what a console client knows after the updates it was sent.

#include "cli/console_model.h"

#include <nlohmann/json.hpp>

#include "cli/console_message.h"

namespace sonde::cli {
namespace {

using Reader = ProtobufReader;

double Seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace

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
