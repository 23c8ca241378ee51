// Heap text: reads the text profiles of tcmalloc and of runtimes that took over its format.

#include "sonde/heap_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "export/gperftools/heap_text.h"
#include "export/gperftools/java_names.h"
#include "export/gperftools/memory_map.h"
#include "export/gperftools/pc_stacks.h"
#include "export/gperftools/text.h"
#include "export/limit_guard.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

using namespace gperftools;

constexpr std::int64_t kJavaHeapRate = 524'288;
constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr double kNanosecondsPerSecond = 1e9;
constexpr std::uint64_t kRecordsBetweenLooks = 1 << 14;

enum class Kind { kHeap, kJemallocHeap, kJavaHeap, kContention, kThreads, kCounts };

// One record, its values still as written.
struct Record {
  std::vector<std::int64_t> values;
  std::size_t stack = 0;
  std::int64_t block_bytes = 0;  // Of one object; 0 when it has none.
};

struct Scaled {
  std::int64_t count;
  std::int64_t bytes;
};

// What was allocated, given what a sampler that takes each byte with probability
// 1 / rate has seen.
Scaled Unsampled(std::int64_t count, std::int64_t bytes, std::int64_t rate) {
  if (count <= 0 || bytes <= 0) return {0, 0};
  if (rate <= 1) return {count, bytes};
  const double average = static_cast<double>(bytes) / static_cast<double>(count);
  const double scale = 1 / -std::expm1(-average / static_cast<double>(rate));
  return {static_cast<std::int64_t>(static_cast<double>(count) * scale),
          static_cast<std::int64_t>(static_cast<double>(bytes) * scale)};
}

bool IsMapHeader(std::string_view line) {
  return line.starts_with("MAPPED_LIBRARIES") || line.starts_with("--- Memory map");
}

// "count: bytes [count: bytes] @ rest"
struct HeapCounts {
  std::int64_t live = 0;
  std::int64_t live_bytes = 0;
  std::int64_t all = 0;
  std::int64_t all_bytes = 0;
};

bool TakeHeapCounts(std::string_view& text, HeapCounts& counts) {
  return TakeDecimal(text, counts.live) && TakeMark(text, ':') &&
         TakeDecimal(text, counts.live_bytes) && TakeMark(text, '[') &&
         TakeDecimal(text, counts.all) && TakeMark(text, ':') &&
         TakeDecimal(text, counts.all_bytes) && TakeMark(text, ']');
}

class HeapTextReader {
 public:
  HeapTextReader(std::string_view text, AddressNames names, const HeapTextOptions& options)
      : text_(text), options_(options), names_(std::move(names)) {}

  Result<Profile> Read() {
    if (Status status = ReadHeader(); !status.ok()) return status.error();
    while (!text_.empty()) {
      if (Status status = ReadLine(NextLine()); !status.ok()) return InLine(status.error());
    }
    return Finish();
  }

 private:
  std::string_view NextLine() {
    ++line_number_;
    return TakeLine(text_);
  }
  Error InLine(Error error) const {
    if (error.line == 0) error.line = line_number_;
    return error;
  }
  Status Refuse(std::string_view kind) {
    if (options_.strict) {
      return Error{
          .code = ErrorCode::kMalformed, .message = std::string(kind), .line = line_number_};
    }
    losses_.Add(kind, "lines", 1, "line " + std::to_string(line_number_));
    return {};
  }

  Status ReadHeader() {
    std::string_view line;
    while (line.empty() && !text_.empty()) line = Trimmed(NextLine());
    if (line.starts_with("heap profile:")) return ReadHeapHeader(line.substr(13));
    if (line.starts_with("heap_v2/")) {
      kind_ = Kind::kJemallocHeap;
      std::string_view rate = line.substr(8);
      has_totals_ = true;
      if (TakeDecimal(rate, rate_) && rate_ > 0) return {};
      return Malformed("heap_v2 without a sampling rate");
    }
    if (line.starts_with("--- contention") || line.starts_with("--- mutex")) {
      kind_ = Kind::kContention;
      return {};
    }
    if (line.starts_with("--- heapz")) {
      kind_ = Kind::kJavaHeap;
      return {};
    }
    if (line.starts_with("--- threadz") || line.starts_with("--- Thread ")) {
      kind_ = Kind::kThreads;
      if (line.starts_with("--- Thread ")) in_thread_ = true;
      return {};
    }
    const std::size_t profile = line.find(" profile: total ");
    if (profile != std::string_view::npos) {
      kind_ = Kind::kCounts;
      count_type_ = line.substr(0, profile);
      return {};
    }
    return Error{.code = ErrorCode::kUnsupported, .message = "unrecognized heap profile"};
  }

