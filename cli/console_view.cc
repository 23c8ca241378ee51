// ConsoleView: what the console's terminal client shows, and how keys change it.

#include "cli/console_view.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace sonde::cli {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

int WidthOf(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !IsContinuation(c); }));
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string Percent(std::int64_t part, std::int64_t whole) {
  std::array<char, 16> text{};
  const double share =
      whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
  std::snprintf(text.data(), text.size(), "%.1f %%", share);
  return text.data();
}

std::string FieldsOf(const TaskRow& task) {
  std::string text;
  for (const auto& [name, value] : task.fields) {
    if (!text.empty()) text += ' ';
    text += name + '=' + value;
  }
  return text;
}

// The last part of a path, with its line.
std::string ShortLocation(const std::string& location) {
  const std::size_t slash = location.rfind('/');
  return slash == std::string::npos ? location : location.substr(slash + 1);
}

std::string Bar(std::uint64_t value, std::uint64_t largest, int columns) {
  if (largest == 0 || value == 0) return {};
  const auto length = static_cast<int>(static_cast<double>(value) / static_cast<double>(largest) *
                                       static_cast<double>(columns));
  std::string bar;
  for (int i = 0; i < std::max(1, length); ++i) bar += "\xe2\x96\x88";
  return bar;
}

// Counts by power of two, as lines with bars.
void AddHistogram(const std::string& title, const DurationCounts& counts, int width,
                  std::vector<ScreenLine>& out) {
  std::string head = title + ": ";
  if (counts.total == 0) {
    out.push_back({head + "none yet", LineStyle::kFaint});
    return;
  }
  for (const auto& [name, share] : {std::pair("p50 ", 0.5), std::pair("  p90 ", 0.9),
                                    std::pair("  p99 ", 0.99), std::pair("  max ", 1.0)}) {
    head += name + ShortDuration(static_cast<std::int64_t>(counts.PercentileNs(share)));
  }
  if (counts.outliers != 0) {
    head += "  longer than shown: " + std::to_string(counts.outliers) + ", up to " +
            ShortDuration(static_cast<std::int64_t>(counts.highest_outlier_ns));
  }
  out.push_back({head, LineStyle::kStrong});
  std::array<std::uint64_t, 64> buckets{};
  for (const DurationCounts::Range& range : counts.ranges) {
    std::size_t bucket = 0;
    while (bucket < 63 && (range.to_ns >> (bucket + 1)) != 0) ++bucket;
    buckets[bucket] += range.count;
  }
  const std::uint64_t largest = *std::max_element(buckets.begin(), buckets.end());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (buckets[i] == 0) continue;
    const std::string from = i == 0 ? "0 ns" : ShortDuration(std::int64_t{1} << i);
    out.push_back({"  " + InColumns("from " + from, 13) + ' ' +
                       InColumns(std::to_string(buckets[i]), 9, true) + ' ' +
                       Bar(buckets[i], largest, std::max(10, width - 28)),
                   LineStyle::kPlain});
  }
}

}  // namespace

std::string ShortDuration(std::int64_t ns) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}, {1, "ns"}}};
  const auto value = static_cast<double>(ns);
  if (value >= 3600e9) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0f h %02.0f m", std::floor(value / 3600e9),
                  std::floor((value - std::floor(value / 3600e9) * 3600e9) / 60e9));
    return text.data();
  }
  for (const auto& [factor, unit] : kUnits) {
    if (value < factor && factor > 1) continue;
    const double scaled = value / factor;
    std::array<char, 32> text{};
    const int decimals = factor == 1 || scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2;
    std::snprintf(text.data(), text.size(), "%.*f %s", decimals, scaled, unit);
    return text.data();
  }
  return "0 ns";
}

