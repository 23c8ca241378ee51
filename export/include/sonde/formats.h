// Formats: reads any profile that performance people have lying about.

#ifndef SONDE_FORMATS_H_
#define SONDE_FORMATS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/profile.h"
#include "sonde/read_limits.h"
#include "sonde/result.h"

namespace sonde {

enum class Format : std::uint8_t {
  kUnknown,
  kPprof,
  kFolded,
  kPerfScript,
  kPerfData,
  kGperftoolsCpu,
  kGperftoolsHeap,  // Heap, growth and contention text.
  kSpeedscope,
  kChromeTrace,
};

// "pprof", "folded", "perf-script", "perf-data", "gperftools-cpu", "gperftools-heap",
// "speedscope", "chrome-trace"; what --from takes and errors name.
std::string_view NameOf(Format format) noexcept;
std::optional<Format> FormatNamed(std::string_view name) noexcept;

// What the bytes are, judged by content alone. `bytes` is the start of the input
// after unwrapping compression; 64 KiB suffice.
Format Sniff(std::string_view bytes) noexcept;

struct ReadOptions {
  std::optional<Format> format{};  // Judged by content when not given.
  ReadLimits limits{};
  // Text formats: keep only this event; empty keeps all, each as a sample type.
  std::string event{};
  // perf formats: every sample weighs 1 rather than its period.
  bool count_samples = false;
  // Formats whose records have weights: a further sample type "records" for each event (its
  // unit is the event, or "count" where there is none) holds how many records of the input
  // each sample was made of.
  bool count_records = false;
  // pprof and perf formats: keep labels. Without them samples of equal stacks are one, which takes
  // less time and memory where only stacks count. pprof's are kept all the same where a value is
  // negative, for what is set off against what depends on them.
  bool keep_labels = true;
  // perf formats: keep the labels "pid" and "tid".
  bool keep_ids = true;
  // perf formats: keep where in memory each frame was. Without, frames of one name in one file are
  // one, whatever their addresses, which takes less time and memory where only names count: an
  // address is then 0, or 1 << 63 in the upper half that is the kernel's, and maps have no place.
  bool keep_addresses = true;
  // Recordings: find names for addresses in the files that they came from.
  bool symbolize = true;
  // Recordings: also find source lines and inlined functions in the files' debug information.
  bool source_lines = false;
  // perf formats: also keep on which CPU each sample was taken, as the label "cpu"
  // (off, for it splits equal stacks).
  bool keep_cpu = false;
  // perf formats: keep only samples at or after `from_ns` and before `until_ns`, in
  // nanoseconds of the recording's own clock (what perf script prints, in seconds).
  // Samples outside are no loss. Those without a time are kept only by the defaults.
  std::int64_t from_ns = INT64_MIN;
  std::int64_t until_ns = INT64_MAX;
  // Folded stacks: a stack whose weights add up to less than 0 is kept, as in a difference.
  bool keep_negative = false;
  // Malformed records are an error rather than a loss.
  bool strict = false;
  // Where to say what the input was recognised as; may be null.
  Format* recognised = nullptr;
  // Called now and then with the bytes consumed and the size of the input (0 = not known).
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
  // Asked to, the reading ends with kTimeout: looked at while an input is unwrapped and now and then
  // between its records, but not while JSON is parsed.
  std::stop_token stop{};
};

// Reads a whole input that is in memory; gzip and zstd are unwrapped, also twice.
// Errors: kInvalid for an empty input, kUnsupported for an unknown format,
// kMalformed with the place, kLimit.
Result<Profile> ReadProfile(std::string_view bytes, const ReadOptions& options = {});

// Reads `path`, or standard input for "-". Errors name the file; beside those of ReadProfile
// there are kNotFound, and kInvalid when the file became shorter while it was read.
Result<Profile> ReadProfileFile(const std::string& path, const ReadOptions& options = {});

// The same for a file of several pprof profiles, one behind the other: each of them, in their
// order. Of any other format there is one.
Result<std::vector<Profile>> ReadEachProfile(const std::string& path,
                                             const ReadOptions& options = {});

}  // namespace sonde

#endif  // SONDE_FORMATS_H_
