// PerfStatForms: what `perf stat` shows people, and its JSON.

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "evidence/perf_stat_forms.h"

namespace sonde::perf_stat {
namespace {

using nlohmann::json;

constexpr std::string_view kTitle = "Performance counter stats for";
constexpr std::string_view kSpread = "+-";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Where the language has a decimal comma, perf writes numbers in JSON with it.
std::string WithPoints(std::string_view line) {
  std::string text(line);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    const bool is_inside =
        i > 0 && i + 1 < text.size() && IsDigit(text[i - 1]) && IsDigit(text[i + 1]);
    if (!quoted && text[i] == ',' && is_inside) text[i] = '.';
  }
  return text;
}

std::optional<double> NumberOf(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  return found->is_string() ? NumberIn(found->get<std::string>()) : std::nullopt;
}

std::string TextOf(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// "1,234,567", "1.234,05", "1 234" with whatever space: people's numbers, in any language.
std::optional<double> PeoplesNumber(std::string_view text) {
  std::string plain(text);
  for (const std::string_view space : {"\u202f", "\u00a0", "'", "\u2019"}) {
    for (std::size_t at = plain.find(space); at != std::string::npos; at = plain.find(space, at)) {
      plain.erase(at, space.size());
    }
  }
  const std::size_t last = plain.find_last_of(".,");
  if (last == std::string::npos) return NumberIn(plain);
  const bool is_one_kind = plain.find_first_of(plain[last] == ',' ? '.' : ',') == std::string::npos;
  const bool is_repeated = plain.find(plain[last]) != last;
  // Counts have no decimals and times have two or nine: three digits are a group.
  const bool is_group =
      is_repeated || (is_one_kind && plain.size() - last == 4 && last <= 3 && plain.front() != '0');
  std::string digits;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] != '.' && plain[i] != ',') {
      digits += plain[i];
    } else if (i == last && !is_group) {
      digits += '.';
    }
  }
  return NumberIn(digits);
}

bool ReadPeoplesValue(std::string_view text, PerfStatMetric& metric) {
  if (text.starts_with('<')) return ReadValue(text, metric);
  metric.value = PeoplesNumber(text);
  metric.status = "measured";
  return metric.value.has_value();
}

// "<not counted>" is one word.
std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = Trimmed(line); !line.empty(); line = Trimmed(line)) {
    std::size_t end = line.find_first_of(" \t");
    if (line.front() == '<') {
      const std::size_t close = line.find('>');
      end = close == std::string_view::npos ? close : close + 1;
    }
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end, line.size()));
  }
  return words;
}

// "(45.12%)" at the end: how much of the time the counter ran.
void ReadShare(std::string_view line, PerfStatMetric& metric) {
  const std::size_t open = line.rfind('(');
  const std::size_t close = line.rfind("%)");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
  const std::optional<double> percent = NumberIn(line.substr(open + 1, close - open - 1));
  if (percent && *percent >= 0 && *percent <= 100) metric.running_percent = percent;
}

// "( +-  2.00% )" at the end: how far the runs spread.
void ReadSpread(std::string_view line, PerfStatMetric& metric) {
  const std::size_t at = line.rfind(kSpread);
  if (at == std::string_view::npos) return;
  const std::string_view rest = Trimmed(line.substr(at + kSpread.size()));
  const std::optional<double> percent = NumberIn(rest.substr(0, rest.find('%')));
  if (percent && *percent >= 0) metric.spread_percent = percent;
}

// "(5 runs)" behind the title; 1 where it is not there.
std::uint64_t RunsIn(std::string_view title) {
  const std::size_t open = title.rfind('(');
  const std::size_t end = title.rfind(" runs)");
  if (open == std::string_view::npos || end == std::string_view::npos || end < open) return 1;
  std::uint64_t runs = 1;
  std::from_chars(title.data() + open + 1, title.data() + end, runs);
  return std::max<std::uint64_t>(runs, 1);
}

// "0.0016 seconds time elapsed", "0.0010 seconds user": of the whole run.
std::string TimeNamed(const std::vector<std::string_view>& words) {
  const auto at = std::ranges::find(words, "seconds");
  if (at == words.end() || at + 1 == words.end()) return {};
  if (at[1] == "user") return "user_time";
  if (at[1] == "sys") return "system_time";
  return at[1] == "time" && at + 2 != words.end() && at[2] == "elapsed" ? "elapsed_time" : "";
}

}  // namespace

