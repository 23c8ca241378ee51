// ReadCpuProfile: a Profile from what gperftools' CPU profiler writes.

#include "export/gperftools/cpu.h"

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "export/gperftools/heap_text.h"
#include "export/gperftools/java_names.h"
#include "export/gperftools/memory_map.h"
#include "export/gperftools/pc_stacks.h"
#include "export/gperftools/text.h"
#include "export/limit_guard.h"
#include "sonde/frame_names.h"
#include "sonde/heap_text.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

using namespace gperftools;

constexpr std::int64_t kNanosecondsPerMicrosecond = 1'000;
constexpr std::uint64_t kMostHeaderWords = 1'000;
constexpr std::uint64_t kJavaVersion = 1;
// What pprof writes in every profile that it has named, whatever the period was.
constexpr std::uint64_t kPeriodOfNamed = 1;

// Numbers of one layout, one after the other.
class WordReader {
 public:
  WordReader(std::string_view bytes, WordLayout layout) : bytes_(bytes), layout_(layout) {}

  bool Next(std::uint64_t& word) noexcept {
    if (bytes_.size() - at_ < layout_.bytes) return false;
    word = 0;
    for (std::size_t i = 0; i < layout_.bytes; ++i) {
      const std::size_t byte = layout_.big_endian ? i : layout_.bytes - 1 - i;
      word = word << 8 | static_cast<unsigned char>(bytes_[at_ + byte]);
    }
    at_ += layout_.bytes;
    return true;
  }
  std::size_t WordsLeft() const noexcept { return (bytes_.size() - at_) / layout_.bytes; }
  std::size_t at() const noexcept { return at_; }
  std::string_view Rest() const noexcept { return bytes_.substr(at_); }

 private:
  std::string_view bytes_;
  WordLayout layout_;
  std::size_t at_ = 0;
};

struct CpuHeader {
  std::uint64_t version = 0;
  std::uint64_t period_us = 0;
};

// 0, words that follow, version, period, 0 and whatever later versions add.
bool ReadHeader(WordReader& words, CpuHeader& header) noexcept {
  std::uint64_t zero = 0;
  std::uint64_t count = 0;
  std::uint64_t padding = 0;
  if (!words.Next(zero) || !words.Next(count) || !words.Next(header.version) ||
      !words.Next(header.period_us) || !words.Next(padding)) {
    return false;
  }
  if (zero != 0 || count < 3 || count > kMostHeaderWords || header.version > kJavaVersion ||
      header.period_us == 0 || header.period_us > 0xffff'ffffU || padding != 0) {
    return false;
  }
  for (std::uint64_t i = 3; i < count; ++i) {
    std::uint64_t skipped = 0;
    if (!words.Next(skipped)) return false;
  }
  return true;
}

// Who wrote the profile: the profiler, or pprof, which puts names before it and ends it without a
// trailer.
enum class Writer : std::uint8_t { kProfiler, kPprof };

bool KnowsPeriod(Writer writer, const CpuHeader& header) {
  return writer == Writer::kProfiler || header.period_us != kPeriodOfNamed;
}

std::vector<ValueType> TypesOf(bool knows_period) {
  std::vector<ValueType> types{{"samples", "count"}};
  if (knows_period) types.push_back({"cpu", "nanoseconds"});
  return types;
}

class CpuProfileReader {
 public:
  CpuProfileReader(std::string_view bytes, WordLayout layout, const ReadOptions& options,
                   PcStacks stacks, Writer writer)
      : words_(bytes, layout),
        options_(options),
        writer_(writer),
        is_whole_(ReadHeader(words_, header_)),
        knows_period_(KnowsPeriod(writer, header_)),
        builder_(TypesOf(knows_period_)),
        guard_(options.limits, builder_, options.stop),
        stacks_(std::move(stacks)) {}

