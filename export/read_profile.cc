// ReadProfile: recognises an input, unwraps it and hands it to its reader.

#include <algorithm>
#include <vector>

#include "export/chrome_trace/read.h"
#include "export/folded/read.h"
#include "export/gperftools/cpu.h"
#include "export/input_bytes.h"
#include "export/perf_data/perf_data.h"
#include "export/perf_script/perf_script.h"
#include "export/pprof/decode.h"
#include "export/pprof/split.h"
#include "export/speedscope/read.h"
#include "export/unwrap.h"
#include "sonde/formats.h"
#include "sonde/heap_text.h"
#include "sonde/symbolize.h"

namespace sonde {
namespace {

// Enough to tell text from what is none, and lines of great length.
constexpr std::size_t kHeadOfText = 64 << 10;

// Readers of lines take whatever they are told to read.
Status CheckText(std::string_view bytes) {
  const std::size_t zero = bytes.substr(0, kHeadOfText).find('\0');
  if (zero == std::string_view::npos) return {};
  return Error{
      .code = ErrorCode::kMalformed, .message = "no text: a zero byte", .byte_offset = zero};
}

bool HasSampleTimes(Format format) {
  return format == Format::kPerfScript || format == Format::kPerfData;
}

Result<Profile> ReadAs(Format format, std::string_view bytes, const ReadOptions& options) {
  const bool wants_times = options.from_ns != INT64_MIN || options.until_ns != INT64_MAX;
  if (wants_times && format != Format::kUnknown && !HasSampleTimes(format)) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "a span of time can only be cut out of a recording: " +
                            std::string(NameOf(format)) + " does not keep the time of each sample"};
  }
  if (format == Format::kFolded || format == Format::kPerfScript) {
    if (Status text = CheckText(bytes); !text.ok()) return text.error();
  }
  switch (format) {
    case Format::kPprof:
      return ReadPprof(bytes, options);
    case Format::kFolded:
      return ReadFolded(bytes, options);
    case Format::kPerfData:
      return ReadPerfData(bytes, options);
    case Format::kPerfScript:
      return ReadPerfScript(bytes, options);
    case Format::kGperftoolsCpu:
      return bytes.starts_with("---") ? ReadSymbolizedProfile(bytes, options)
                                      : ReadCpuProfile(bytes, options);
    case Format::kGperftoolsHeap:
      return ReadHeapText(
          bytes, {.limits = options.limits, .strict = options.strict, .stop = options.stop});
    case Format::kSpeedscope:
      return ReadSpeedscope(bytes, options);
    case Format::kChromeTrace:
      return ReadChromeTrace(bytes, options);
    default:
      break;
  }
  return Error{.code = ErrorCode::kUnsupported,
               .message =
                   "unrecognized profile format (none of pprof, folded, perf-script, "
                   "perf-data, gperftools-cpu, gperftools-heap, speedscope, chrome-trace)"};
}

// Readers of recordings find names themselves, for only they know the files of the time.
bool LacksNames(Format format, const ReadOptions& options) {
  const bool is_gperftools = format == Format::kGperftoolsCpu || format == Format::kGperftoolsHeap;
  return options.symbolize && (is_gperftools || (format == Format::kPprof && options.source_lines));
}

Result<Profile> Read(Format format, std::string_view bytes, const ReadOptions& options) {
  Result<Profile> profile = ReadAs(format, bytes, options);
  if (!profile.ok() || !LacksNames(format, options)) return profile;
  if (profile.value().mappings().empty()) return profile;
  return Symbolize(profile.value(), {.binaries = {}, .source_lines = options.source_lines}).profile;
}

// By its beginning; or, where that is within a line of great length, by its end or what comes
// behind it.
Format FormatOf(std::string_view bytes) {
  const Format format = Sniff(bytes);
  if (format != Format::kUnknown || !CheckText(bytes).ok()) return format;
  std::string_view rest = bytes;
  while (rest.size() > kHeadOfText) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end < kHeadOfText) break;
    if (IsFoldedLine(rest.substr(0, end))) return Format::kFolded;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return rest.size() == bytes.size() ? format : Sniff(rest);
}