Line JsonLine(std::string_view text) {
  Line line;
  json object = json::parse(text, nullptr, false);
  if (object.is_discarded()) object = json::parse(WithPoints(text), nullptr, false);
  if (!object.is_object()) {
    line.problem = "not a JSON object";
    return line;
  }
  PerfStatMetric metric;
  metric.event = TextOf(object, "event");
  metric.unit = TextOf(object, "unit");
  // Lines of derived figures alone have no counter.
  if (!object.contains("counter-value")) return line;
  if (metric.event.empty()) {
    line.problem = "no event in this row";
    return line;
  }
  if (const std::optional<double> number = NumberOf(object, "counter-value")) {
    metric.value = number;
    metric.status = "measured";
  } else if (!ReadValue(TextOf(object, "counter-value"), metric)) {
    line.problem = "the value is not a number";
    return line;
  }
  if (const auto run = NumberOf(object, "event-runtime"); run && *run >= 0) {
    metric.run_time_ns = static_cast<std::uint64_t>(*run);
  }
  const std::optional<double> share = NumberOf(object, "pcnt-running");
  if (share && *share >= 0 && *share <= 100) metric.running_percent = share;
  for (const char* key : {"interval", "cpu", "core", "die", "socket", "node", "thread", "cache"}) {
    line.is_part = line.is_part || object.contains(key);
  }
  line.is_mean = object.contains("variance");
  metric.spread_percent = NumberOf(object, "variance");
  line.metric = std::move(metric);
  return line;
}

Line TextLine(std::string_view text) {
  Line line;
  if (text.starts_with(kTitle)) {
    line.runs = RunsIn(text);
    line.is_mean = line.runs > 1;
    return line;
  }
  static const std::set<std::string_view> kUnits = {
      "msec", "nsec", "ns", "sec", "Joules", "MiB", "GiB", "KiB", "MHz", "C", "%", "bytes"};
  const std::vector<std::string_view> words = WordsOf(text.substr(0, text.find('#')));
  PerfStatMetric metric;
  if (const std::string time = TimeNamed(words); !time.empty()) {
    // Seconds have as many decimals as are certain, and are never grouped.
    if (ReadValue(words[0], metric)) {
      metric.event = time;
      metric.unit = "seconds";
      line.is_mean = words[1] == kSpread;
      ReadSpread(text, metric);
      line.metric = std::move(metric);
    } else {
      line.problem = "the value is not a number";
    }
    return line;
  }
  // In front of the value there may be a CPU or the time of an interval.
  PerfStatMetric second;
  const bool is_part =
      words.size() > 2 && ReadPeoplesValue(words[1], second) &&
      (words[0].starts_with("CPU") || words[0].starts_with('S') || PeoplesNumber(words[0]));
  std::size_t next = is_part ? 1 : 0;
  if (next + 1 >= words.size() || !ReadPeoplesValue(words[next], metric)) {
    line.problem = "no counter in this line";
    return line;
  }
  ++next;
  if (kUnits.contains(words[next]) && next + 1 < words.size()) metric.unit = words[next++];
  metric.event = words[next];
  ReadShare(text, metric);
  line.is_part = is_part;
  ReadSpread(text, metric);
  line.is_mean = text.find(kSpread) != std::string_view::npos;
  line.metric = std::move(metric);
  return line;
}

Form FormOf(std::string_view text) {
  constexpr std::size_t kLinesJudged = 40;
  std::string_view rest = text;
  for (std::size_t i = 0; i < kLinesJudged && !rest.empty(); ++i) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = Trimmed(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.empty()) continue;
    if (line.starts_with(kTitle)) return Form::kText;
    if (line.front() == '#') continue;
    if (line.front() == '{') {
      const bool is_ours = line.find("\"counter-value\"") != std::string_view::npos ||
                           line.find("\"metric-value\"") != std::string_view::npos;
      return is_ours ? Form::kJson : Form::kUnknown;
    }
    if (const std::string separator = SeparatorOf(text); !separator.empty()) return Form::kRows;
    return rest.find(kTitle) != std::string_view::npos ? Form::kText : Form::kUnknown;
  }
  return Form::kUnknown;
}

}  // namespace sonde::perf_stat
