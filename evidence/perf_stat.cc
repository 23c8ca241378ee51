// PerfStat: the counters that `perf stat -x` writes.

#include "evidence/perf_stat.h"

#include <charconv>
#include <cmath>
#include <map>

namespace sonde {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10;

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::vector<std::string_view> FieldsOf(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find(';');
    fields.push_back(Trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

std::optional<double> NumberIn(std::string_view text) {
  // Some languages write a decimal comma.
  std::string pointed;
  if (const std::size_t comma = text.find(','); comma != std::string_view::npos) {
    pointed = text;
    pointed[comma] = '.';
    text = pointed;
  }
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// "cpu_core/cycles/u" and "cycles:u" both count cycles.
std::string_view BaseEvent(std::string_view event) {
  if (const std::size_t open = event.find('/'); open != std::string_view::npos) {
    event.remove_prefix(open + 1);
    event = event.substr(0, event.find('/'));
  }
  return event.substr(0, event.find(':'));
}

void Warn(PerfStatReport& report, std::size_t line, std::string_view why) {
  if (report.warnings.size() < kPerfStatWarnings) {
    report.warnings.push_back("line " + std::to_string(line) + ": " + std::string(why));
  }
}

// What follows the event: [variance%;]run time;running share.
void ReadTimes(const std::vector<std::string_view>& fields, PerfStatMetric& metric) {
  std::size_t next = 3;
  if (next < fields.size() && fields[next].ends_with('%')) ++next;
  if (next < fields.size()) {
    if (const auto run = NumberIn(fields[next]); run && *run >= 0) {
      metric.run_time_ns = static_cast<std::uint64_t>(*run);
    }
  }
  if (next + 1 < fields.size()) {
    std::string_view share = fields[next + 1];
    if (share.ends_with('%')) share.remove_suffix(1);
    const auto percent = NumberIn(share);
    if (percent && *percent >= 0 && *percent <= 100) metric.running_percent = percent;
  }
}

std::optional<PerfStatMetric> MetricOf(std::string_view line, std::size_t number,
                                       PerfStatReport& report) {
  const std::vector<std::string_view> fields = FieldsOf(line);
  if (fields.size() < 3 || fields[2].empty()) {
    Warn(report, number, "no event in this row");
    return std::nullopt;
  }
  PerfStatMetric metric;
  metric.event = fields[2];
  metric.unit = fields[1];
  if (fields[0] == "<not counted>") {
    metric.status = "not_counted";
  } else if (fields[0] == "<not supported>") {
    metric.status = "not_supported";
  } else if (const auto value = NumberIn(fields[0])) {
    metric.status = "measured";
    metric.value = value;
  } else {
    Warn(report, number, "the value is not a number");
    return std::nullopt;
  }
  ReadTimes(fields, metric);
  return metric;
}

// Cycles and instructions of one PMU belong together; on hybrid machines both are summed.
void DeriveIpc(PerfStatReport& report) {
  double cycles = 0;
  double instructions = 0;
  for (const PerfStatMetric& metric : report.metrics) {
    if (!metric.value) continue;
    const std::string_view event = BaseEvent(metric.event);
    if (event == "cycles" || event == "cpu-cycles") cycles += *metric.value;
    if (event == "instructions") instructions += *metric.value;
  }
  if (cycles <= 0 || instructions <= 0) return;
  PerfStatMetric ipc;
  ipc.event = "instructions-per-cycle";
  ipc.value = instructions / cycles;
  ipc.unit = "instructions/cycle";
  ipc.status = "derived";
  report.metrics.push_back(std::move(ipc));
}

}  // namespace

Result<PerfStatReport> ParsePerfStat(std::string_view text, std::size_t max_metrics) {
  PerfStatReport report;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (line.size() > kLongestLine) {
      Warn(report, number, "the line is too long");
      continue;
    }
    std::optional<PerfStatMetric> metric = MetricOf(line, number, report);
    if (!metric) continue;
    if (report.metrics.size() == max_metrics) {
      return Error{.code = ErrorCode::kLimit,
                   .message = "more metrics than allowed",
                   .line = number,
                   .stage = "perf_stat",
                   .details = {{"max_metrics", static_cast<std::int64_t>(max_metrics)}}};
    }
    report.metrics.push_back(*std::move(metric));
  }
  if (report.metrics.empty()) {
    return Error{.code = ErrorCode::kMalformed, .message = "no metric found", .stage = "perf_stat"};
  }
  DeriveIpc(report);
  return report;
}

bool LooksLikePerfStat(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = Trimmed(text.substr(0, end));
    if (!line.empty() && line.front() != '#') {
      const std::vector<std::string_view> fields = FieldsOf(line);
      return fields.size() >= 5 && (NumberIn(fields[0]) || fields[0].starts_with("<not "));
    }
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  return false;
}

Result<Benchmark> BenchmarkFromPerfStat(std::string_view text, const BenchmarkOptions& options) {
  Result<PerfStatReport> report = ParsePerfStat(text);
  if (!report.ok()) return report.error();
  Benchmark benchmark;
  benchmark.name = options.benchmark_name.empty() ? "perf stat" : options.benchmark_name;
  benchmark.warnings = std::move(report.value().warnings);
  for (const PerfStatMetric& metric : report.value().metrics) {
    if (!metric.value) {
      benchmark.warnings.push_back(metric.event + ": " + metric.status);
      continue;
    }
    // Interval and per-CPU output repeats an event: each row is one value.
    BenchmarkMetric& target = benchmark.metrics[metric.event];
    target.unit = metric.unit.empty() ? "count" : metric.unit;
    target.higher_is_better = metric.status == "derived";
    target.values.push_back(*metric.value);
    benchmark.repetitions = std::max<std::uint64_t>(benchmark.repetitions, target.values.size());
  }
  if (benchmark.metrics.empty()) {
    return Error{
        .code = ErrorCode::kMalformed, .message = "no counter has a value", .stage = "perf_stat"};
  }
  return benchmark;
}

}  // namespace sonde
