// Analysis: what a profile shows, as a document that people and programs can cite.

#ifndef SONDE_ANALYSIS_H_
#define SONDE_ANALYSIS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde {

// A frame as evidence knows it. `dso` is "unknown" where the input does not name one.
struct AnalysisFrame {
  std::string symbol;
  std::string dso;

  friend auto operator<=>(const AnalysisFrame&, const AnalysisFrame&) = default;
};

// A neighbour of a hotspot on the stacks, and the weight that passes between the two.
struct AnalysisEdge {
  AnalysisFrame frame;
  std::int64_t weight = 0;
};

struct AnalysisHotspot {
  std::string id;  // "H-001", in output order.
  AnalysisFrame frame;
  std::int64_t self_weight = 0;
  std::int64_t inclusive_weight = 0;  // Each sample once, however often the frame recurs.
  // Records that it is on, and its frames on their stacks; where the input tells both.
  std::optional<std::uint64_t> sample_count;
  std::optional<std::uint64_t> stack_occurrence_count;
  double self_percent = 0;
  double inclusive_percent = 0;
  std::uint64_t thread_count = 0;             // Distinct thread ids; 0 when the input names none.
  std::vector<std::string> source_locations;  // "file:line", heaviest first, at most 10.
  std::vector<AnalysisEdge> top_callers;      // Heaviest first, at most 10.
  std::vector<AnalysisEdge> top_callees;
  std::vector<std::string> categories;
};

struct AnalysisPath {
  std::string id;                     // "P-001".
  std::vector<AnalysisFrame> frames;  // From the root to the leaf.
  std::int64_t weight = 0;
  std::optional<std::uint64_t> record_count;
  double percent = 0;
};

// The figures of one event (sample type).
struct AnalysisSection {
  std::string event;          // "unknown" where the input does not name it.
  std::string weight_unit;    // "sample_count", "nanoseconds", "cycles", "unknown", ...
  std::string weight_source;  // "folded_weight", "perf_period", "sample_count_fallback", ...
  // Records that have this event, where the input tells.
  std::optional<std::uint64_t> sample_count;
  std::int64_t total_weight = 0;
  // Of a difference, what 100 % is: what was subtracted where that is marked, else the sum of all
  // magnitudes. Nothing where no weight is negative: the total then.
  std::optional<std::int64_t> whole_weight;
  std::vector<AnalysisHotspot> hotspots;
  std::vector<AnalysisPath> call_paths;
  std::uint64_t hotspots_omitted = 0;    // Beyond max_hotspots_output.
  std::uint64_t call_paths_omitted = 0;  // Beyond max_call_paths_output.
  double unresolved_self_percent = 0;
};

// How many samples a weight of the section stands for: what chance is judged by. Weights of one
// event are near equal, so the share of samples is the share of weight. Nothing where the input
// does not tell how many samples there are, for a difference, and for folded weights of 100 million
// or more in all: no recording holds as many samples, but a tenth of a second that many
// nanoseconds.
std::optional<double> SamplesBehind(std::int64_t weight, const AnalysisSection& section);

struct AnalysisWarning {
  std::string code;  // "MALFORMED_RECORD", "LOST_SAMPLES", ...
  std::string message;
  std::optional<std::uint64_t> line_number;
  std::vector<std::string> places;
};

struct AnalysisLimits {
  std::uint64_t max_input_bytes = std::uint64_t{1} << 30;
  std::uint64_t max_records = 10'000'000;
  std::uint64_t max_line_chars = std::uint64_t{1} << 20;
  std::uint64_t max_stack_depth = 4096;
  std::uint64_t max_unique_frames = 2'000'000;
  std::uint64_t max_unique_call_paths = 1'000'000;
  std::uint64_t max_warnings = 100;
  std::uint64_t max_hotspots_output = 10'000;
  std::uint64_t max_call_paths_output = 1'000;
  std::uint64_t max_output_bytes = std::uint64_t{128} << 20;
};

struct Analysis {
  std::string id;           // "analysis-" and 16 hex digits.
  std::string fingerprint;  // SHA-256 of everything that the result depends on.
  std::string status;       // "complete" or "partial".
  std::string source_type;  // Name of the input format, '-' as '_': "folded", "perf_script".
  std::string input_path;
  std::string input_sha256;
  std::string created_at;  // Modification time of the input, ISO 8601 UTC.
  AnalysisSection main;    // The event asked for, or the profile's default.
  std::vector<AnalysisSection> others;
  bool has_call_graph = false;
  bool has_source_lines = false;
  std::optional<std::uint64_t> parsed_records;  // Where the input tells.
  std::uint64_t malformed_records = 0;
  std::uint64_t lost_samples = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t warning_count = 0;  // Also those beyond max_warnings.
  std::vector<AnalysisWarning> warnings;
  AnalysisLimits limits;
};

struct AnalysisOptions {
  std::string format{};  // A name that FormatNamed knows; empty = by content.
  std::string event{};   // Sample type to put first; empty = the profile's default.
  AnalysisLimits limits{};
  // AnalyzeFile: perf, by its absolute path, for recordings that our own reader cannot read;
  // empty = none is run. It gets that long.
  std::string perf_path{};
  double timeout_seconds = 300;
  // Asked to, the analysis ends with kTimeout.
  std::stop_token stop{};
};

// Reads and analyses a profile of any format. Equal input gives an equal analysis.
// kLimit when a limit is exceeded: nothing is dropped silently.
Result<Analysis> AnalyzeFile(const std::string& path, const AnalysisOptions& options);

// The same for bytes; input_path and created_at stay empty.
Result<Analysis> AnalyzeBytes(std::string_view bytes, const AnalysisOptions& options);

// What the others do once the profile is read; input_* and created_at stay empty.
Result<Analysis> AnalyzeProfile(const Profile& profile, const AnalysisOptions& options);

nlohmann::json ToJson(const Analysis& analysis);
// Reads what ToJson wrote. kInvalid for unknown members, and for figures that contradict each
// other.
Result<Analysis> AnalysisFromJson(const nlohmann::json& value);

}  // namespace sonde

#endif  // SONDE_ANALYSIS_H_
