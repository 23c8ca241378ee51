// Accounting: what SamplerStats and WallStats say, as the comments and losses of a snapshot.

#include "sampler/accounting.h"

#include <array>
#include <cstdio>
#include <utility>

namespace sonde {
namespace {

class Line {
 public:
  explicit Line(std::string text) : text_(std::move(text)) {}

  Line&& With(const char* key, std::uint64_t value) && {
    text_ += ' ';
    text_ += key;
    text_ += '=' + std::to_string(value);
    return std::move(*this);
  }
  std::string Text() && { return std::move(text_); }

 private:
  std::string text_;
};

// The share of the CPU time that could be sampled, of which something is known.
std::string Coverage(const SamplerStats& stats) {
  const std::uint64_t sampled = stats.sampled_ns + stats.catch_all_ns;
  if (stats.process_cpu_ns <= stats.profiler_ns) return "not known";
  const double share =
      static_cast<double>(sampled) / static_cast<double>(stats.process_cpu_ns - stats.profiler_ns);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f%%", share * 100);
  return text.data();
}

}  // namespace

std::string RefusedTimers(const SamplerStats& stats) {
  return "the kernel refused timers for " + std::to_string(stats.timers_refused) +
         " thread(s) (RLIMIT_SIGPENDING): they are sampled by the process-wide timer, or, where "
         "that "
         "is refused too, not at all";
}

std::vector<std::string> AccountingLines(const SamplerStats& stats) {
  std::vector<std::string> lines;
  lines.push_back(Line("sonde samples:")
                      .With("taken", stats.taken)
                      .With("written", stats.written)
                      .With("dropped", stats.dropped)
                      .With("signals", stats.signals)
                      .With("foreign", stats.foreign)
                      .With("stale", stats.stale)
                      .Text());
  lines.push_back(Line("sonde cpu:")
                      .With("process_ns", stats.process_cpu_ns)
                      .With("sampled_ns", stats.sampled_ns)
                      .With("catch_all_ns", stats.catch_all_ns)
                      .With("lost_ring_ns", stats.lost_ring_ns)
                      .With("lost_blocked_ns", stats.lost_blocked_ns)
                      .With("lost_late_ns", stats.lost_late_ns)
                      .With("profiler_ns", stats.profiler_ns)
                      .Text() +
                  " unexplained_ns=" + std::to_string(stats.UnexplainedNs()) +
                  " coverage=" + Coverage(stats));
  lines.push_back(Line("sonde truncated:")
                      .With("depth", stats.truncated_depth)
                      .With("no_module", stats.truncated_no_module)
                      .With("no_rule", stats.truncated_no_rule)
                      .With("bad_read", stats.truncated_bad_read)
                      .With("order", stats.truncated_order)
                      .Text());
  lines.push_back(Line("sonde threads:")
                      .With("seen", stats.threads_seen)
                      .With("timers_refused", stats.timers_refused)
                      .Text());
  if (stats.timers_refused != 0) {
    lines.push_back("sonde warning: " + RefusedTimers(stats));
  }
  if (stats.handler_replaced != 0) {
    lines.push_back("sonde warning: the SIGPROF handler was replaced " +
                    std::to_string(stats.handler_replaced) + " time(s)");
  }
  return lines;
}

void AddLosses(const SamplerStats& stats, Losses& losses) {
  if (stats.dropped != 0) losses.Add("sample buffer full", "samples", stats.dropped);
  if (stats.lost_blocked_ns != 0) {
    losses.Add("SIGPROF blocked", "nanoseconds", stats.lost_blocked_ns);
  }
}

std::string AccountingLine(const WallStats& stats) {
  return Line("sonde wall:")
      .With("threads", stats.threads)
      .With("looks", stats.looks)
      .With("signals", stats.signals)
      .With("repeated", stats.repeated)
      .With("refused", stats.refused)
      .With("lost", stats.lost)
      .With("time_ns", stats.time_ns)
      .With("dropped_ns", stats.dropped_ns)
      .Text();
}

void AddLosses(const WallStats& stats, Losses& losses) {
  if (stats.dropped_ns != 0) losses.Add("too many stacks", "nanoseconds", stats.dropped_ns);
}

}  // namespace sonde
