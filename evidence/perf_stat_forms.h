// PerfStatForms: the three ways in which `perf stat` writes its counters.

#ifndef SONDE_EVIDENCE_PERF_STAT_FORMS_H_
#define SONDE_EVIDENCE_PERF_STAT_FORMS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/perf_stat.h"

namespace sonde::perf_stat {

enum class Form : std::uint8_t { kUnknown, kRows, kJson, kText };

// Judged by the first lines.
Form FormOf(std::string_view text);

// One line: a metric, or why there is none (empty: it holds nothing to be read).
struct Line {
  std::optional<PerfStatMetric> metric{};
  std::string_view problem{};
  bool is_part = false;    // Of a CPU, a thread or an interval: one of several of its counter.
  bool is_mean = false;    // Over several runs.
  std::uint64_t runs = 0;  // How many, where this line tells.
};

// `perf stat -x SEPARATOR`: value, unit, event[, variance], run time, running share. Whatever
// stands in front of the value says which CPU, thread or interval it is of.
std::string SeparatorOf(std::string_view text);
Line RowLine(std::string_view line, std::string_view separator);
// `perf stat -j`: an object a line.
Line JsonLine(std::string_view line);
// What people are shown.
Line TextLine(std::string_view line);

std::string_view Trimmed(std::string_view text);
// With a decimal point or, as some languages write it, comma. Nothing for what is not finite.
std::optional<double> NumberIn(std::string_view text);
// A measured value, or that there is none: "<not counted>", "<not supported>". False otherwise.
bool ReadValue(std::string_view text, PerfStatMetric& metric);

}  // namespace sonde::perf_stat

#endif  // SONDE_EVIDENCE_PERF_STAT_FORMS_H_