  Error Malformed(std::string message) const {
    return {.code = ErrorCode::kMalformed, .message = std::move(message), .line = line_number_};
  }

  // "3: 1536 [10: 5120] @ heap_v2/524288"
  Status ReadHeapHeader(std::string_view rest) {
    kind_ = Kind::kHeap;
    HeapCounts totals;
    if (!TakeHeapCounts(rest, totals) || !TakeMark(rest, '@')) {
      return Malformed("broken heap profile header");
    }
    has_totals_ = totals.live != totals.all || totals.live_bytes != totals.all_bytes;
    rest = Trimmed(rest);
    const std::string_view variant = rest.substr(0, rest.find('/'));
    std::string_view number = rest.substr(std::min(variant.size() + 1, rest.size()));
    rate_ = 1;
    if (!number.empty() && (!TakeDecimal(number, rate_) || rate_ < 1)) {
      return Malformed("broken sampling rate");
    }
    if (variant == "heapprofile" || variant == "growthz" || variant == "growth" ||
        variant == "fragmentationz") {
      rate_ = 1;
    } else if (variant == "heap") {
      // The runtime that writes this name states twice its rate.
      rate_ = std::max<std::int64_t>(1, rate_ / 2);
    } else if (variant != "heap_v2" && variant != "heapz_v2") {
      return Error{.code = ErrorCode::kUnsupported,
                   .message = "unknown heap profile '" + std::string(variant) + "'",
                   .line = line_number_};
    }
    return {};
  }

  Status ReadLine(std::string_view raw) {
    if (raw.size() > options_.limits.line_bytes) {
      return OverLimit("bytes in a line", "max_line_bytes", options_.limits.line_bytes, raw.size());
    }
    const std::string_view line = Trimmed(raw);
    if (IsMapHeader(line)) {
      in_map_ = true;
      return {};
    }
    if (line.empty() || line.starts_with('#')) return {};
    if (in_map_) {
      if (line.starts_with("heap profile:"))
        return Malformed("another profile stands behind the first");
      map_.AddLine(line);
      return {};
    }
    switch (kind_) {
      case Kind::kHeap:
        return ReadHeapRecord(line);
      case Kind::kJemallocHeap:
        return ReadJemallocLine(line);
      case Kind::kJavaHeap:
      case Kind::kContention:
        return ReadTimedRecord(line);
      case Kind::kThreads:
        return ReadThreadLine(line);
      case Kind::kCounts:
        return ReadCount(line);
    }
    return {};
  }

  // The stack behind "@".
  Status AddRecord(std::vector<std::int64_t> values, std::int64_t block_bytes,
                   std::string_view addresses) {
    addresses_.clear();
    std::uint64_t address = 0;
    while (TakeHex(addresses, address)) addresses_.push_back(address);
    if (!Trimmed(addresses).empty()) return Refuse("bad address");
    return AddRecord(std::move(values), block_bytes);
  }
  Status AddRecord(std::vector<std::int64_t> values, std::int64_t block_bytes) {
    if (++count_ > options_.limits.records) {
      return OverLimit("records", "max_records", options_.limits.records, count_);
    }
    if (count_ % kRecordsBetweenLooks == 0 && options_.stop.stop_requested()) {
      return ReadingCalledOff();
    }
    if (addresses_.size() > options_.limits.stack_depth) {
      if (options_.limits.skip_oversized) return Refuse("stack too deep");
      return OverLimit("frames on a stack", "max_stack_depth", options_.limits.stack_depth,
                       addresses_.size());
    }
    records_.push_back({std::move(values), Stacks().Add(addresses_), block_bytes});
    return {};
  }

  Status ReadHeapRecord(std::string_view line) {
    HeapCounts counts;
    if (!TakeHeapCounts(line, counts) || !TakeMark(line, '@')) {
      return IsVariable(line) ? Status() : Refuse("bad heap record");
    }
    return AddHeapRecord(counts, line);
  }

  Status AddHeapRecord(const HeapCounts& counts, std::string_view addresses) {
    const std::int64_t block = counts.live > 0  ? counts.live_bytes / counts.live
                               : counts.all > 0 ? counts.all_bytes / counts.all
                                                : 0;
    const Scaled live = Unsampled(counts.live, counts.live_bytes, rate_);
    if (!has_totals_) return AddRecord({live.count, live.bytes}, block, addresses);
    const Scaled all = Unsampled(counts.all, counts.all_bytes, rate_);
    return AddRecord({all.count, all.bytes, live.count, live.bytes}, block, addresses);
  }

