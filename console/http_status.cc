// HttpService: what it tells about the process: tasks, status, metrics.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "console/http_replies.h"
#include "console/http_service.h"
#include "console/json_writer.h"

namespace sonde {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr double kSecond = 1e9;

struct TaskTimes {
  std::int64_t total_ns = 0;
  std::int64_t busy_ns = 0;
  std::int64_t scheduled_ns = 0;
  std::int64_t idle_ns = 0;
  const char* state = "idle";
};

TaskTimes TimesOf(const TaskSlot& task, bool has_ended) {
  TaskTimes times;
  const auto [now, busy_ns] = task.busy.Read();
  const std::int64_t last_ended = task.last_poll_ended_ns.load(kRelaxed);
  const std::int64_t started = task.last_poll_started_ns.load(kRelaxed);
  const std::int64_t woken = task.last_wake_ns.load(kRelaxed);
  times.busy_ns = busy_ns;
  times.scheduled_ns = task.scheduled_ns.load(kRelaxed);
  if (has_ended) {
    times.state = "done";
  } else if (task.busy.has_threads()) {
    times.state = "running";
  } else if (woken > started) {
    times.state = "scheduled";
    times.scheduled_ns += std::max<std::int64_t>(0, now - std::max(woken, last_ended));
  }
  // A task that ends itself does so inside its last poll.
  const std::int64_t end = has_ended ? std::max(task.ended_ns.load(kRelaxed), last_ended) : now;
  times.total_ns = std::max<std::int64_t>(0, end - task.created_ns);
  times.idle_ns = std::max<std::int64_t>(0, times.total_ns - times.busy_ns - times.scheduled_ns);
  return times;
}

void AppendSeconds(std::string& out, std::int64_t ns) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9f", static_cast<double>(ns) / kSecond);
  out += text.data();
}

std::string ValueText(const Field& field) {
  if (const auto* text = std::get_if<std::string_view>(&field.value)) return std::string(*text);
  if (const auto* number = std::get_if<std::uint64_t>(&field.value)) return std::to_string(*number);
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return std::get<bool>(field.value) ? "true" : "false";
}

const char* NameOf(TaskOutcome outcome) {
  switch (outcome) {
    case TaskOutcome::kFinished:
      return "finished";
    case TaskOutcome::kFailed:
      return "failed";
    case TaskOutcome::kCancelled:
      break;
  }
  return "cancelled";
}

void WriteTask(JsonWriter& json, const TaskSlot& task, bool has_ended, const WallClock& clock) {
  const TaskTimes times = TimesOf(task, has_ended);
  json.Number("id", task.id.load(kRelaxed));
  json.Number("parent", task.parent_id);
  json.Text("name", task.name.view());
  json.Text("kind", task.kind.view());
  json.Text("state", times.state);
  if (has_ended) json.Text("outcome", NameOf(task.outcome.load(kRelaxed)));
  json.Text("file", task.place.file);
  json.Number("line", task.place.line);
  json.Number("created_ns", clock.UnixNs(task.created_ns));
  json.Number("total_ns", times.total_ns);
  json.Number("busy_ns", times.busy_ns);
  json.Number("scheduled_ns", times.scheduled_ns);
  json.Number("idle_ns", times.idle_ns);
  json.Number("polls", task.polls.load(kRelaxed));
  json.Number("wakes", task.wakes.load(kRelaxed));
  json.Number("self_wakes", task.self_wakes.load(kRelaxed));
  json.Number("wakers", task.waker_clones.load(kRelaxed) - task.waker_drops.load(kRelaxed));
  json.BeginObject("fields");
  task.fields.ForEach([&](const Field& field) { json.Text(field.name, ValueText(field)); });
  json.EndObject();
}

