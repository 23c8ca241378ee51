// Analysis: what a profile shows, as a document that people and programs can cite.

#include "sonde/analysis.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "evidence/analysis_frames.h"
#include "evidence/classification_rules.h"
#include "evidence/iso_time.h"
#include "evidence/perf_conversion.h"
#include "evidence/section_builder.h"
#include "evidence/weight_unit.h"
#include "export/input_bytes.h"
#include "sonde/artifact.h"
#include "sonde/formats.h"

namespace sonde {
namespace {

constexpr std::string_view kFingerprintVersion = "sonde-analysis-1";
constexpr std::size_t kLongestMessage = 512;
constexpr std::string_view kRecordsType = "records";
constexpr std::string_view kCountedUnit = "sample_count";
constexpr std::string_view kOfAnyEvent = "count";
constexpr std::string_view kFoldedWeight = "folded_weight";
// Folded text does not say what it counts. No recording holds that many samples, while a tenth of
// a second has that many nanoseconds and a fraction of one that many cycles.
constexpr std::int64_t kMostFoldedSamples = 100'000'000;

// What the weights of a sample type count, by what made the profile.
void NameWeights(const Profile& profile, std::size_t sample_type, std::string_view source,
                 AnalysisSection& section) {
  const ValueType& type = profile.sample_types()[sample_type];
  if (source == "folded") {
    section.event = "unknown";
    section.weight_unit = section.total_weight < kMostFoldedSamples ? kCountedUnit : kUnknownUnit;
    section.weight_source = kFoldedWeight;
  } else if (source.starts_with("perf")) {
    section.event = type.type;
    const bool counted = type.unit == "samples" || type.unit == "count_of_samples";
    const bool is_time_away = type.type == "off-cpu";
    const bool is_wait = type.type == "lock-wait";
    section.weight_unit = counted ? std::string(kCountedUnit) : UnitOfEvent(type.type);
    section.weight_source = counted ? "sample_count_fallback" : "perf_period";
    if (is_time_away || is_wait) {
      section.weight_unit = type.unit;
      section.weight_source = is_wait ? "contention_interval" : "switch_interval";
    }
  } else {
    section.event = type.type;
    section.weight_unit = type.unit;
    section.weight_source = "sample_value";
  }
}

// The sample type that counts the records of `type`, if the reader made one.
std::optional<std::size_t> RecordsOf(const Profile& profile, std::size_t type) {
  const std::span<const ValueType> types = profile.sample_types();
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].type != kRecordsType) continue;
    if (types[i].unit == types[type].type || types[i].unit == kOfAnyEvent) return i;
  }
  return profile.record_type();
}

// Causes that mean an input record was not understood, rather than lost by the recorder.
bool IsMalformed(const Loss& loss) {
  return (loss.unit == "lines" || loss.unit == "records") && !loss.cause.starts_with("ignored") &&
         loss.cause.find("lost") == std::string::npos;
}

std::string CodeOf(const Loss& loss) {
  std::string code;
  for (const char c : loss.cause) {
    if (c >= 'a' && c <= 'z') {
      code += static_cast<char>(c - 'a' + 'A');
    } else if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
      code += c;
    } else if (!code.empty() && code.back() != '_') {
      code += '_';
    }
  }
  return code.empty() ? "LOSS" : code;
}

// Losses become warnings; the counts are kept also where the text is not.
void AddWarnings(const Losses& losses, Analysis& analysis) {
  for (const Loss& loss : losses.entries()) {
    analysis.warning_count += loss.count;
    if (IsMalformed(loss)) analysis.malformed_records += loss.count;
    if (loss.unit == "samples") analysis.lost_samples += loss.count;
    if (analysis.warnings.size() >= analysis.limits.max_warnings) continue;
    AnalysisWarning warning;
    warning.code = CodeOf(loss);
    warning.message = std::to_string(loss.count) + ' ' + loss.unit + ": " + loss.cause;
    warning.places = loss.places;
    analysis.warnings.push_back(std::move(warning));
  }
}

void Categorise(AnalysisSection& section) {
  for (AnalysisHotspot& hotspot : section.hotspots) {
    hotspot.categories = BuiltInRules().CategoriesOf(hotspot.frame.symbol, hotspot.frame.dso);
  }
}

bool IsRecordingFault(const Error& error) {
  return error.code == ErrorCode::kMalformed || error.code == ErrorCode::kUnsupported;
}

