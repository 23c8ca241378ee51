// Heap text: reads the text profiles of tcmalloc and of runtimes that took over its format.

#include "sonde/heap_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "export/gperftools/heap_counts.h"
#include "export/gperftools/heap_text.h"
#include "export/gperftools/java_names.h"
#include "export/gperftools/memory_map.h"
#include "export/gperftools/pc_stacks.h"
#include "export/gperftools/text.h"
#include "export/gperftools/text_head.h"
#include "export/limit_guard.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

using namespace gperftools;

constexpr std::uint64_t kRecordsBetweenLooks = 1 << 14;

// One record, its values still as written.
struct Record {
  std::vector<std::int64_t> values;
  std::size_t stack = 0;
  std::int64_t block_bytes = 0;  // Of one object; 0 when it has none.
};

bool IsMapHeader(std::string_view line) {
  return line.starts_with("MAPPED_LIBRARIES") || line.starts_with("--- Memory map");
}

class HeapTextReader {
 public:
  HeapTextReader(std::string_view text, AddressNames names, const HeapTextOptions& options)
      : text_(text), options_(options), names_(std::move(names)) {}

  Result<Profile> Read() {
    if (Status status = ReadHead(); !status.ok()) return InLine(status.error());
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

  Status ReadHead() {
    std::string_view line;
    while (line.empty() && !text_.empty()) line = Trimmed(NextLine());
    in_thread_ = line.starts_with(kThreadMark);
    return head_.ReadFirst(line);
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
      if (line.starts_with("heap profile:")) {
        return Error{.code = ErrorCode::kMalformed,
                     .message = "another profile stands behind the first"};
      }
      map_.AddLine(line);
      return {};
    }
    switch (head_.kind()) {
      case TextKind::kHeap:
        return ReadHeapRecord(line);
      case TextKind::kJemallocHeap:
        return ReadJemallocLine(line);
      case TextKind::kJavaHeap:
      case TextKind::kContention:
        return ReadTimedRecord(line);
      case TextKind::kThreads:
        return ReadThreadLine(line);
      case TextKind::kCounts:
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
    if (std::min({counts.live, counts.live_bytes, counts.all, counts.all_bytes}) < 0) {
      return Refuse("negative count");
    }
    const std::int64_t block = BlockBytesOf(counts);
    const Unsampled live(counts.live, counts.live_bytes, head_.rate());
    NoteOverflow(live.overflowed);
    if (!head_.has_totals()) return AddRecord({live.count, live.bytes}, block, addresses);
    const Unsampled all(counts.all, counts.all_bytes, head_.rate());
    NoteOverflow(all.overflowed);
    return AddRecord({all.count, all.bytes, live.count, live.bytes}, block, addresses);
  }

  void NoteOverflow(bool overflowed) {
    if (overflowed) losses_.Add("value overflow", "samples", 1);
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

  // "waited count @ addresses", or for Java heaps "bytes count @ addresses".
  Status ReadTimedRecord(std::string_view line) {
    if (IsVariable(line)) return head_.ReadVariable(line);
    if (head_.is_java() && TakeJavaName(line, Stacks())) return {};
    std::int64_t amount = 0;
    std::int64_t count = 0;
    if (!TakeDecimal(line, amount) || !TakeDecimal(line, count) || !TakeMark(line, '@')) {
      return Refuse("bad record");
    }
    if (amount < 0 || count < 0) return Refuse("negative count");
    if (head_.kind() == TextKind::kJavaHeap) {
      const Unsampled scaled(count, amount, head_.rate());
      NoteOverflow(scaled.overflowed);
      return AddRecord({scaled.count, scaled.bytes}, count > 0 ? amount / count : 0, line);
    }
    bool overflowed = false;
    std::int64_t waits = 0;
    if (__builtin_mul_overflow(count, head_.period(), &waits)) {
      waits = INT64_MAX;
      overflowed = true;
    }
    const std::int64_t delay = WholeOf(head_.DelayOf(amount), overflowed);
    NoteOverflow(overflowed);
    return AddRecord({waits, delay}, 0, line);
  }

  // "--- Thread 7f12 (name: main/12) stack: ---", then frames, each with an address.
  Status ReadThreadLine(std::string_view line) {
    if (line.starts_with("---")) {
      if (Status status = EndThread(); !status.ok()) return status;
      in_thread_ = line.starts_with(kThreadMark);
      return {};
    }
    if (!in_thread_) return {};
    if (line.find("same as previous thread") != std::string_view::npos) {
      in_thread_ = false;
      if (records_.empty() || !addresses_.empty()) {
        addresses_.clear();
        return Refuse("no thread before it");
      }
      ++records_.back().values.front();
      ++count_;
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
    if (count < 0) return Refuse("negative count");
    return AddRecord({count}, 0, line);
  }

  PcStacks& Stacks() {
    if (!stacks_.has_value()) {
      stacks_.emplace(head_.is_java()                      ? ReturnAddresses::kNone
                      : head_.kind() == TextKind::kThreads ? ReturnAddresses::kCallers
                                                           : ReturnAddresses::kAll);
      stacks_->names() = std::move(names_);
    }
    return *stacks_;
  }

  Result<Profile> Finish() {
    if (head_.kind() == TextKind::kThreads) {
      if (Status status = EndThread(); !status.ok()) return status.error();
    }
    ProfileBuilder builder(head_.SampleTypes());
    LimitGuard guard(options_.limits, builder, options_.stop);
    head_.Describe(builder);
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
      // Of threads each is a record; what was allocated or waited for does not tell its samples.
      std::optional<std::uint64_t> records;
      if (head_.kind() == TextKind::kThreads) {
        records = static_cast<std::uint64_t>(record.values.front());
      }
      builder.AddSample(stack, labels, record.values, records);
    }
    builder.losses().Add(losses_);
    return std::move(builder).Build();
  }

  std::string_view text_;
  const HeapTextOptions& options_;
  AddressNames names_;
  std::uint64_t line_number_ = 0;
  std::uint64_t count_ = 0;

  TextHead head_;
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
