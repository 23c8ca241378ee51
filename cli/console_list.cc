// ListQuery: what a list of the terminal client holds, in which order, and how each line reads.

#include "cli/console_list.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace sonde::cli {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// The last part of a path, with its line.
std::string ShortLocation(const std::string& location) {
  const std::size_t slash = location.rfind('/');
  return slash == std::string::npos ? location : location.substr(slash + 1);
}

// What the columns of numbers leave of a line of tasks. Name and location share it; where that
// gives neither enough, the name has it alone.
constexpr int kNumbersWidth = 63;
bool ShowsLocation(int width) { return width - kNumbersWidth >= 36; }
int NameWidth(int width) {
  const int left = width - kNumbersWidth;
  return std::clamp(ShowsLocation(width) ? left / 2 : left, 12, 40);
}

std::vector<std::string> WordsOf(std::string_view filter) {
  std::vector<std::string> words;
  while (!filter.empty()) {
    const std::size_t space = filter.find(' ');
    if (space != 0) words.push_back(Lower(filter.substr(0, space)));
    filter = space == std::string_view::npos ? std::string_view() : filter.substr(space + 1);
  }
  return words;
}

// `word` is in lower case.
bool Holds(std::string_view text, std::string_view word) {
  const auto found = std::search(text.begin(), text.end(), word.begin(), word.end(),
                                 [](unsigned char a, unsigned char b) {
                                   return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
                                 });
  return found != text.end();
}

bool Matches(const TaskRow& task, const std::vector<std::string>& words) {
  return std::ranges::all_of(words, [&task](const std::string& word) {
    if (word.starts_with("state:")) {
      return std::string_view(NameOf(task.state())).starts_with(word.substr(6));
    }
    return Holds(task.name, word) || Holds(task.kind, word) || Holds(task.location, word) ||
           Holds(FieldsOf(task), word);
  });
}

std::int64_t SortKey(const TaskRow& task, char sort, std::int64_t now) {
  switch (sort) {
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
}

std::vector<std::uint64_t> TaskIds(const ConsoleModel& model, const ListQuery& query) {
  const std::vector<std::string> words = WordsOf(query.filter);
  std::vector<std::pair<std::int64_t, const TaskRow*>> tasks;
  for (const auto& [id, task] : model.tasks()) {
    if (!Matches(task, words)) continue;
    tasks.emplace_back(query.sort == 'n' ? 0 : SortKey(task, query.sort, model.now()), &task);
  }
  std::stable_sort(tasks.begin(), tasks.end(), [&](const auto& a, const auto& b) {
    if (query.sort == 'n') {
      return query.is_ascending ? b.second->name < a.second->name : a.second->name < b.second->name;
    }
    return query.is_ascending ? a.first < b.first : a.first > b.first;
  });
  std::vector<std::uint64_t> ids;
  ids.reserve(tasks.size());
  for (const auto& [key, task] : tasks) ids.push_back(task->id);
  return ids;
}

ScreenLine TaskLine(const ConsoleModel& model, std::uint64_t id, int width) {
  const TaskRow& task = model.tasks().at(id);
  const std::int64_t now = model.now();
  const bool has_warning = !task.Warnings(now).empty();
  std::string text = has_warning ? "! " : "  ";
  text += InColumns(std::to_string(task.id), 7, true) + ' ';
  text += InColumns(NameOf(task.state()), 9) + ' ';
  text += InColumns(task.name.empty() ? "-" : task.name, NameWidth(width)) + ' ';
  text += InColumns(ShortDuration(task.TotalNs(now)), 8, true) + ' ';
  text += InColumns(ShortDuration(task.BusyNs(now)), 8, true) + ' ';
  text += InColumns(ShortDuration(task.ScheduledNs(now)), 8, true) + ' ';
  text += InColumns(ShortDuration(task.IdleNs(now)), 8, true) + ' ';
  text += InColumns(std::to_string(task.polls), 6, true);
  if (ShowsLocation(width)) text += "  " + ShortLocation(task.location) + ' ' + FieldsOf(task);
  const LineStyle style = has_warning                             ? LineStyle::kWarning
                          : task.state() == TaskState::kCompleted ? LineStyle::kFaint
                                                                  : LineStyle::kPlain;
  return {std::move(text), style};
}

ScreenLine ResourceLine(const ConsoleModel& model, std::uint64_t id) {
  const auto& resource = model.resources().at(id);
  return {"  " + InColumns(std::to_string(id), 7, true) + ' ' + InColumns(resource.kind, 10) + ' ' +
              InColumns(resource.type, 22) + ' ' +
              InColumns(resource.dropped != 0 ? "gone" : "", 5) + ' ' + resource.attributes + ' ' +
              ShortLocation(resource.location),
          resource.dropped != 0 ? LineStyle::kFaint : LineStyle::kPlain};
}

ScreenLine AsyncOpLine(const ConsoleModel& model, std::uint64_t id) {
  const auto& op = model.async_ops().at(id);
  const auto task = model.tasks().find(op.task_id);
  const auto resource = model.resources().find(op.resource_id);
  const std::int64_t end = op.dropped != 0 ? op.dropped : model.now();
  return {"  " + InColumns(std::to_string(id), 7, true) + ' ' + InColumns(op.source, 20) + ' ' +
              InColumns(resource == model.resources().end() ? "-" : resource->second.type, 20) +
              ' ' + InColumns(task == model.tasks().end() ? "-" : task->second.name, 20) + ' ' +
              InColumns(ShortDuration(std::max<std::int64_t>(0, end - op.created)), 9, true),
          op.dropped != 0 ? LineStyle::kFaint : LineStyle::kPlain};
}

// Those of `rows` whose lines hold the filter.
template <typename Rows, typename ToLine>
std::vector<std::uint64_t> IdsOf(const Rows& rows, const std::string& filter, ToLine&& line_of) {
  const std::string wanted = Lower(filter);
  std::vector<std::uint64_t> ids;
  for (const auto& [id, row] : rows) {
    if (wanted.empty() || Lower(line_of(id).text).find(wanted) != std::string::npos) {
      ids.push_back(id);
    }
  }
  return ids;
}

}  // namespace

