// HeaderLine: the line of perf script's text that begins a sample.

#ifndef SONDE_EXPORT_PERF_SCRIPT_HEADER_LINE_H_
#define SONDE_EXPORT_PERF_SCRIPT_HEADER_LINE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace sonde::perf_script {

// All views point into the line.
struct HeaderLine {
  static constexpr std::int64_t kNotPrinted = -1;

  std::string_view comm{};         // As printed; empty when not printed.
  std::string_view thread{};       // The text from the comm to the ids: equal for equal threads.
  std::int64_t pid = kNotPrinted;  // Printed only in front of a slash.
  std::int64_t tid = kNotPrinted;
  std::int64_t cpu = kNotPrinted;
  std::int64_t time_ns = kNotPrinted;
  std::int64_t period = kNotPrinted;
  std::string_view event{};  // Without the colon behind it; empty when not printed.
  std::string_view rest{};   // What follows: a tracepoint's payload, or the only frame.
};

// Reads "comm pid/tid [cpu] seconds: period event: rest", in which each part but
// one of the ids, the time, the cpu and the event may be missing; without all but the ids only a
// frame with address and module may follow. The comm may hold anything, also what looks like a
// header: the ids are the last that stand before a cpu, a time or an event and behind no more than
// a comm has room for. Nothing when the line is none of those. Any thread.
std::optional<HeaderLine> ParseHeader(std::string_view line) noexcept;

// Reads the headers of a text one after the other: most repeat the thread and the event of the
// one before and differ in their numbers. The lines outlive the object. Not thread-safe.
class HeaderReader {
 public:
  // What ParseHeader returns.
  std::optional<HeaderLine> Read(std::string_view line) noexcept;

 private:
  bool ReadLikeLast(std::string_view line, HeaderLine& header) const noexcept;

  HeaderLine last_;  // With a thread that has ids, a time, a period and an event; else empty.
};

// The text without white space at both ends.
std::string_view Trim(std::string_view text) noexcept;

}  // namespace sonde::perf_script

#endif  // SONDE_EXPORT_PERF_SCRIPT_HEADER_LINE_H_
