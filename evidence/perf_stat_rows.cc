// PerfStatForms: rows of fields, as `perf stat -x` writes them.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "evidence/perf_stat_forms.h"

namespace sonde::perf_stat {
namespace {

using Fields = std::vector<std::string_view>;

constexpr std::size_t kRowsJudged = 20;
constexpr std::size_t kMostInFront = 3;

bool IsDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsAlnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Fields FieldsOf(std::string_view line, std::string_view separator) {
  Fields fields;
  while (true) {
    // "<not counted>" is one field, whatever the separator.
    const std::size_t close = line.starts_with('<') ? line.find('>') : 0;
    const std::size_t end = line.find(separator, close);
    fields.push_back(Trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + separator.size());
  }
}

// A number at `at`, which a separator that is also the decimal mark may have cut in two. `size` is
// how many fields it takes.
struct Joined {
  std::string text;
  std::size_t size = 1;
};

Joined NumberAt(const Fields& fields, std::size_t at, bool is_cut) {
  if (!is_cut) return {std::string(fields[at]), 1};
  return {std::string(fields[at]) + '.' + std::string(fields[at + 1]), 2};
}

// Whether a value, its unit and its event stand at `at`.
bool IsMetricAt(const Fields& fields, std::size_t at, bool is_cut) {
  const std::size_t unit = at + (is_cut ? 2 : 1);
  if (unit + 1 >= fields.size()) return false;
  // What is no whole number has two decimals.
  if (is_cut &&
      (!IsDigits(fields[at]) || !IsDigits(fields[at + 1]) || fields[at + 1].size() != 2)) {
    return false;
  }
  PerfStatMetric value;
  if (!is_cut && !ReadValue(fields[at], value)) return false;
  const std::string_view event = fields[unit + 1];
  return !NumberIn(fields[unit]) && !fields[unit].starts_with('<') && !event.empty() &&
         !NumberIn(event);
}

// Behind the name of a socket, die, core or node ("S0-D0", "N1") stands how many CPUs it has.
std::size_t FirstPlaceOf(const Fields& fields) {
  const std::string_view name = fields.front();
  const bool is_group = name.size() > 1 && (name.front() == 'S' || name.front() == 'N') &&
                        IsDigits(name.substr(1, 1));
  return is_group && fields.size() > 1 && IsDigits(fields[1]) ? 2 : 0;
}

// What follows the event: [variance%,] run time, running share. False when there is no run time.
bool ReadTimes(const Fields& fields, std::size_t next, bool may_be_cut, Line& line) {
  const auto left = [&](std::size_t count) { return next + count <= fields.size(); };
  const bool is_cut_spread =
      may_be_cut && left(2) && IsDigits(fields[next]) && fields[next + 1].ends_with('%');
  if (is_cut_spread || (left(1) && fields[next].ends_with('%'))) {
    Joined spread = NumberAt(fields, next, is_cut_spread);
    spread.text.pop_back();
    line.is_mean = true;
    line.metric->spread_percent = NumberIn(spread.text);
    next += spread.size;
  }
  const std::optional<double> run = left(1) ? NumberIn(fields[next]) : std::nullopt;
  if (!run || *run < 0) return false;
  line.metric->run_time_ns = static_cast<std::uint64_t>(*run);
  ++next;
  if (!left(1)) return true;
  const bool is_cut = may_be_cut && left(2) && IsDigits(fields[next]) &&
                      IsDigits(fields[next + 1]) && fields[next + 1].size() == 2;
  std::string share = NumberAt(fields, next, is_cut).text;
  if (share.ends_with('%')) share.pop_back();
  const std::optional<double> percent = NumberIn(share);
  if (percent && *percent >= 0 && *percent <= 100) line.metric->running_percent = percent;
  return true;
}

bool IsWhole(std::string_view line, std::string_view separator) {
  const Line read = RowLine(line, separator);
  return read.metric && read.metric->run_time_ns;
}

// The separators that the start of a row allows: behind the value there is one, or two where the
// unit is empty.
std::vector<std::string> SeparatorsIn(std::string_view line) {
  std::size_t end = 0;
  if (line.starts_with("<not ")) {
    end = std::min(line.find('>'), line.size() - 1) + 1;
  } else if (!line.empty() && line.front() >= '0' && line.front() <= '9') {
    end = std::min(line.find_first_not_of("0123456789"), line.size());
    const std::size_t decimals =
        end + 1 < line.size() ? line.find_first_not_of("0123456789", end + 1) : end + 1;
    const bool has_mark = end < line.size() && (line[end] == '.' || line[end] == ',');
    if (has_mark && decimals > end + 1) end = std::min(decimals, line.size());
  } else {
    while (end < line.size() && (IsAlnum(line[end]) || line[end] == '-')) ++end;
  }
  std::size_t size = 0;
  while (end + size < line.size() && !IsAlnum(line[end + size]) && line[end + size] != '<') ++size;
  const std::string run(line.substr(end, size));
  std::vector<std::string> separators;
  if (size % 2 == 0 && size > 0 && run.substr(0, size / 2) == run.substr(size / 2)) {
    separators.push_back(run.substr(size / 2));
  }
  if (size > 0) separators.push_back(run);
  return separators;
}

}  // namespace

Line RowLine(std::string_view text, std::string_view separator) {
  const Fields fields = FieldsOf(text, separator);
  const bool may_be_cut = separator == ",";
  Line line;
  for (std::size_t at = FirstPlaceOf(fields); at <= std::min(kMostInFront, fields.size()); ++at) {
    for (const bool is_cut : {false, true}) {
      if ((is_cut && !may_be_cut) || !IsMetricAt(fields, at, is_cut)) continue;
      const Joined value = NumberAt(fields, at, is_cut);
      line.metric.emplace();
      ReadValue(value.text, *line.metric);
      line.metric->unit = fields[at + value.size];
      line.metric->event = fields[at + value.size + 1];
      line.is_part = at > 0;
      ReadTimes(fields, at + value.size + 2, may_be_cut, line);
      return line;
    }
  }
  line.problem =
      fields.size() < 3 || fields[2].empty() ? "no event in this row" : "the value is not a number";
  return line;
}

std::string SeparatorOf(std::string_view text) {
  std::vector<std::string_view> rows;
  while (!text.empty() && rows.size() < kRowsJudged) {
    const std::size_t end = text.find('\n');
    const std::string_view row = Trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!row.empty() && row.front() != '#') rows.push_back(row);
  }
  std::string best;
  std::ptrdiff_t most = 0;
  for (const std::string_view row : rows) {
    for (std::string& separator : SeparatorsIn(row)) {
      const auto whole = std::ranges::count_if(
          rows, [&](std::string_view other) { return IsWhole(other, separator); });
      if (whole > most) {
        most = whole;
        best = std::move(separator);
      }
    }
  }
  return best;
}

}  // namespace sonde::perf_stat