std::string InColumns(const std::string& text, int columns, bool right_aligned) {
  const int width = WidthOf(text);
  if (width <= columns) {
    const std::string space(static_cast<std::size_t>(columns - width), ' ');
    return right_aligned ? space + text : text + space;
  }
  if (columns <= 0) return {};
  std::string cut;
  int used = 0;
  for (const char c : text) {
    if (!IsContinuation(c) && ++used >= columns) break;
    cut.push_back(c);
  }
  return cut + "\xe2\x80\xa6";
}

bool ConsoleView::Matches(const TaskRow& task, const std::string& whole) const {
  if (filter_.empty()) return true;
  std::string_view rest = filter_;
  while (!rest.empty()) {
    const std::size_t space = rest.find(' ');
    const std::string word = Lower(rest.substr(0, space));
    rest = space == std::string_view::npos ? std::string_view() : rest.substr(space + 1);
    if (word.starts_with("state:")) {
      if (!std::string_view(NameOf(task.state())).starts_with(word.substr(6))) return false;
    } else if (Lower(whole).find(word) == std::string::npos) {
      return false;
    }
  }
  return true;
}

std::vector<ConsoleView::Row> ConsoleView::TaskRows(const ConsoleModel& model, int width) const {
  const std::int64_t now = model.now();
  std::vector<const TaskRow*> tasks;
  for (const auto& [id, task] : model.tasks()) {
    if (Matches(task, task.name + ' ' + task.kind + ' ' + FieldsOf(task) + ' ' + task.location)) {
      tasks.push_back(&task);
    }
  }
  const auto number = [&](const TaskRow& task) -> std::int64_t {
    switch (sort_) {
      case 'i':
        return static_cast<std::int64_t>(task.id);
      case 'b':
        return task.BusyNs(now);
      case 's':
        return task.ScheduledNs(now);
      case 'd':
        return task.IdleNs(now);
      case 'p':
        return static_cast<std::int64_t>(task.polls);
      case 'w':
        return static_cast<std::int64_t>(task.Warnings(now).size());
      default:
        return task.TotalNs(now);
    }
  };
  std::stable_sort(tasks.begin(), tasks.end(), [&](const TaskRow* a, const TaskRow* b) {
    if (sort_ == 'n') return is_ascending_ ? b->name < a->name : a->name < b->name;
    return is_ascending_ ? number(*a) < number(*b) : number(*a) > number(*b);
  });

  const int name_width = std::clamp(width - 68, 12, 40);
  std::vector<Row> rows;
  for (const TaskRow* const task : tasks) {
    const bool has_warning = !task->Warnings(now).empty();
    std::string text = has_warning ? "! " : "  ";
    text += InColumns(std::to_string(task->id), 7, true) + ' ';
    text += InColumns(NameOf(task->state()), 9) + ' ';
    text += InColumns(task->name.empty() ? "-" : task->name, name_width) + ' ';
    text += InColumns(ShortDuration(task->TotalNs(now)), 8, true) + ' ';
    text += InColumns(ShortDuration(task->BusyNs(now)), 8, true) + ' ';
    text += InColumns(ShortDuration(task->ScheduledNs(now)), 8, true) + ' ';
    text += InColumns(ShortDuration(task->IdleNs(now)), 8, true) + ' ';
    text += InColumns(std::to_string(task->polls), 6, true) + "  ";
    text += ShortLocation(task->location) + ' ' + FieldsOf(*task);
    const LineStyle style = has_warning                              ? LineStyle::kWarning
                            : task->state() == TaskState::kCompleted ? LineStyle::kFaint
                                                                     : LineStyle::kPlain;
    rows.push_back({task->id, std::move(text), style});
  }
  return rows;
}

std::vector<ConsoleView::Row> ConsoleView::ResourceRows(const ConsoleModel& model, int) const {
  std::vector<Row> rows;
  for (const auto& [id, resource] : model.resources()) {
    std::string text = "  " + InColumns(std::to_string(id), 7, true) + ' ' +
                       InColumns(resource.kind, 10) + ' ' + InColumns(resource.type, 22) + ' ' +
                       InColumns(resource.dropped != 0 ? "gone" : "", 5) + ' ' +
                       resource.attributes + ' ' + ShortLocation(resource.location);
    if (Lower(text).find(Lower(filter_)) == std::string::npos) continue;
    rows.push_back(
        {id, std::move(text), resource.dropped != 0 ? LineStyle::kFaint : LineStyle::kPlain});
  }
  return rows;
}