// Takes the compression off and tells the format.
Result<Format> Prepare(std::string_view bytes, const ReadOptions& options, Unwrapped& unwrapped) {
  if (bytes.size() > options.limits.input_bytes) {
    return InputTooLarge(options.limits.input_bytes, bytes.size());
  }
  // What is no profile is not worth its memory; behind a line of great length one may begin.
  const auto is_known = [&](std::string_view head) {
    return options.format.has_value() || Sniff(head) != Format::kUnknown ||
           head.find_first_of(std::string_view("\n\0", 2)) == std::string_view::npos;
  };
  if (Status status = Unwrap(bytes, options.limits, unwrapped, is_known, options.stop);
      !status.ok()) {
    return status.error();
  }
  // An empty text is a profile of nothing when the caller says that it is text.
  if (unwrapped.bytes.empty() && options.format != Format::kFolded &&
      options.format != Format::kPerfScript) {
    return Error{.code = ErrorCode::kInvalid, .message = "empty profile"};
  }
  const Format format = options.format.has_value() ? *options.format : FormatOf(unwrapped.bytes);
  if (options.recognised != nullptr) *options.recognised = format;
  return format;
}

Status ReadParts(const std::vector<std::string_view>& parts, const ReadOptions& options,
                 std::vector<Profile>& profiles) {
  for (const std::string_view part : parts) {
    Result<Profile> profile = ReadPprof(part, options);
    if (!profile.ok()) {
      Error error = profile.error();
      error.byte_offset += static_cast<std::uint64_t>(part.data() - parts.front().data());
      return error;
    }
    profiles.push_back(std::move(profile).value());
  }
  return {};
}

Result<std::vector<Profile>> ReadEach(std::string_view bytes, const ReadOptions& options) {
  Unwrapped unwrapped;
  const Result<Format> format = Prepare(bytes, options, unwrapped);
  if (!format.ok()) return format.error();
  std::vector<Profile> profiles;
  if (format.value() == Format::kPprof) {
    const Status split = ReadParts(pprof::SplitMessages(unwrapped.bytes), options, profiles);
    if (split.ok()) return profiles;
    // A writer with an order of its own, perhaps.
    Result<Profile> whole = ReadPprof(unwrapped.bytes, options);
    if (!whole.ok()) return split.error();
    profiles.clear();
    profiles.push_back(std::move(whole).value());
    return profiles;
  }
  Result<Profile> profile = Read(format.value(), unwrapped.bytes, options);
  if (!profile.ok()) return profile.error();
  profiles.push_back(std::move(profile).value());
  return profiles;
}

// What `read` makes of a file's bytes. Errors name the file.
template <typename T>
Result<T> FromFile(const std::string& path, const ReadOptions& options,
                   Result<T> (*read)(std::string_view, const ReadOptions&)) {
  const std::string shown = path == "-" ? "standard input" : path;
  const Result<InputBytes> input = InputBytes::Open(path, options.limits.input_bytes);
  if (!input.ok()) return InFile(input.error(), shown);
  Result<T> made = read(input.value().bytes(), options);
  if (Status whole = input.value().CheckWhole(); !whole.ok()) return InFile(whole.error(), shown);
  if (!made.ok()) return InFile(made.error(), shown);
  return made;
}

}  // namespace

Result<Profile> ReadProfile(std::string_view bytes, const ReadOptions& options) {
  Unwrapped unwrapped;
  const Result<Format> format = Prepare(bytes, options, unwrapped);
  if (!format.ok()) return format.error();
  return Read(format.value(), unwrapped.bytes, options);
}

Result<Profile> ReadProfileFile(const std::string& path, const ReadOptions& options) {
  return FromFile<Profile>(path, options, &ReadProfile);
}

Result<std::vector<Profile>> ReadEachProfile(const std::string& path, const ReadOptions& options) {
  return FromFile<std::vector<Profile>>(path, options, &ReadEach);
}

}  // namespace sonde
