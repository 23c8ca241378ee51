// Sniff: which format these bytes are.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "export/folded/read.h"
#include "export/gperftools/cpu.h"
#include "export/perf_script/frame_line.h"
#include "export/perf_script/header_line.h"
#include "export/pprof/fields.h"
#include "export/protobuf_reader.h"
#include "sonde/formats.h"
#include "sonde/heap_text.h"

namespace sonde {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 10;
constexpr int kMostLines = 2'000;

struct NamedFormat {
  Format format;
  std::string_view name;
};
constexpr std::array<NamedFormat, 8> kFormats{{
    {Format::kPprof, "pprof"},
    {Format::kFolded, "folded"},
    {Format::kPerfScript, "perf-script"},
    {Format::kPerfData, "perf-data"},
    {Format::kGperftoolsCpu, "gperftools-cpu"},
    {Format::kGperftoolsHeap, "gperftools-heap"},
    {Format::kSpeedscope, "speedscope"},
    {Format::kChromeTrace, "chrome-trace"},
}};

bool IsPerfData(std::string_view bytes) {
  return bytes.starts_with("PERFILE2") || bytes.starts_with("PERFFILE") ||
         bytes.starts_with("2ELIFREP") || bytes.starts_with("ELIFFREP");
}

// Whether the fields are those of a pprof message, as far as the bytes go.
bool IsPprof(std::string_view bytes) {
  using namespace pprof::profile;
  std::size_t fields = 0;
  bool has_type = false;
  bool has_unknown = false;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    ++fields;
    const bool is_bytes = reader.wire() == ProtobufReader::kBytes;
    const bool is_number = reader.wire() == ProtobufReader::kVarint;
    switch (reader.field()) {
      case kSampleType: {
        ProtobufReader type(reader.bytes());
        while (type.Next()) {
          if (type.field() > 2 || type.wire() != ProtobufReader::kVarint) return false;
        }
        if (!type.ok()) return false;
        has_type = true;
        if (!is_bytes) return false;
        break;
      }
      case kSample:
      case kMapping:
      case kLocation:
      case kFunction:
      case kStringTable:
      case kPeriodType:
        if (!is_bytes) return false;
        break;
      case kComment:
        if (!is_bytes && !is_number) return false;
        break;
      case kDropFrames:
      case kKeepFrames:
      case kTimeNanos:
      case kDurationNanos:
      case kPeriod:
      case kDefaultSampleType:
      case kDocUrl:
        if (!is_number) return false;
        break;
      default:
        has_unknown = true;
        break;
    }
  }
  // A field of a later version is passed over, where text cannot be taken for one.
  if (has_unknown) return has_type && bytes.find('\0') != std::string_view::npos;
  // The end may be cut off; one field of the right kind can be chance, and so can any number of
  // them in a long line of letters.
  const auto is_control = [](char c) {
    return c >= 0 && c < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  return has_type || (fields >= 2 && std::ranges::any_of(bytes, is_control));
}

// A container: "--- symbol", names, and a gperftools profile of any kind.
bool IsSymbolized(std::string_view bytes) { return bytes.starts_with("--- symbol\n"); }

bool LooksLikeJson(std::string_view bytes) {
  const std::size_t at = bytes.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && (bytes[at] == '{' || bytes[at] == '[');
}

Format SniffJson(std::string_view bytes) {
  if (bytes.find("speedscope.app/file-format-schema") != std::string_view::npos) {
    return Format::kSpeedscope;
  }
  if (bytes.find("\"traceEvents\"") != std::string_view::npos ||
      bytes.find("\"ph\"") != std::string_view::npos) {
    return Format::kChromeTrace;
  }
  return Format::kUnknown;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "comm 1234 [001] 12.345678: 1 cycles:" and its variants: a number that stands alone, is a
// pid, and later a word that ends with a colon.
bool IsPerfScriptHeader(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.front() == '\t' || line.front() == '#')
    return false;
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  bool has_pid = false;
  std::size_t at = 0;
  bool first = true;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const std::string_view word = line.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (first) {
      first = false;
      continue;
    }
    if (has_pid && word.back() == ':' && word.size() > 1) return true;
    if (std::ranges::all_of(word, [](char c) { return IsDigit(c) || c == '/' || c == '-'; }) &&
        IsDigit(word.back())) {
      has_pid = true;
    }
  }
  return false;
}

