<<<<<<< HEAD
// LiveFlame: answers GET /api/flame, the flame graph of a window of the last minutes.
=======
// LiveFlame: the flame graph of the last seconds, as a request asks for it.
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)

#include "console/live_flame.h"

#include <algorithm>
<<<<<<< HEAD
#include <optional>
#include <string>
#include <utility>

#include "console/http_replies.h"
#include "sonde/call_tree.h"
#include "sonde/filter.h"
#include "sonde/flame_graph.h"
#include "sonde/folded.h"
=======
#include <charconv>
#include <optional>
#include <utility>

#include "console/http_replies.h"
#include "sonde/byte_sink.h"
#include "sonde/call_tree.h"
#include "sonde/flame_graph.h"
#include "sonde/folded.h"
#include "sonde/frame_names.h"
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)

namespace sonde {
namespace {

<<<<<<< HEAD
constexpr std::int64_t kDefaultSeconds = 10;
constexpr std::int64_t kDefaultNodes = 20'000;
constexpr std::int64_t kFewestNodes = 100;
constexpr std::int64_t kMostNodes = 200'000;
constexpr std::chrono::minutes kUnasked{1};

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

FilterRules RulesOf(const HttpTarget& target) {
  FilterRules rules;
  const std::string task(target.Parameter("task"));
  if (!task.empty()) rules.labels.push_back({IsNumber(task) ? "task_id" : "task", task});
  const std::string thread(target.Parameter("thread"));
  if (!thread.empty()) rules.labels.push_back({"thread", thread});
  const std::string label(target.Parameter("label"));
  const std::size_t equals = label.find('=');
  if (equals != std::string::npos) {
    rules.labels.push_back({label.substr(0, equals), label.substr(equals + 1)});
  }
  return rules;
}

struct Format {
  std::string_view name;
  std::string_view content_type;
};
constexpr Format kFormats[] = {{"json", "application/json; charset=utf-8"},
                               {"svg", "image/svg+xml"},
                               {"html", "text/html; charset=utf-8"},
                               {"folded", "text/plain; charset=utf-8"}};

// Null for one that is not known.
const Format* FormatOf(const HttpTarget& target) {
  const std::string_view name = target.Parameter("format");
  for (const Format& format : kFormats) {
    if (name == format.name || (name.empty() && format.name == "json")) return &format;
  }
  return nullptr;
}

Status Write(const FlameGraph& graph, const FlameStyle& style, std::string_view format,
             ByteSink& sink) {
  if (format == "svg") return graph.WriteSvg(style, sink);
  if (format == "html") return graph.WriteHtml(style, sink);
  return graph.WriteJson(style, sink);
=======
using std::chrono::seconds;

constexpr std::int64_t kLongestWindow = 1200;
constexpr std::int64_t kFewestNodes = 100;
constexpr std::int64_t kMostNodes = 200'000;
constexpr std::int64_t kUsualNodes = 20'000;
constexpr seconds kIdle{60};

// The parameter in its range; nullopt when it is there and no number in it.
std::optional<std::int64_t> InRange(const HttpTarget& target, const std::string& name,
                                    std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  if (target.Parameter(name).empty()) return otherwise;
  const std::optional<std::int64_t> number = target.Number(name);
  if (!number.has_value() || *number < least || *number > most) return std::nullopt;
  return number;
}

HttpResponse Written(const Status& status, std::string bytes, std::string_view type) {
  if (!status.ok()) return TextReply(500, status.error().message + "\n");
  return {
      .status = 200, .headers = {{"content-type", std::string(type)}}, .body = std::move(bytes)};
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)
}

}  // namespace

<<<<<<< HEAD
LiveFlame::LiveFlame(const ConsoleHooks& hooks, Symbolizer& symbolizer) : symbolizer_(symbolizer) {
  if (hooks.samples != nullptr) window_ = std::make_unique<LiveWindow>(*hooks.samples);
}

void LiveFlame::RestWhenUnasked() {
  if (window_ == nullptr || window_->is_resting()) return;
  if (std::chrono::steady_clock::now() - last_asked_ > kUnasked) window_->Rest();
}

Result<Profile> LiveFlame::Window(const HttpTarget& target, std::chrono::seconds ago) {
  const std::int64_t seconds = std::clamp<std::int64_t>(
      target.Number("window").value_or(kDefaultSeconds), 1, LiveWindow::kLongest.count());
  const Profile all = symbolizer_.Name(window_->Of(std::chrono::seconds(seconds), ago)).Build();
  return Filter(all, RulesOf(target));
}

HttpResponse LiveFlame::Answer(const HttpTarget& target) {
  const Format* const format = FormatOf(target);
  if (format == nullptr) return TextReply(400, "format is json, svg, html or folded\n");
  if (window_ == nullptr) return TextReply(503, "the process is not sampled\n");
  last_asked_ = std::chrono::steady_clock::now();

  const Result<Profile> now = Window(target, std::chrono::seconds(0));
  if (!now.ok()) return TextReply(500, now.error().message + '\n');
  const std::size_t type = now.value().default_sample_type();
  const FrameNames names(now.value());
  StringSink bytes;
  HttpResponse reply{.headers = {{"content-type", std::string(format->content_type)}}};
  if (format->name == "folded") {
    const Status written = WriteFolded(names, type, bytes);
    if (!written.ok()) return TextReply(500, written.error().message + '\n');
    reply.body = std::move(bytes).Take();
    return reply;
  }

  const FlameShape shape{
      .type = now.value().sample_types()[type],
      .max_nodes = static_cast<std::size_t>(
          std::clamp(target.Number("nodes").value_or(kDefaultNodes), kFewestNodes, kMostNodes))};
  const CallTree tree(names, type);
  std::optional<Result<FlameGraph>> graph;
  if (const std::optional<std::int64_t> ago = target.Number("base"); ago.has_value()) {
    const Result<Profile> base = Window(target, std::chrono::seconds(std::clamp<std::int64_t>(
                                                    *ago, 0, LiveWindow::kLongest.count())));
    if (!base.ok()) return TextReply(500, base.error().message + '\n');
    const FrameNames base_names(base.value());
    graph.emplace(FlameGraph::MakeDifference(
        CallTree(base_names, base.value().default_sample_type()), tree, shape));
  } else {
    graph.emplace(FlameGraph::Make(tree, shape));
  }
  if (!graph->ok()) return TextReply(500, graph->error().message + '\n');
  FlameStyle style;
  style.subtitle = DescribeForFlame(now.value(), type);
  const Status written = Write(graph->value(), style, format->name, bytes);
  if (!written.ok()) return TextReply(500, written.error().message + '\n');
  reply.body = std::move(bytes).Take();
  return reply;
=======
struct LiveFlame::Filter {
  std::string task;    // Name or id; empty = all.
  std::string thread;  // Name; empty = all.
  std::string key;     // Of a label; empty = all.
  std::string value;

  bool Wants(const Interval& interval, const IntervalSample& sample, const TaskNames& names) const {
    if (!thread.empty() && (sample.thread >= interval.threads.size() ||
                            interval.threads[sample.thread].name != thread)) {
      return false;
    }
    if (!key.empty()) {
      if (sample.label_set >= interval.label_sets.size()) return false;
      const auto& labels = interval.label_sets[sample.label_set];
      if (std::ranges::find(labels, std::pair(key, value)) == labels.end()) return false;
    }
    if (task.empty()) return true;
    if (sample.task_id == 0) return false;
    return task == std::to_string(sample.task_id) || task == names.Find(sample.task_id);
  }
};

Profile LiveFlame::ProfileOf(Interval interval, const Filter& filter) {
  std::erase_if(interval.samples, [&](const IntervalSample& sample) {
    return !filter.Wants(interval, sample, names_);
  });
  return symbolizer_.Name(interval).Build();
}

HttpResponse LiveFlame::Reply(const HttpTarget& target) {
  last_asked_ = std::chrono::steady_clock::now();
  const auto window = InRange(target, "window", 10, 1, kLongestWindow);
  const auto base = InRange(target, "base", 0, 1, kLongestWindow);
  const auto nodes = InRange(target, "nodes", kUsualNodes, kFewestNodes, kMostNodes);
  const std::string_view format = target.Parameter("format");
  const bool is_known = format.empty() || format == "json" || format == "svg" || format == "html" ||
                        format == "folded";
  if (!window || !base || !nodes || !is_known) {
    return TextReply(400,
                     "window, base: 1 to 1200; nodes: 100 to 200000; format: json, svg, "
                     "html or folded\n");
  }
  Filter filter{
      std::string(target.Parameter("task")), std::string(target.Parameter("thread")), {}, {}};
  const std::string_view label = target.Parameter("label");
  if (const std::size_t equals = label.find('='); equals != std::string_view::npos) {
    filter.key = label.substr(0, equals);
    filter.value = label.substr(equals + 1);
  } else if (!label.empty()) {
    return TextReply(400, "label: KEY=VALUE\n");
  }

  const Profile now = ProfileOf(window_.Of(seconds(*window), seconds(0)), filter);
  const std::size_t type = now.default_sample_type();
  const FrameNames names(now);
  StringSink sink;
  if (format == "folded") {
    const Status status = WriteFolded(names, type, sink);
    return Written(status, std::move(sink).Take(), "text/plain; charset=utf-8");
  }
  const CallTree tree(names, type);
  const FlameShape shape{.type = now.sample_types()[type],
                         .max_nodes = static_cast<std::size_t>(*nodes)};
  std::optional<Result<FlameGraph>> graph;
  if (*base != 0) {
    const Profile before = ProfileOf(window_.Of(seconds(*window), seconds(*base)), filter);
    const FrameNames base_names(before);
    const CallTree base_tree(base_names, type);
    graph.emplace(FlameGraph::MakeDifference(base_tree, tree, shape));
  } else {
    graph.emplace(FlameGraph::Make(tree, shape));
  }
  if (!graph->ok()) return TextReply(500, graph->error().message + "\n");
  FlameStyle style;
  style.title.clear();
  const FlameGraph& picture = graph->value();
  if (format == "svg") {
    const Status status = picture.WriteSvg(style, sink);
    return Written(status, std::move(sink).Take(), "image/svg+xml");
  }
  if (format == "html") {
    const Status status = picture.WriteHtml(style, sink);
    return Written(status, std::move(sink).Take(), "text/html; charset=utf-8");
  }
  const Status status = picture.WriteJson(style, sink);
  return Written(status, std::move(sink).Take(), "application/json; charset=utf-8");
}

void LiveFlame::RestWhenIdle() {
  if (window_.is_resting() || std::chrono::steady_clock::now() - last_asked_ < kIdle) return;
  window_.Rest();
>>>>>>> 4d4ee99 (Serve the page, live flame graphs and events; test the server; write the console down)
}

}  // namespace sonde