std::vector<ConsoleView::Row> ConsoleView::AsyncOpRows(const ConsoleModel& model, int) const {
  std::vector<Row> rows;
  for (const auto& [id, op] : model.async_ops()) {
    const auto task = model.tasks().find(op.task_id);
    const auto resource = model.resources().find(op.resource_id);
    const std::int64_t end = op.dropped != 0 ? op.dropped : model.now();
    std::string text =
        "  " + InColumns(std::to_string(id), 7, true) + ' ' + InColumns(op.source, 20) + ' ' +
        InColumns(resource == model.resources().end() ? "-" : resource->second.type, 20) + ' ' +
        InColumns(task == model.tasks().end() ? "-" : task->second.name, 20) + ' ' +
        InColumns(ShortDuration(std::max<std::int64_t>(0, end - op.created)), 9, true);
    if (Lower(text).find(Lower(filter_)) == std::string::npos) continue;
    rows.push_back({id, std::move(text), op.dropped != 0 ? LineStyle::kFaint : LineStyle::kPlain});
  }
  return rows;
}

std::vector<ConsoleView::Row> ConsoleView::Rows(const ConsoleModel& model, int width) const {
  switch (tab_) {
    case Tab::kTasks:
      return TaskRows(model, width);
    case Tab::kResources:
      return ResourceRows(model, width);
    case Tab::kAsyncOps:
      break;
  }
  return AsyncOpRows(model, width);
}

void ConsoleView::RenderList(const ConsoleModel& model, int width, int height,
                             std::vector<ScreenLine>& out) {
  const int name_width = std::clamp(width - 68, 12, 40);
  std::string head;
  switch (tab_) {
    case Tab::kTasks:
      head = "  " + InColumns("ID", 7, true) + ' ' + InColumns("State", 9) + ' ' +
             InColumns("Name", name_width) + ' ' + InColumns("Total", 8, true) + ' ' +
             InColumns("Busy", 8, true) + ' ' + InColumns("Sched", 8, true) + ' ' +
             InColumns("Idle", 8, true) + ' ' + InColumns("Polls", 6, true) + "  Location, fields";
      break;
    case Tab::kResources:
      head = "  " + InColumns("ID", 7, true) + ' ' + InColumns("Kind", 10) + ' ' +
             InColumns("Type", 22) + ' ' + InColumns("", 5) + " Attributes, location";
      break;
    case Tab::kAsyncOps:
      head = "  " + InColumns("ID", 7, true) + ' ' + InColumns("Operation", 20) + ' ' +
             InColumns("Resource", 20) + ' ' + InColumns("Task", 20) + ' ' +
             InColumns("Total", 9, true);
      break;
  }
  out.push_back({head, LineStyle::kStrong});

  const std::vector<Row> rows = Rows(model, width);
  page_ = std::max(1, height - static_cast<int>(out.size()) - 1);
  const auto here = std::find_if(rows.begin(), rows.end(),
                                 [this](const Row& row) { return row.id == selected_; });
  if (here != rows.end()) selected_row_ = static_cast<std::size_t>(here - rows.begin());
  selected_row_ = rows.empty() ? 0 : std::min(selected_row_, rows.size() - 1);
  if (selected_ != 0 && !rows.empty()) selected_ = rows[selected_row_].id;
  const auto page = static_cast<std::size_t>(page_);
  top_ = std::min(top_, selected_row_);
  if (selected_row_ >= top_ + page) top_ = selected_row_ + 1 - page;
  for (std::size_t i = top_; i < rows.size() && i < top_ + page; ++i) {
    const bool is_selected = i == selected_row_;
    out.push_back({rows[i].text, is_selected ? LineStyle::kSelected : rows[i].style});
  }
  if (rows.empty()) {
    out.push_back(
        {filter_.empty() ? "  nothing yet" : "  nothing matches the filter", LineStyle::kFaint});
  }
}

