// PerfStat: the counters that `perf stat` writes, in any of its forms.

#include "evidence/perf_stat.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "evidence/markdown.h"
#include "evidence/perf_stat_forms.h"

namespace sonde {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 10;

constexpr std::string_view kPartsWarning =
    "rows are of CPUs, threads or intervals: each is one value of its counter";
constexpr std::string_view kMeansWarning =
    "each value is the mean of several runs, which no test can judge";

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

std::string SpreadOf(const PerfStatMetric& metric, std::uint64_t runs) {
  return metric.event + ": the mean of " + (runs > 1 ? std::to_string(runs) : "several") +
         " runs, +- " + FixedText(*metric.spread_percent, 2) + " %";
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

namespace perf_stat {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::optional<double> NumberIn(std::string_view text) {
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

bool ReadValue(std::string_view text, PerfStatMetric& metric) {
  if (text == "<not counted>") {
    metric.status = "not_counted";
  } else if (text == "<not supported>") {
    metric.status = "not_supported";
  } else if (const std::optional<double> value = NumberIn(text)) {
    metric.status = "measured";
    metric.value = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace perf_stat

Result<PerfStatReport> ParsePerfStat(std::string_view text, std::size_t max_metrics) {
  using perf_stat::Form;
  const Form form = perf_stat::FormOf(text);
  const std::string separator = form == Form::kRows ? perf_stat::SeparatorOf(text) : ";";
  PerfStatReport report;
  bool has_parts = false;
  bool has_means = false;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view row = perf_stat::Trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++number;
    if (row.empty() || row.front() == '#') continue;
    if (row.size() > kLongestLine) {
      Warn(report, number, "the line is too long");
      continue;
    }
    perf_stat::Line line = form == Form::kJson   ? perf_stat::JsonLine(row)
                           : form == Form::kText ? perf_stat::TextLine(row)
                                                 : perf_stat::RowLine(row, separator);
    has_means = has_means || line.is_mean;
    report.runs = std::max(report.runs, line.runs);
    if (!line.metric) {
      if (!line.problem.empty()) Warn(report, number, line.problem);
      continue;
    }
    has_parts = has_parts || line.is_part;
    if (report.metrics.size() == max_metrics) {
      return Error{.code = ErrorCode::kLimit,
                   .message = "more metrics than allowed",
                   .line = number,
                   .stage = "perf_stat",
                   .details = {{"max_metrics", static_cast<std::int64_t>(max_metrics)}}};
    }
    report.metrics.push_back(*std::move(line.metric));
  }
  if (report.metrics.empty()) {
    return Error{.code = ErrorCode::kMalformed, .message = "no metric found", .stage = "perf_stat"};
  }
  if (has_parts) report.warnings.emplace_back(kPartsWarning);
  if (has_means) report.warnings.emplace_back(kMeansWarning);
  DeriveIpc(report);
  return report;
}

bool LooksLikePerfStat(std::string_view text) {
  return perf_stat::FormOf(text) != perf_stat::Form::kUnknown;
}

Result<Benchmark> BenchmarkFromPerfStat(std::string_view text, const BenchmarkOptions& options) {
  Result<PerfStatReport> report = ParsePerfStat(text);
  if (!report.ok()) return report.error();
  Benchmark benchmark;
  benchmark.name = options.benchmark_name.empty() ? "perf stat" : options.benchmark_name;
  benchmark.warnings = std::move(report.value().warnings);
  benchmark.repetitions = report.value().runs;
  for (const PerfStatMetric& metric : report.value().metrics) {
    if (!metric.value) {
      benchmark.warnings.push_back(metric.event + ": " + metric.status);
      continue;
    }
    // Interval and per-CPU output repeats an event: each row is one value.
    BenchmarkMetric& target = benchmark.metrics[metric.event];
    const std::string unit = metric.unit.empty() ? "count" : metric.unit;
    if (!target.values.empty() && target.unit != unit) {
      benchmark.warnings.push_back(metric.event + ": a value in " + unit + " was left out beside " +
                                   target.unit);
      continue;
    }
    target.unit = unit;
    target.higher_is_better = metric.status == "derived";
    target.values.push_back(*metric.value);
    if (metric.spread_percent) benchmark.warnings.push_back(SpreadOf(metric, report.value().runs));
    benchmark.repetitions = std::max<std::uint64_t>(benchmark.repetitions, target.values.size());
  }
  if (benchmark.metrics.empty()) {
    return Error{
        .code = ErrorCode::kMalformed, .message = "no counter has a value", .stage = "perf_stat"};
  }
  return benchmark;
}

}  // namespace sonde