std::string FingerprintOf(const Analysis& analysis) {
  const AnalysisLimits& l = analysis.limits;
  std::string text;
  for (const auto& [name, value] : {std::pair{"max_call_paths_output", l.max_call_paths_output},
                                    {"max_hotspots_output", l.max_hotspots_output},
                                    {"max_input_bytes", l.max_input_bytes},
                                    {"max_line_chars", l.max_line_chars},
                                    {"max_output_bytes", l.max_output_bytes},
                                    {"max_records", l.max_records},
                                    {"max_stack_depth", l.max_stack_depth},
                                    {"max_unique_call_paths", l.max_unique_call_paths},
                                    {"max_unique_frames", l.max_unique_frames},
                                    {"max_warnings", l.max_warnings}}) {
    text += '\0' + std::string(name) + '=' + std::to_string(value);
  }
  return Sha256(std::string(kFingerprintVersion) + '\0' + analysis.source_type + '\0' +
                analysis.main.event + '\0' + analysis.input_sha256 + text);
}

}  // namespace

std::optional<double> SamplesBehind(std::int64_t weight, const AnalysisSection& section) {
  if (section.whole_weight.has_value()) return std::nullopt;
  // Its records are lines, which are no samples.
  if (section.weight_source == kFoldedWeight && section.total_weight >= kMostFoldedSamples) {
    return std::nullopt;
  }
  if (section.weight_unit == kCountedUnit) return static_cast<double>(weight);
  if (!section.sample_count.has_value()) return std::nullopt;
  if (section.total_weight == 0) return 0.0;
  return static_cast<double>(weight) / static_cast<double>(section.total_weight) *
         static_cast<double>(*section.sample_count);
}

Result<Analysis> AnalyzeProfile(const Profile& profile, const AnalysisOptions& options) {
  Analysis analysis;
  analysis.limits = options.limits;
  analysis.source_type = options.format;
  std::replace(analysis.source_type.begin(), analysis.source_type.end(), '-', '_');

  std::size_t shown = profile.default_sample_type();
  if (!options.event.empty()) {
    const std::optional<std::size_t> named = profile.FindSampleType(options.event);
    if (!named) {
      std::string known;
      for (const ValueType& type : profile.sample_types()) {
        if (type.type != kRecordsType) known += (known.empty() ? "" : ", ") + type.type;
      }
      return Error{.code = ErrorCode::kUsage,
                   .message = "no event \"" + options.event + "\"; the profile has " + known};
    }
    shown = *named;
  }

  const AnalysisFrames frames(profile);
  std::map<std::pair<std::string, std::string>, int> seen;
  for (std::size_t type = 0; type < profile.sample_types().size(); ++type) {
    if (profile.sample_types()[type].type == kRecordsType) continue;
    SectionBuilder builder(profile, frames, type, RecordsOf(profile, type), options.limits);
    Result<AnalysisSection> section = builder.Build(options.stop);
    if (!section.ok()) return section.error();
    NameWeights(profile, type, analysis.source_type, section.value());
    // A profile may have one sample type twice; what is cited by its event is not.
    if (const int same = ++seen[{section.value().event, section.value().weight_unit}]; same > 1) {
      section.value().event += " #" + std::to_string(same);
    }
    Categorise(section.value());
    if (type == shown) {
      analysis.main = std::move(section).value();
    } else {
      analysis.others.push_back(std::move(section).value());
    }
  }

  const StackTable& stacks = profile.stacks();
  for (std::size_t i = 0; i < profile.sample_count() && !analysis.has_call_graph; ++i) {
    const StackId stack = profile.sample(i).stack;
    analysis.has_call_graph = stack != kEmptyStack && stacks.caller(stack) != kEmptyStack;
  }
  analysis.has_source_lines = frames.has_sources();
  analysis.parsed_records = profile.records();
  const auto lines = std::ranges::find(
      profile.sample_types(), ValueType{std::string(kRecordsType), std::string(kOfAnyEvent)});
  if (lines != profile.sample_types().end()) {
    analysis.parsed_records = static_cast<std::uint64_t>(
        profile.Total(static_cast<std::size_t>(lines - profile.sample_types().begin())));
  }
  AddWarnings(profile.losses(), analysis);
  const bool is_whole = analysis.parsed_records != 0U || profile.sample_count() == 0;
  analysis.status = analysis.warning_count == 0 && is_whole ? "complete" : "partial";
  analysis.fingerprint = FingerprintOf(analysis);
  analysis.id = "analysis-" + analysis.fingerprint.substr(0, 16);
  return analysis;
}