void ConsoleView::RenderTask(const ConsoleModel& model, int width,
                             std::vector<ScreenLine>& out) const {
  const auto found = model.tasks().find(*open_task_);
  if (found == model.tasks().end()) {
    out.push_back({"the task is over and no longer shown", LineStyle::kFaint});
    return;
  }
  const TaskRow& task = found->second;
  const std::int64_t now = model.now();
  const std::int64_t total = task.TotalNs(now);
  out.push_back({"Task " + std::to_string(task.id) + "  " + task.name + "  " + NameOf(task.state()),
                 LineStyle::kStrong});
  for (const std::string& warning : task.Warnings(now)) {
    out.push_back({"! " + warning, LineStyle::kWarning});
  }
  out.push_back({"Kind " + task.kind + "   target " + task.target + "   " + task.location});
  if (!task.fields.empty()) out.push_back({"Fields " + FieldsOf(task)});
  out.push_back({"Total " + ShortDuration(total) + "   busy " + ShortDuration(task.BusyNs(now)) +
                 " (" + Percent(task.BusyNs(now), total) + " of total)   scheduled " +
                 ShortDuration(task.ScheduledNs(now)) + "   idle " +
                 ShortDuration(task.IdleNs(now))});
  std::string wakes = "Polls " + std::to_string(task.polls) + "   wakes " +
                      std::to_string(task.wakes) + ", by itself " +
                      std::to_string(task.self_wakes) + "   wakers " +
                      std::to_string(task.waker_clones - task.waker_drops);
  if (task.last_wake != 0)
    wakes +=
        "   last wake " + ShortDuration(std::max<std::int64_t>(0, now - task.last_wake)) + " ago";
  out.push_back({wakes});
  out.push_back({});
  if (!details_.has_value() || details_->task_id != task.id) {
    out.push_back({"waiting for the histograms", LineStyle::kFaint});
    return;
  }
  AddHistogram("Poll times", details_->polls, width, out);
  out.push_back({});
  AddHistogram("Scheduled times", details_->scheduled, width, out);
}

void ConsoleView::RenderHelp(int, std::vector<ScreenLine>& out) const {
  out.push_back({"Keys", LineStyle::kStrong});
  for (const char* const line :
       {"1 2 3      tasks, resources, operations", "up down    select; page up, page down, g, G",
        "Enter      look closer at a task; Esc or q goes back",
        "/          filter by text, and by state:running, scheduled, idle, completed",
        "i n t b    sort by id, name, total, busy; again to reverse",
        "s d p w    sort by scheduled, idle, polls, warnings", "space      pause and resume",
        "q          quit"}) {
    out.push_back({std::string("  ") + line});
  }
}

std::vector<ScreenLine> ConsoleView::Render(const ConsoleModel& model,
                                            const ConnectionLine& connection, int width,
                                            int height) {
  std::array<std::size_t, 4> states{};
  for (const auto& [id, task] : model.tasks()) ++states[static_cast<std::size_t>(task.state())];
  std::vector<ScreenLine> out;
  std::string strip = "sonde  " + connection.url;
  strip += connection.is_connected ? (connection.is_paused ? "  paused" : "  connected")
                                   : "  no connection: " + connection.problem;
  out.push_back({strip, connection.is_connected ? LineStyle::kStrong : LineStyle::kWarning});
  std::string counts = "tasks " + std::to_string(model.tasks().size()) + ": " +
                       std::to_string(states[0]) + " running, " + std::to_string(states[1]) +
                       " scheduled, " + std::to_string(states[2]) + " idle, " +
                       std::to_string(states[3]) + " completed";
  if (model.dropped_tasks() != 0) {
    counts += "   dropped " + std::to_string(model.dropped_tasks()) + " tasks";
  }
  out.push_back({counts, model.dropped_tasks() != 0 ? LineStyle::kWarning : LineStyle::kPlain});

  if (shows_help_) {
    RenderHelp(width, out);
  } else if (open_task_.has_value()) {
    RenderTask(model, width, out);
  } else {
    RenderList(model, width, height, out);
  }

  const auto body = static_cast<std::size_t>(std::max(0, height - 1));
  out.resize(body);
  std::string foot =
      "1 tasks  2 resources  3 ops  / filter  Enter detail  space pause  ? keys  q quit";
  if (is_filtering_ || !filter_.empty()) foot = "filter: " + filter_ + (is_filtering_ ? "_" : "");
  out.push_back({foot, LineStyle::kFaint});
  for (ScreenLine& line : out) {
    if (WidthOf(line.text) > width) line.text = InColumns(line.text, width);
  }
  return out;
}