  // "@ addresses", then for all threads together "t*: 3: 1536 [10: 5120]"; single
  // threads repeat what that line sums up.
  Status ReadJemallocLine(std::string_view line) {
    if (TakeMark(line, '@')) {
      jemalloc_stack_ = line;
      return {};
    }
    if (!line.starts_with("t*:"))
      return line.starts_with('t') ? Status() : Refuse("bad heap record");
    line.remove_prefix(3);
    HeapCounts counts;
    if (!TakeHeapCounts(line, counts)) return Refuse("bad heap record");
    // The first such line, before any stack, is the sum of the whole profile.
    if (!jemalloc_stack_.has_value()) return {};
    // Where accumulation is off, jemalloc writes no totals.
    counts.all = std::max(counts.all, counts.live);
    counts.all_bytes = std::max(counts.all_bytes, counts.live_bytes);
    return AddHeapRecord(counts, *std::exchange(jemalloc_stack_, std::nullopt));
  }

  static bool IsVariable(std::string_view line) {
    const std::size_t equals = line.find('=');
    return equals != std::string_view::npos && line.find('@') == std::string_view::npos;
  }

  // "KEY = VALUE" of a head.
  Status ReadVariable(std::string_view line) {
    const std::size_t equals = line.find('=');
    const std::string_view key = Trimmed(line.substr(0, equals));
    const std::string_view value = Trimmed(line.substr(equals + 1));
    std::string_view digits = value;
    std::int64_t number = 0;
    const bool is_number = TakeDecimal(digits, number) && digits.empty();
    if (key == "format") {
      is_java_ = value == "java";
      if (!is_java_) return Malformed("unknown format '" + std::string(value) + "'");
    } else if (key == "resolution") {
      resolution_ = value;
    } else if (key == "cycles/second" && is_number && number > 0) {
      cycles_per_second_ = static_cast<double>(number);
    } else if (key == "sampling period" && is_number && number > 0) {
      period_ = number;
    } else if (key == "ms since reset" && is_number) {
      duration_ms_ = number;
    } else if (key == "discarded samples" && is_number && number > 0) {
      losses_.Add("discarded by the profiled program", "samples",
                  static_cast<std::uint64_t>(number));
    }
    return {};
  }

  // "waited count @ addresses", or for Java heaps "bytes count @ addresses".
  Status ReadTimedRecord(std::string_view line) {
    if (IsVariable(line)) return ReadVariable(line);
    if (is_java_ && TakeJavaName(line, Stacks())) return {};
    std::int64_t amount = 0;
    std::int64_t count = 0;
    if (!TakeDecimal(line, amount) || !TakeDecimal(line, count) || !TakeMark(line, '@')) {
      return Refuse("bad record");
    }
    if (kind_ == Kind::kJavaHeap) {
      const Scaled scaled = Unsampled(count, amount, kJavaHeapRate);
      return AddRecord({scaled.count, scaled.bytes}, count > 0 ? amount / count : 0, line);
    }
    const double waited = static_cast<double>(amount) * static_cast<double>(period_);
    const double delay =
        cycles_per_second_ > 0 ? waited * kNanosecondsPerSecond / cycles_per_second_ : waited;
    return AddRecord({count * period_, static_cast<std::int64_t>(delay)}, 0, line);
  }

  // "--- Thread 7f12 (name: main/12) stack: ---", then frames, each with an address.
  Status ReadThreadLine(std::string_view line) {
    if (line.starts_with("---")) {
      if (Status status = EndThread(); !status.ok()) return status;
      in_thread_ = line.starts_with("--- Thread ");
      return {};
    }
    if (!in_thread_) return {};
    if (line.find("same as previous thread") != std::string_view::npos) {
      if (!records_.empty()) ++records_.back().values.front();
      ++count_;
      in_thread_ = false;
      return {};
    }
    for (std::size_t at = line.find("0x"); at != std::string_view::npos;
         at = line.find("0x", at + 2)) {
      std::string_view rest = line.substr(at);
      std::uint64_t address = 0;
      if (TakeHex(rest, address)) addresses_.push_back(address);
    }
    return {};
  }
  Status EndThread() {
    if (!in_thread_ || addresses_.empty()) return {};
    Status status = AddRecord({1}, 0);
    addresses_.clear();
    return status;
  }

  // "5 @ addresses"
  Status ReadCount(std::string_view line) {
    std::int64_t count = 0;
    if (!TakeDecimal(line, count) || !TakeMark(line, '@')) return Refuse("bad record");
    return AddRecord({count}, 0, line);
  }

