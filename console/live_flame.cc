// LiveFlame: answers GET /api/flame and GET /api/labels, of a window of the last minutes.

#include "console/live_flame.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "console/http_replies.h"
#include "console/label_sums.h"
#include "sonde/call_tree.h"
#include "sonde/filter.h"
#include "sonde/flame_graph.h"
#include "sonde/folded.h"
#include "sonde/scaled_weights.h"

namespace sonde {
namespace {

constexpr std::int64_t kDefaultSeconds = 10;
constexpr std::int64_t kDefaultNodes = 20'000;
constexpr std::int64_t kFewestNodes = 100;
constexpr std::int64_t kMostNodes = 200'000;
constexpr std::chrono::minutes kUnasked{1};
constexpr std::chrono::milliseconds kKept{200};
constexpr std::size_t kMostKept = 4;

bool IsNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The key and the value of the parameter; nullopt where it is not KEY=VALUE.
std::optional<std::pair<std::string, std::string>> LabelOf(const HttpTarget& target) {
  const std::string_view label = target.Parameter("label");
  const std::size_t equals = label.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return std::pair(std::string(label.substr(0, equals)), std::string(label.substr(equals + 1)));
}

FilterRules RulesOf(const HttpTarget& target) {
  FilterRules rules;
  const std::string task(target.Parameter("task"));
  if (!task.empty()) rules.labels.push_back({IsNumber(task) ? "task_id" : "task", task});
  const std::string thread(target.Parameter("thread"));
  if (!thread.empty()) rules.labels.push_back({"thread", thread});
  if (auto label = LabelOf(target)) {
    rules.labels.push_back({std::move(label->first), std::move(label->second)});
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
}

// Absent, or a number in the range.
bool IsIn(const HttpTarget& target, const std::string& name, std::int64_t least,
          std::int64_t most) {
  if (target.Parameter(name).empty()) return true;
  const std::optional<std::int64_t> number = target.Number(name);
  return number.has_value() && *number >= least && *number <= most;
}

// The weights of `base` are scaled to the time that `now` covers, which may be longer or shorter.
Result<FlameGraph> DifferenceInEqualTime(const Profile& base, const Profile& now,
                                         const CallTree& tree, const FlameShape& shape,
                                         FlameStyle& style) {
  const std::size_t type = base.default_sample_type();
  std::vector<std::int64_t> weights = WeightsOf(base, type);
  Scale(weights,
        static_cast<long double>(now.duration_ns()) / static_cast<long double>(base.duration_ns()));
  style.subtitle.push_back("before: " + DescribeForFlame(base, type).front() +
                           "; scaled to the same time");
  const FrameNames names(base);
  return FlameGraph::MakeDifference(CallTree(names, weights), tree, shape);
}

}  // namespace

LiveFlame::LiveFlame(const ConsoleHooks& hooks, Symbolizer& symbolizer) : symbolizer_(symbolizer) {
  if (hooks.samples != nullptr) window_ = std::make_unique<LiveWindow>(*hooks.samples);
}

void LiveFlame::KeepUp() {
  if (!is_watching()) return;
  if (std::chrono::steady_clock::now() - last_asked_ > kUnasked) return Rest();
  window_->Cut();
}

void LiveFlame::Rest() {
  if (window_ != nullptr) window_->Rest();
  kept_.clear();
  is_watching_ = false;
}

Profile LiveFlame::Window(const HttpTarget& target, std::chrono::seconds ago) {
  const std::chrono::seconds length(target.Number("window").value_or(kDefaultSeconds));
  return symbolizer_.Name(window_->Of(length, ago)).Build();
}

bool LiveFlame::IsFirstLook() {
  last_asked_ = std::chrono::steady_clock::now();
  return !is_watching_.exchange(true);
}

HttpResponse LiveFlame::Labels(const HttpTarget& target) {
  if (!IsIn(target, "window", 1, LiveWindow::kLongest.count())) {
    return TextReply(400, "window is 1 to 1200\n");
  }
  if (window_ == nullptr) return TextReply(503, "the process is not sampled\n");
  IsFirstLook();
  return JsonReply(LabelSumsAsJson(Window(target, std::chrono::seconds(0))));
}

HttpResponse LiveFlame::Answer(const HttpTarget& target) {
  const auto began = std::chrono::steady_clock::now();
  std::erase_if(kept_, [&](const Kept& kept) { return began > kept.until; });
  const auto known = std::ranges::find(kept_, target.query, &Kept::query);
  if (known != kept_.end()) return known->reply;
  HttpResponse reply = Draw(target);
  if (reply.status != 200) return reply;
  if (kept_.size() == kMostKept) kept_.pop_front();
  const auto drawn = std::chrono::steady_clock::now();
  const auto took = drawn - began;
  kept_.push_back({target.query, drawn + std::max<std::chrono::nanoseconds>(took, kKept), reply});
  return reply;
}

HttpResponse LiveFlame::Draw(const HttpTarget& target) {
  const Format* const format = FormatOf(target);
  if (format == nullptr) return TextReply(400, "format is json, svg, html or folded\n");
  const std::int64_t longest = LiveWindow::kLongest.count();
  if (!IsIn(target, "window", 1, longest) || !IsIn(target, "base", 0, longest) ||
      !IsIn(target, "nodes", kFewestNodes, kMostNodes)) {
    return TextReply(400, "window is 1 to 1200, base 0 to 1200, nodes 100 to 200000\n");
  }
  if (!target.Parameter("label").empty() && !LabelOf(target)) {
    return TextReply(400, "label is KEY=VALUE\n");
  }
  if (window_ == nullptr) return TextReply(503, "the process is not sampled\n");
  const bool is_first = IsFirstLook();

  const FilterRules rules = RulesOf(target);
  const Result<Profile> now = Filter(Window(target, std::chrono::seconds(0)), rules);
  if (!now.ok()) return TextReply(500, now.error().message + '\n');
  const std::size_t type = now.value().default_sample_type();
  const FrameNames names(now.value());
  StringSink bytes;
  HttpResponse reply{
      .headers = {{"content-type", std::string(format->content_type)},
                  {"x-sonde-covered-ns", std::to_string(now.value().duration_ns())}}};
  if (format->name == "folded") {
    const Status written = WriteFolded(names, type, bytes);
    if (!written.ok()) return TextReply(500, written.error().message + '\n');
    reply.body = std::move(bytes).Take();
    return reply;
  }

  const FlameShape shape{
      .type = now.value().sample_types()[type],
      .max_nodes = static_cast<std::size_t>(target.Number("nodes").value_or(kDefaultNodes))};
  const CallTree tree(names, type);
  FlameStyle style;
  style.subtitle = DescribeForFlame(now.value(), type);
  if (is_first) style.subtitle.emplace_back("Nothing yet: samples are kept from this request on");
  std::optional<Result<FlameGraph>> graph;
  if (const std::optional<std::int64_t> ago = target.Number("base"); ago.has_value()) {
    const Result<Profile> base = Filter(Window(target, std::chrono::seconds(*ago)), rules);
    if (!base.ok()) return TextReply(500, base.error().message + '\n');
    reply.headers.emplace_back("x-sonde-base-covered-ns",
                               std::to_string(base.value().duration_ns()));
    if (base.value().duration_ns() > 0 && now.value().duration_ns() > 0) {
      graph.emplace(DifferenceInEqualTime(base.value(), now.value(), tree, shape, style));
    } else {
      style.subtitle.emplace_back("Nothing is kept of the earlier window: this is no difference");
    }
  }
  if (!graph.has_value()) graph.emplace(FlameGraph::Make(tree, shape));
  if (!graph->ok()) return TextReply(500, graph->error().message + '\n');
  const Status written = Write(graph->value(), style, format->name, bytes);
  if (!written.ok()) return TextReply(500, written.error().message + '\n');
  reply.body = std::move(bytes).Take();
  return reply;
}

}  // namespace sonde