  Result<Profile> Read() {
    if (!is_whole_) {
      return Error{.code = ErrorCode::kMalformed, .message = "broken CPU profile header"};
    }
    if (Status status = ReadRecords(); !status.ok()) return status.error();
    if (has_trailer_ && words_.Rest().find('\0') != std::string_view::npos) {
      return Error{.code = ErrorCode::kMalformed,
                   .message = "another profile stands behind the first",
                   .byte_offset = words_.at()};
    }
    ReadText(header_.version == kJavaVersion);

    const auto period_ns =
        static_cast<std::int64_t>(header_.period_us) * kNanosecondsPerMicrosecond;
    if (knows_period_) builder_.SetPeriod({"cpu", "nanoseconds"}, period_ns);
    map_.AddTo(builder_);
    DropTrampoline();
    for (const Record& record : records_) {
      const StackId stack = stacks_.Build(record.stack, map_, builder_);
      if (Status status = guard_.CheckFrames(); !status.ok()) return status.error();
      if (Status status = guard_.CountStack(stack); !status.ok()) return status.error();
      std::int64_t cpu_ns = 0;
      if (knows_period_ && __builtin_mul_overflow(record.count, period_ns, &cpu_ns)) {
        builder_.losses().Add("value overflow", "samples", 1);
        cpu_ns = INT64_MAX;
      }
      const std::array<std::int64_t, 2> values{record.count, cpu_ns};
      builder_.AddSample(stack, kNoLabels, std::span(values).first(knows_period_ ? 2 : 1),
                         std::nullopt);
    }
    return std::move(builder_).Build();
  }

 private:
  struct Record {
    std::int64_t count;
    std::size_t stack;
  };

  Status BreaksOff(std::size_t offset) {
    const std::string place = "byte " + std::to_string(offset);
    if (options_.strict) {
      return Error{.code = ErrorCode::kMalformed,
                   .message = "the profile breaks off before its trailer",
                   .byte_offset = offset};
    }
    builder_.losses().Add("no trailer: the profile breaks off", "files", 1, place);
    return {};
  }

  // Each is a count, a depth and that many program counters, leaf first; the last
  // one, the trailer, is 0, 1, 0.
  Status ReadRecords() {
    std::vector<std::uint64_t> pcs;
    while (true) {
      const std::size_t start = words_.at();
      std::uint64_t count = 0;
      std::uint64_t depth = 0;
      if (writer_ == Writer::kPprof && words_.Rest().empty()) return {};
      if (!words_.Next(count) || !words_.Next(depth)) return BreaksOff(start);
      if (depth > words_.WordsLeft()) return BreaksOff(start);
      pcs.resize(static_cast<std::size_t>(depth));
      for (std::uint64_t& pc : pcs) words_.Next(pc);
      if (count == 0 && depth == 1 && pcs.front() == 0) {
        has_trailer_ = true;
        return {};
      }
      if (count > INT64_MAX || depth == 0) {
        return Error{
            .code = ErrorCode::kMalformed, .message = "broken record", .byte_offset = start};
      }
      if (Status status = guard_.CountRecord(); !status.ok()) return status;
      if (depth > options_.limits.stack_depth && options_.limits.skip_oversized) {
        builder_.losses().Add("stack too deep", "samples", count, "byte " + std::to_string(start));
        continue;
      }
      if (Status status = guard_.CheckDepth(depth); !status.ok()) return status;
      // The handler can see the interrupted function twice, as the pc and as the
      // return address of its own frame.
      if (pcs.size() > 1 && pcs[1] == pcs[0] && pcs[0] != 0) pcs.erase(pcs.begin() + 1);
      if (pcs.size() > 1) ++callers_[pcs[1]];
      records_.push_back({static_cast<std::int64_t>(count), stacks_.Add(pcs)});
    }
  }

  // Where the kernel's way into the signal handler stands on nearly every stack, between the
  // interrupted function and its caller, it is none of the program's calls. Elsewhere than in
  // the C library a common caller is just that.
  void DropTrampoline() {
    constexpr std::size_t kFewestRecords = 20;
    if (records_.size() < kFewestRecords) return;
    for (const auto& [address, count] : callers_) {
      if (count < records_.size() - records_.size() / 20) continue;
      const MappingId mapping = map_.Find(address - 1);
      if (mapping == kNoMapping) return;
      const std::string_view file = BaseName(builder_.text(builder_.mapping(mapping).file));
      if (file.starts_with("libc") || file.starts_with("libpthread") || file == "[vdso]") {
        stacks_.DropCaller(address - 1);
      }
      return;
    }
  }