  PcStacks& Stacks() {
    if (!stacks_.has_value()) {
      stacks_.emplace(is_java_                  ? ReturnAddresses::kNone
                      : kind_ == Kind::kThreads ? ReturnAddresses::kCallers
                                                : ReturnAddresses::kAll);
      stacks_->names() = std::move(names_);
    }
    return *stacks_;
  }

  std::vector<ValueType> SampleTypes() const {
    switch (kind_) {
      case Kind::kHeap:
      case Kind::kJemallocHeap:
        if (!has_totals_) return {{"objects", "count"}, {"space", "bytes"}};
        return {{"alloc_objects", "count"},
                {"alloc_space", "bytes"},
                {"inuse_objects", "count"},
                {"inuse_space", "bytes"}};
      case Kind::kJavaHeap:
        return {{"inuse_objects", "count"}, {"inuse_space", "bytes"}};
      case Kind::kContention:
        return {
            {"contentions", "count"},
            {"delay", cycles_per_second_ > 0 || resolution_.empty() ? "nanoseconds" : resolution_}};
      case Kind::kThreads:
        return {{"thread", "count"}};
      case Kind::kCounts:
        return {{count_type_, "count"}};
    }
    return {{"samples", "count"}};
  }

  Result<Profile> Finish() {
    if (kind_ == Kind::kThreads) {
      if (Status status = EndThread(); !status.ok()) return status.error();
    }
    ProfileBuilder builder(SampleTypes());
    LimitGuard guard(options_.limits, builder, options_.stop);
    switch (kind_) {
      case Kind::kHeap:
      case Kind::kJemallocHeap:
        builder.SetPeriod({"space", "bytes"}, rate_);
        break;
      case Kind::kContention:
        builder.SetPeriod({"contentions", "count"}, period_);
        break;
      case Kind::kThreads:
      case Kind::kCounts:
        builder.SetPeriod({SampleTypes().front().type, "count"}, 1);
        break;
      case Kind::kJavaHeap:
        break;
    }
    builder.SetDuration(duration_ms_ * kNanosecondsPerMillisecond);
    map_.AddTo(builder);
    for (const Record& record : records_) {
      const StackId stack = Stacks().Build(record.stack, map_, builder);
      if (Status status = guard.CheckFrames(); !status.ok()) return status.error();
      if (Status status = guard.CountStack(stack); !status.ok()) return status.error();
      LabelSetId labels = kNoLabels;
      if (record.block_bytes != 0) {
        const Label label = builder.NumberLabel("bytes", record.block_bytes, "bytes");
        labels = builder.AddLabels({&label, 1});
      }
      builder.AddSample(stack, labels, record.values);
    }
    builder.SetRecords(count_);
    builder.losses().Add(losses_);
    return std::move(builder).Build();
  }

  std::string_view text_;
  const HeapTextOptions& options_;
  AddressNames names_;
  std::uint64_t line_number_ = 0;
  std::uint64_t count_ = 0;

  Kind kind_ = Kind::kHeap;
  bool has_totals_ = false;
  bool is_java_ = false;
  std::int64_t rate_ = 1;
  std::int64_t period_ = 1;
  std::int64_t duration_ms_ = 0;
  double cycles_per_second_ = 0;
  std::string resolution_;
  std::string count_type_;

  bool in_map_ = false;
  bool in_thread_ = false;
  std::optional<std::string_view> jemalloc_stack_;
  std::vector<std::uint64_t> addresses_;
  std::optional<PcStacks> stacks_;
  std::vector<Record> records_;
  MemoryMap map_;
  Losses losses_;
};

}  // namespace

namespace gperftools {

Result<Profile> ReadNamedHeapText(std::string_view text, AddressNames names,
                                  const HeapTextOptions& options) {
  return HeapTextReader(text, std::move(names), options).Read();
}

}  // namespace gperftools

Result<Profile> ReadHeapText(std::string_view text, const HeapTextOptions& options) {
  return gperftools::ReadNamedHeapText(text, {}, options);
}

bool IsHeapText(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 7> kStarts{"heap profile:", "heap_v2/",  "--- contention",
                                                    "--- mutex",     "--- heapz", "--- threadz",
                                                    "--- Thread "};
  if (std::ranges::any_of(kStarts,
                          [&](std::string_view start) { return text.starts_with(start); })) {
    return true;
  }
  return text.substr(0, text.find('\n')).find(" profile: total ") != std::string_view::npos;
}

}  // namespace sonde