// The buckets that are not empty, each by its least duration.
void WriteHistogram(JsonWriter& json, std::string_view key, const Log2Histogram& histogram) {
  json.BeginObject(key);
  json.Number("max_ns", histogram.max_ns());
  json.BeginArray("buckets");
  for (std::size_t i = 0; i < Log2Histogram::kBuckets; ++i) {
    const std::uint32_t count = histogram.count(i);
    if (count == 0) continue;
    json.BeginObject();
    json.Number("from_ns", i == 0 ? std::uint64_t{0} : std::uint64_t{1} << i);
    json.Number("count", count);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

// One metric in the Prometheus text format.
class MetricsWriter {
 public:
  void Head(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ += "# HELP " + name_ + ' ' + std::string(help) + "\n# TYPE " + name_ + ' ' +
            std::string(type) + '\n';
  }
  void Value(std::uint64_t value, const std::string& labels = {}) {
    out_ += name_ + labels + ' ' + std::to_string(value) + '\n';
  }
  void Seconds(std::uint64_t ns, const std::string& labels = {}) {
    out_ += name_ + labels + ' ';
    AppendSeconds(out_, static_cast<std::int64_t>(ns));
    out_ += '\n';
  }
  void Counter(std::string_view name, std::string_view help, std::uint64_t value) {
    Head(name, "counter", help);
    Value(value);
  }
  void Gauge(std::string_view name, std::string_view help, std::uint64_t value) {
    Head(name, "gauge", help);
    Value(value);
  }
  std::string Take() && { return std::move(out_); }

 private:
  std::string name_;
  std::string out_;
};

}  // namespace

std::string HttpService::TasksAsText() {
  std::string text;
  std::size_t living = 0;
  std::string lines;
  ledger_.ForEachTask([&](const TaskSlot& task, bool has_ended) {
    living += has_ended ? 0 : 1;
    const TaskTimes times = TimesOf(task, has_ended);
    lines += "task " + std::to_string(task.id.load(kRelaxed)) + " [" + times.state + "] \"" +
             ValidUtf8(task.name.view()) + "\" polls " + std::to_string(task.polls.load(kRelaxed)) +
             " busy ";
    AppendSeconds(lines, times.busy_ns);
    lines += " s of ";
    AppendSeconds(lines, times.total_ns);
    lines += " s";
    if (task.place.file[0] != '\0') {
      lines += "\n\t" + std::string(task.place.file) + ':' + std::to_string(task.place.line);
    }
    lines += '\n';
  });
  return "tasks: " + std::to_string(living) + " living\n\n" + lines;
}

std::string HttpService::TasksAsJson() {
  JsonWriter json;
  json.BeginObject();
  json.Number("time_ns", ledger_.clock().NowUnixNs());
  json.BeginArray("tasks");
  ledger_.ForEachTask([&](const TaskSlot& task, bool has_ended) {
    json.BeginObject();
    WriteTask(json, task, has_ended, ledger_.clock());
    json.EndObject();
  });
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

std::optional<std::string> HttpService::TaskAsJson(std::uint64_t id) {
  std::optional<std::string> found;
  ledger_.ForEachTask([&](const TaskSlot& task, bool has_ended) {
    if (task.id.load(kRelaxed) != id) return;
    JsonWriter json;
    json.BeginObject();
    json.Number("time_ns", ledger_.clock().NowUnixNs());
    WriteTask(json, task, has_ended, ledger_.clock());
    WriteHistogram(json, "poll_times", task.poll_times);
    WriteHistogram(json, "scheduled_times", task.scheduled_times);
    json.EndObject();
    found = std::move(json).Take();
  });
  return found;
}

std::string HttpService::StatusAsJson() {
  const ConsoleStats stats = options_.stats();
  JsonWriter json;
  json.BeginObject();
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  json.Text("program",
            std::string_view(path.data(), size > 0 ? static_cast<std::size_t>(size) : 0));
  json.Number("pid", ::getpid());
  json.Text("role", hooks_.role);
  json.Number("time_ns", ledger_.clock().NowUnixNs());
  json.Number("uptime_ns", SteadyNs() - started_ns_);
  json.Bool("paused", instrument_.is_paused());
  json.BeginObject("console");
  json.Number("tasks_kept", stats.tasks);
  json.Number("tasks_seen", stats.tasks_seen);
  json.Number("tasks_dropped", stats.tasks_dropped);
  json.Number("tasks_evicted", stats.tasks_evicted);
  json.Number("slow_clients", stats.slow_clients);
  json.Number("watchers", stats.watchers);
  json.Number("connections", stats.connections);
  json.Number("connections_refused", stats.connections_refused);
  json.Number("record_bytes", stats.record_bytes);
  json.EndObject();
  json.Bool("sampling", hooks_.samples != nullptr);
  if (!hooks_.push_engine.empty() && hooks_.push_stats) {
    const PushStats push = hooks_.push_stats();
    json.BeginObject("push");
    json.Text("engine", hooks_.push_engine);
    json.Number("taken", push.taken);
    json.Number("pushed", push.pushed);
    json.Number("dropped", push.dropped);
    json.Number("failures", push.failures);
    json.Number("waiting", push.waiting);
    json.Text("problem", push.problem);
    json.EndObject();
  }
  if (hooks_.snapshot_stats) {
    const SnapshotStats snapshots = hooks_.snapshot_stats();
    json.BeginObject("snapshots");
    json.Number("written", snapshots.snapshots + snapshots.extras);
    json.Number("failures", snapshots.failures);
    json.Number("samples_lost", snapshots.samples_lost);
    json.Text("problem", snapshots.problem);
    json.EndObject();
  }
  if (hooks_.sampler_stats) {
    const SamplerStats sampler = hooks_.sampler_stats();
    json.BeginObject("sampler");
    json.Number("taken", sampler.taken);
    json.Number("written", sampler.written);
    json.Number("dropped", sampler.dropped);
    json.Number("truncated", sampler.Truncated());
    json.Number("process_cpu_ns", sampler.process_cpu_ns);
    json.Number("profiler_cpu_ns", sampler.profiler_ns);
    json.Number("lost_ring_ns", sampler.lost_ring_ns);
    json.Number("lost_blocked_ns", sampler.lost_blocked_ns);
    json.Number("lost_late_ns", sampler.lost_late_ns);
    json.Number("unexplained_ns", sampler.UnexplainedNs());
    json.EndObject();
  }
  json.EndObject();
  return std::move(json).Take();
}

std::string HttpService::Metrics() {
  MetricsWriter out;
  out.Gauge("sonde_active", "Whether the process is sampled.", hooks_.samples != nullptr ? 1 : 0);
  if (hooks_.sampler_stats) {
    const SamplerStats stats = hooks_.sampler_stats();
    out.Head("sonde_samples_total", "counter", "Samples taken, in sampling periods.");
    out.Value(stats.taken, "{type=\"cpu\"}");
    out.Head("sonde_samples_dropped_total", "counter", "Samples lost, in sampling periods.");
    out.Value(stats.dropped, "{reason=\"ring_full\"}");
    out.Counter("sonde_stack_truncated_total", "Stacks whose root was not reached.",
                stats.Truncated());
    out.Head("sonde_process_cpu_seconds_total", "counter",
             "CPU time of the process while sampled.");
    out.Seconds(stats.process_cpu_ns);
    out.Head("sonde_profiler_cpu_seconds_total", "counter", "CPU time of the profiler's threads.");
    out.Seconds(stats.profiler_ns);
    out.Head("sonde_cpu_lost_seconds_total", "counter", "CPU time that no sample tells of.");
    out.Seconds(stats.lost_ring_ns, "{reason=\"ring_full\"}");
    out.Seconds(stats.lost_blocked_ns, "{reason=\"blocked\"}");
    out.Seconds(stats.lost_late_ns, "{reason=\"late\"}");
  }
  if (hooks_.snapshot_stats) {
    const SnapshotStats snapshots = hooks_.snapshot_stats();
    out.Counter("sonde_snapshots_total", "Snapshots written.",
                snapshots.snapshots + snapshots.extras);
    out.Counter("sonde_snapshot_failures_total", "Snapshots that could not be written.",
                snapshots.failures);
    out.Counter("sonde_snapshot_samples_lost_total",
                "Samples in no snapshot that was written, in sampling periods.",
                snapshots.samples_lost);
    out.Counter("sonde_snapshot_bytes_total", "Bytes of snapshots written.", snapshots.bytes);
  }
  const ConsoleStats stats = options_.stats();
  out.Gauge("sonde_tasks", "Tasks kept: living, and ended lately.", stats.tasks);
  out.Counter("sonde_tasks_total", "Tasks recorded.", stats.tasks_seen);
  out.Counter("sonde_tasks_dropped_total", "Tasks not recorded for want of room.",
              stats.tasks_dropped);
  out.Counter("sonde_tasks_evicted_total", "Ended tasks forgotten before their time.",
              stats.tasks_evicted);
  out.Gauge("sonde_console_watchers", "Console clients that watch.", stats.watchers);
  out.Counter("sonde_console_slow_clients_total", "Console clients dropped for being slow.",
              stats.slow_clients);
  out.Gauge("sonde_connections", "Open connections.", stats.connections);
  out.Counter("sonde_connections_refused_total", "Connections beyond the limit.",
              stats.connections_refused);
  out.Gauge("sonde_table_memory_bytes", "Memory of all task records.", stats.record_bytes);
  out.Head("sonde_profiles_served_total", "counter", "Profiles sent.");
  for (const auto& [key, count] : served_) {
    out.Value(count,
              "{endpoint=\"" + key.first + "\",code=\"" + std::to_string(key.second) + "\"}");
  }
  out.Counter("sonde_profile_bytes_total", "Bytes of profiles sent.", sent_profile_bytes_);
  if (!hooks_.push_engine.empty() && hooks_.push_stats) {
    const PushStats push = hooks_.push_stats();
    const std::string target = "{target=\"" + hooks_.push_engine + "\"}";
    const auto counter = [&](std::string_view name, std::string_view help, std::uint64_t value) {
      out.Head(name, "counter", help);
      out.Value(value, target);
    };
    counter("sonde_push_profiles_total", "Profiles taken to be pushed.", push.taken);
    counter("sonde_push_succeeded_total", "Profiles pushed.", push.pushed);
    counter("sonde_push_dropped_total", "Profiles that were not pushed.", push.dropped);
    counter("sonde_push_failures_total", "Attempts without success.", push.failures);
    counter("sonde_push_bytes_total", "Bytes of profiles pushed.", push.bytes);
    out.Head("sonde_push_waiting", "gauge", "Profiles that wait to be pushed.");
    out.Value(push.waiting, target);
  }
  return std::move(out).Take();
}

}  // namespace sonde