  void ReadText(bool is_java) {
    std::string_view text = words_.Rest();
    while (!text.empty()) {
      const std::string_view line = TakeLine(text);
      if (!is_java || !TakeJavaName(line, stacks_)) map_.AddLine(line);
    }
  }

  WordReader words_;
  const ReadOptions& options_;
  Writer writer_;
  CpuHeader header_;
  bool is_whole_;      // The header.
  bool knows_period_;  // Else only samples are told.
  ProfileBuilder builder_;
  LimitGuard guard_;
  PcStacks stacks_;
  MemoryMap map_;
  std::vector<Record> records_;
  bool has_trailer_ = false;
  std::unordered_map<std::uint64_t, std::size_t> callers_;  // Of leaves: the records they are in.
};

Result<Profile> ReadWith(PcStacks stacks, std::string_view bytes, WordLayout layout, Writer writer,
                         const ReadOptions& options) {
  return CpuProfileReader(bytes, layout, options, std::move(stacks), writer).Read();
}

// "0x401000 outer--inlined"
bool TakeSymbol(std::string_view line, PcStacks& stacks) {
  std::uint64_t address = 0;
  if (!TakeHex(line, address)) return false;
  line = Trimmed(line);
  NamedAddress named;
  while (!line.empty()) {
    const std::size_t end = line.find("--");
    if (end != 0) named.functions.insert(named.functions.begin(), std::string(line.substr(0, end)));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 2);
  }
  if (!named.functions.empty()) stacks.names().insert_or_assign(address, std::move(named));
  return true;
}

}  // namespace

std::optional<WordLayout> CpuProfileLayout(std::string_view bytes) noexcept {
  for (const std::size_t size : {std::size_t{4}, std::size_t{8}}) {
    for (const bool big_endian : {false, true}) {
      WordReader words(bytes, {size, big_endian});
      CpuHeader header;
      if (ReadHeader(words, header)) return WordLayout{size, big_endian};
    }
  }
  return std::nullopt;
}

Result<Profile> ReadCpuProfile(std::string_view bytes, const ReadOptions& options) {
  const std::optional<WordLayout> layout = CpuProfileLayout(bytes);
  if (!layout.has_value()) {
    return Error{.code = ErrorCode::kMalformed, .message = "broken CPU profile header"};
  }
  WordReader words(bytes, *layout);
  CpuHeader header;
  ReadHeader(words, header);
  return ReadWith(
      PcStacks(header.version == kJavaVersion ? ReturnAddresses::kNone : ReturnAddresses::kCallers),
      bytes, *layout, Writer::kProfiler, options);
}

Result<Profile> ReadSymbolizedProfile(std::string_view bytes, const ReadOptions& options) {
  PcStacks stacks(ReturnAddresses::kCallers);
  std::string_view rest = bytes;
  TakeLine(rest);
  while (!rest.empty()) {
    const std::string_view line = TakeLine(rest);
    if (line.starts_with("---")) break;
    TakeSymbol(line, stacks);
  }
  if (!rest.starts_with("--- ")) {
    return Error{.code = ErrorCode::kMalformed,
                 .message = "no profile behind the symbols",
                 .byte_offset = bytes.size() - rest.size()};
  }
  std::string_view profile = rest;
  TakeLine(profile);
  if (const std::optional<WordLayout> layout = CpuProfileLayout(profile)) {
    return ReadWith(std::move(stacks), profile, *layout, Writer::kPprof, options);
  }
  const HeapTextOptions heap{
      .limits = options.limits, .strict = options.strict, .stop = options.stop};
  if (IsHeapText(profile)) return ReadNamedHeapText(profile, std::move(stacks.names()), heap);
  return Error{.code = ErrorCode::kUnsupported,
               .message = "unrecognized profile behind the symbols",
               .byte_offset = bytes.size() - profile.size()};
}

}  // namespace sonde