// "    ffffffff8104f45a native_write_msr ([kernel.kallsyms])"
bool IsPerfScriptFrame(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  if (at == 0 || at == std::string_view::npos) return false;
  std::size_t end = at;
  while (end < line.size() && std::isxdigit(static_cast<unsigned char>(line[end])) != 0) ++end;
  return end > at && end < line.size() && line[end] == ' ';
}

// A sample and its only frame: "comm 1234 12.345678: 1 cycles: 55d0 main+0x4 (/bin/app)".
bool IsPerfScriptSample(std::string_view line) {
  const auto header = perf_script::ParseHeader(line);
  if (!header.has_value() || header->tid == perf_script::HeaderLine::kNotPrinted) return false;
  const perf_script::FrameLine frame = perf_script::ParseFrame(header->rest);
  return frame.kind == perf_script::LineKind::kFrame && frame.address != 0 && !frame.module.empty();
}

// "comm 1234" with a frame in the next line.
bool IsBareHeader(std::string_view line, std::string_view next) {
  return next.starts_with('\t') && IsPerfScriptFrame(next) && !line.empty() &&
         line.front() != ' ' && line.front() != '\t' && perf_script::ParseHeader(line).has_value();
}

Format SniffText(std::string_view bytes) {
  // What pprof prints of a profile, which has more lines that end with a number than others.
  if (bytes.starts_with("PeriodType: ")) return Format::kUnknown;
  int folded = 0;
  int headers = 0;
  int frames = 0;
  int lines = 0;
  std::string_view last;
  while (!bytes.empty() && lines < kMostLines) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view line = bytes.substr(0, newline);
    bytes.remove_prefix(newline == std::string_view::npos ? bytes.size() : newline + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ++lines;
    if (IsPerfScriptSample(line)) {
      ++headers;
      ++frames;
    } else if (IsPerfScriptHeader(line) || IsBareHeader(last, line)) {
      ++headers;
    }
    if (IsPerfScriptFrame(line)) ++frames;
    last = line;
    if (IsFoldedLine(line)) ++folded;
  }
  if (headers > 0 && (frames > 0 || folded < headers)) return Format::kPerfScript;
  // A line or two of every file of prose end with a number.
  if (folded > 0 && folded * 4 >= lines) return Format::kFolded;
  return Format::kUnknown;
}

bool IsText(std::string_view bytes) { return bytes.find('\0') == std::string_view::npos; }

}  // namespace

std::string_view NameOf(Format format) noexcept {
  const auto it = std::ranges::find(kFormats, format, &NamedFormat::format);
  return it == kFormats.end() ? "unknown" : it->name;
}

std::optional<Format> FormatNamed(std::string_view name) noexcept {
  const auto it = std::ranges::find(kFormats, name, &NamedFormat::name);
  if (it == kFormats.end()) return std::nullopt;
  return it->format;
}

Format Sniff(std::string_view bytes) noexcept {
  bytes = bytes.substr(0, kMostBytes);
  if (bytes.empty()) return Format::kUnknown;
  if (IsPerfData(bytes)) return Format::kPerfData;
  if (CpuProfileLayout(bytes).has_value() || IsSymbolized(bytes)) return Format::kGperftoolsCpu;
  if (IsHeapText(bytes)) return Format::kGperftoolsHeap;
  if (IsPprof(bytes)) return Format::kPprof;
  if (!IsText(bytes)) return Format::kUnknown;
  if (LooksLikeJson(bytes)) {
    const Format json = SniffJson(bytes);
    if (json != Format::kUnknown) return json;
  }
  return SniffText(bytes);
}

}  // namespace sonde