void ConsoleView::PressInFilter(int key) {
  if (key == kKeyEnter) {
    is_filtering_ = false;
  } else if (key == kKeyEscape) {
    is_filtering_ = false;
    filter_.clear();
  } else if (key == kKeyBackspace) {
    while (!filter_.empty() && IsContinuation(filter_.back())) filter_.pop_back();
    if (!filter_.empty()) filter_.pop_back();
  } else if (key >= 0x20 && key < 0x100) {
    filter_.push_back(static_cast<char>(key));
  }
}

ConsoleView::Wish ConsoleView::Press(int key, const ConsoleModel& model) {
  if (is_filtering_) {
    PressInFilter(key);
    return Wish::kNothing;
  }
  if (shows_help_) {
    shows_help_ = false;
    return Wish::kNothing;
  }
  if (key == ' ') return Wish::kTogglePause;
  if (key == '?') shows_help_ = true;
  if (open_task_.has_value()) {
    if (key != 'q' && key != kKeyEscape) return Wish::kNothing;
    open_task_.reset();
    details_.reset();
    return Wish::kCloseTask;
  }

  const std::vector<Row> rows = Rows(model, 80);
  const auto select = [&](std::ptrdiff_t row) {
    if (rows.empty()) return;
    const auto last = static_cast<std::ptrdiff_t>(rows.size()) - 1;
    selected_row_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(row, 0, last));
    selected_ = rows[selected_row_].id;
  };
  const auto at = static_cast<std::ptrdiff_t>(selected_row_);
  switch (key) {
    case 'q':
      return Wish::kQuit;
    case '1':
      tab_ = Tab::kTasks;
      break;
    case '2':
      tab_ = Tab::kResources;
      break;
    case '3':
      tab_ = Tab::kAsyncOps;
      break;
    case '/':
      is_filtering_ = true;
      break;
    case kKeyEscape:
      filter_.clear();
      break;
    case kKeyUp:
    case 'k':
      select(at - 1);
      break;
    case kKeyDown:
    case 'j':
      select(at + 1);
      break;
    case kKeyPageUp:
      select(at - page_);
      break;
    case kKeyPageDown:
      select(at + page_);
      break;
    case kKeyHome:
    case 'g':
      select(0);
      break;
    case kKeyEnd:
    case 'G':
      select(static_cast<std::ptrdiff_t>(rows.size()));
      break;
    case kKeyEnter:
      if (tab_ != Tab::kTasks || rows.empty()) break;
      open_task_ = rows[std::min(selected_row_, rows.size() - 1)].id;
      selected_ = *open_task_;
      return Wish::kOpenTask;
    case 'i':
    case 'n':
    case 't':
    case 'b':
    case 's':
    case 'd':
    case 'p':
    case 'w':
      is_ascending_ = sort_ == key && !is_ascending_;
      sort_ = static_cast<char>(key);
      break;
    default:
      break;
  }
  return Wish::kNothing;
}

}  // namespace sonde::cli