Result<Analysis> AnalyzeBytes(std::string_view bytes, const AnalysisOptions& options) {
  ReadOptions reading;
  AnalysisOptions named = options;
  if (!options.format.empty()) {
    reading.format = FormatNamed(options.format);
    if (!reading.format) {
      return Error{.code = ErrorCode::kUsage, .message = "unknown format " + options.format};
    }
  }
  Format recognised = Format::kUnknown;
  reading.recognised = &recognised;
  reading.count_records = true;
  reading.limits.skip_oversized = true;
  reading.limits.input_bytes = options.limits.max_input_bytes;
  reading.limits.records = options.limits.max_records;
  reading.limits.line_bytes = options.limits.max_line_chars;
  reading.limits.stack_depth = options.limits.max_stack_depth;
  reading.limits.unique_frames = options.limits.max_unique_frames;
  reading.stop = options.stop;
  const Result<Profile> profile = ReadProfile(bytes, reading);
  if (!profile.ok()) return profile.error();

  named.format = NameOf(recognised);
  Result<Analysis> analysis = AnalyzeProfile(profile.value(), named);
  if (!analysis.ok()) return analysis.error();
  Analysis& result = analysis.value();
  result.input_sha256 = Sha256(bytes);
  result.bytes_read = bytes.size();
  result.fingerprint = FingerprintOf(result);
  result.id = "analysis-" + result.fingerprint.substr(0, 16);
  return analysis;
}

// What perf makes of a recording. The hash and the size are those of the recording.
Result<Analysis> AnalyzeThroughPerf(const std::string& path, std::string_view bytes,
                                    const AnalysisOptions& options) {
  const Result<PerfConversion> conversion =
      ConvertRecording(options.perf_path, path, options.timeout_seconds,
                       options.limits.max_input_bytes, options.stop);
  if (!conversion.ok()) return conversion.error();
  AnalysisOptions reading = options;
  reading.format = NameOf(Format::kPerfScript);
  Result<Analysis> analysis = AnalyzeBytes(conversion.value().script, reading);
  if (!analysis.ok()) return analysis.error();
  Analysis& result = analysis.value();
  result.source_type = "perf_data";
  result.input_sha256 = Sha256(bytes);
  result.bytes_read = bytes.size();
  const auto warn = [&](const char* code, std::string message) {
    ++result.warning_count;
    result.warnings.push_back({code, std::move(message), std::nullopt, {}});
  };
  warn("CONVERTED_BY_PERF", "perf read the recording, for sonde's own reader could not");
  if (!conversion.value().has_cpu) warn("MISSING_SAMPLE_CPU", "samples do not name their CPU");
  if (const std::string& said = conversion.value().messages; !said.empty()) {
    warn("PERF_MESSAGE", said.substr(0, std::min(said.find('\n'), kLongestMessage)));
  }
  result.status = "partial";
  result.fingerprint = FingerprintOf(result);
  result.id = "analysis-" + result.fingerprint.substr(0, 16);
  return analysis;
}

Result<Analysis> AnalyzeFile(const std::string& path, const AnalysisOptions& options) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    // A pipe might never end, and cannot be read again by whoever wants to check.
    return Error{.code = ErrorCode::kInvalid,
                 .message = "not a regular file",
                 .file = path,
                 .stage = "input"};
  }
  const Result<InputBytes> input = InputBytes::Open(path, options.limits.max_input_bytes);
  if (!input.ok()) return InFile(input.error(), path);
  Result<Analysis> analysis = AnalyzeBytes(input.value().bytes(), options);
  if (!analysis.ok() && !options.perf_path.empty() && IsRecordingFault(analysis.error())) {
    analysis = AnalyzeThroughPerf(path, input.value().bytes(), options);
  }
  if (!analysis.ok()) return InFile(analysis.error(), path);
  if (Status whole = input.value().CheckWhole(); !whole.ok()) return InFile(whole.error(), path);
  analysis.value().input_path = std::filesystem::absolute(path).lexically_normal().string();
  if (status.st_nlink > 0) analysis.value().created_at = IsoTime(status.st_mtim);
  return analysis;
}

}  // namespace sonde