std::string FieldsOf(const TaskRow& task) {
  std::string text;
  for (const auto& [name, value] : task.fields) {
    if (!text.empty()) text += ' ';
    text += name + '=' + value;
  }
  return text;
}

std::vector<std::uint64_t> ListQuery::Ids(const ConsoleModel& model) const {
  switch (tab) {
    case ConsoleTab::kTasks:
      return TaskIds(model, *this);
    case ConsoleTab::kResources:
      return IdsOf(model.resources(), filter,
                   [&](std::uint64_t id) { return ResourceLine(model, id); });
    case ConsoleTab::kAsyncOps:
      break;
  }
  return IdsOf(model.async_ops(), filter, [&](std::uint64_t id) { return AsyncOpLine(model, id); });
}

ScreenLine ListQuery::LineOf(const ConsoleModel& model, std::uint64_t id, int width) const {
  switch (tab) {
    case ConsoleTab::kTasks:
      return TaskLine(model, id, width);
    case ConsoleTab::kResources:
      return ResourceLine(model, id);
    case ConsoleTab::kAsyncOps:
      break;
  }
  return AsyncOpLine(model, id);
}

ScreenLine ListQuery::Head(int width) const {
  // The column that tasks are sorted by has an arrow: up where the smallest comes first.
  const auto titled = [this](char key, const char* title) {
    if (sort != key) return std::string(title);
    return title + std::string(is_ascending != (key == 'n') ? "\xe2\x96\xb2" : "\xe2\x96\xbc");
  };
  std::string head;
  switch (tab) {
    case ConsoleTab::kTasks:
      head =
          InColumns(titled('w', ""), 2) + InColumns(titled('i', "ID"), 7, true) + ' ' +
          InColumns("State", 9) + ' ' + InColumns(titled('n', "Name"), NameWidth(width)) + ' ' +
          InColumns(titled('t', "Total"), 8, true) + ' ' + InColumns(titled('b', "Busy"), 8, true) +
          ' ' + InColumns(titled('s', "Sched"), 8, true) + ' ' +
          InColumns(titled('d', "Idle"), 8, true) + ' ' + InColumns(titled('p', "Polls"), 6, true) +
          (ShowsLocation(width) ? "  Location, fields" : "");
      break;
    case ConsoleTab::kResources:
      head = "  " + InColumns("ID", 7, true) + ' ' + InColumns("Kind", 10) + ' ' +
             InColumns("Type", 22) + ' ' + InColumns("", 5) + " Attributes, location";
      break;
    case ConsoleTab::kAsyncOps:
      head = "  " + InColumns("ID", 7, true) + ' ' + InColumns("Operation", 20) + ' ' +
             InColumns("Resource", 20) + ' ' + InColumns("Task", 20) + ' ' +
             InColumns("Total", 9, true);
      break;
  }
  return {std::move(head), LineStyle::kStrong};
}

}  // namespace sonde::cli
