// ConsoleView: what the console's terminal client shows, and how keys change it.

#include "cli/console_view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace sonde::cli {
namespace {

std::string Percent(std::int64_t part, std::int64_t whole) {
  std::array<char, 16> text{};
  const double share =
      whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
  std::snprintf(text.data(), text.size(), "%.1f %%", share);
  return text.data();
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

void ConsoleView::RenderList(const ConsoleModel& model, int width, int height,
                             std::vector<ScreenLine>& out) {
  out.push_back(query_.Head(width));
  const std::vector<std::uint64_t> ids = query_.Ids(model);
  page_ = std::max(1, height - static_cast<int>(out.size()) - 1);
  const auto here = std::find(ids.begin(), ids.end(), selected_);
  if (here != ids.end()) selected_row_ = static_cast<std::size_t>(here - ids.begin());
  selected_row_ = ids.empty() ? 0 : std::min(selected_row_, ids.size() - 1);
  if (selected_ != 0 && !ids.empty()) selected_ = ids[selected_row_];
  const auto page = static_cast<std::size_t>(page_);
  top_ = std::min(top_, selected_row_);
  if (selected_row_ >= top_ + page) top_ = selected_row_ + 1 - page;
  for (std::size_t i = top_; i < ids.size() && i < top_ + page; ++i) {
    out.push_back(query_.LineOf(model, ids[i], width));
    if (i == selected_row_) out.back().style = LineStyle::kSelected;
  }
  if (ids.empty()) {
    out.push_back({query_.filter.empty() ? "  nothing yet" : "  nothing matches the filter",
                   LineStyle::kFaint});
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
  if (is_filtering_ || !query_.filter.empty()) {
    foot = "filter: " + query_.filter + (is_filtering_ ? "_" : "");
  }
  if (open_task_.has_value()) foot = "q back  space pause  ? keys";
  if (shows_help_) foot = "any key goes back";
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
    query_.filter.clear();
  } else if (key == kKeyBackspace) {
    while (!query_.filter.empty() && IsContinuation(query_.filter.back())) query_.filter.pop_back();
    if (!query_.filter.empty()) query_.filter.pop_back();
  } else if (key >= 0x20 && key < 0x100) {
    query_.filter.push_back(static_cast<char>(key));
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

  const std::vector<std::uint64_t> ids = query_.Ids(model);
  const auto select = [&](std::ptrdiff_t row) {
    if (ids.empty()) return;
    const auto last = static_cast<std::ptrdiff_t>(ids.size()) - 1;
    selected_row_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(row, 0, last));
    selected_ = ids[selected_row_];
  };
  const auto at = static_cast<std::ptrdiff_t>(selected_row_);
  switch (key) {
    case 'q':
      return Wish::kQuit;
    case '1':
      query_.tab = ConsoleTab::kTasks;
      break;
    case '2':
      query_.tab = ConsoleTab::kResources;
      break;
    case '3':
      query_.tab = ConsoleTab::kAsyncOps;
      break;
    case '/':
      is_filtering_ = true;
      break;
    case kKeyEscape:
      query_.filter.clear();
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
      select(static_cast<std::ptrdiff_t>(ids.size()));
      break;
    case kKeyEnter:
      if (query_.tab != ConsoleTab::kTasks || ids.empty()) break;
      open_task_ = ids[std::min(selected_row_, ids.size() - 1)];
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
      query_.is_ascending = query_.sort == key && !query_.is_ascending;
      query_.sort = static_cast<char>(key);
      break;
    default:
      break;
  }
  return Wish::kNothing;
}

}  // namespace sonde::cli
