// TextHead: what a text profile of gperftools says of itself in front of its records.

#include "export/gperftools/text_head.h"

#include <algorithm>
#include <utility>

#include "export/gperftools/heap_counts.h"
#include "export/gperftools/text.h"

namespace sonde::gperftools {
namespace {

constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr double kNanosecondsPerSecond = 1e9;
constexpr std::int64_t kJavaHeapRate = 524'288;

Error Malformed(std::string message) {
  return {.code = ErrorCode::kMalformed, .message = std::move(message)};
}

}  // namespace

Status TextHead::ReadFirst(std::string_view line) {
  constexpr std::string_view kHeapMark = "heap profile:";
  constexpr std::string_view kJemallocMark = "heap_v2/";
  constexpr std::string_view kCountMark = " profile: total ";
  if (line.starts_with(kHeapMark)) return ReadHeapHead(line.substr(kHeapMark.size()));
  if (line.starts_with(kJemallocMark)) {
    kind_ = TextKind::kJemallocHeap;
    has_totals_ = true;
    std::string_view rate = line.substr(kJemallocMark.size());
    if (TakeDecimal(rate, rate_) && rate_ > 0) return {};
    return Malformed("heap_v2 without a sampling rate");
  }
  if (line.starts_with("--- contention") || line.starts_with("--- mutex")) {
    kind_ = TextKind::kContention;
    return {};
  }
  if (line.starts_with("--- heapz")) {
    kind_ = TextKind::kJavaHeap;
    rate_ = kJavaHeapRate;
    return {};
  }
  if (line.starts_with("--- threadz") || line.starts_with(kThreadMark)) {
    kind_ = TextKind::kThreads;
    return {};
  }
  const std::size_t mark = line.find(kCountMark);
  if (mark != std::string_view::npos) {
    kind_ = TextKind::kCounts;
    count_type_ = line.substr(0, mark);
    return {};
  }
  return Error{.code = ErrorCode::kUnsupported, .message = "unrecognized heap profile"};
}

// "3: 1536 [10: 5120] @ heap_v2/524288"
Status TextHead::ReadHeapHead(std::string_view rest) {
  HeapCounts totals;
  if (!TakeHeapCounts(rest, totals) || !TakeMark(rest, '@')) {
    return Malformed("broken heap profile header");
  }
  has_totals_ = totals.live != totals.all || totals.live_bytes != totals.all_bytes;
  rest = Trimmed(rest);
  const std::string_view variant = rest.substr(0, rest.find('/'));
  std::string_view number = rest.substr(std::min(variant.size() + 1, rest.size()));
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
                 .message = "unknown heap profile '" + std::string(variant) + "'"};
  }
  return {};
}

Status TextHead::ReadVariable(std::string_view line) {
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
    if (__builtin_mul_overflow(number, kNanosecondsPerMillisecond, &duration_ns_)) duration_ns_ = 0;
  } else if (key == "discarded samples" && is_number && number > 0) {
    discarded_ += static_cast<std::uint64_t>(number);
  }
  return {};
}

double TextHead::DelayOf(std::int64_t waited) const noexcept {
  const double delay = static_cast<double>(waited) * static_cast<double>(period_);
  return cycles_per_second_ > 0 ? delay * kNanosecondsPerSecond / cycles_per_second_ : delay;
}

std::vector<ValueType> TextHead::SampleTypes() const {
  switch (kind_) {
    case TextKind::kHeap:
    case TextKind::kJemallocHeap:
      if (!has_totals_) return {{"objects", "count"}, {"space", "bytes"}};
      return {{"alloc_objects", "count"},
              {"alloc_space", "bytes"},
              {"inuse_objects", "count"},
              {"inuse_space", "bytes"}};
    case TextKind::kJavaHeap:
      return {{"inuse_objects", "count"}, {"inuse_space", "bytes"}};
    case TextKind::kContention:
      return {
          {"contentions", "count"},
          {"delay", cycles_per_second_ > 0 || resolution_.empty() ? "nanoseconds" : resolution_}};
    case TextKind::kThreads:
      return {{"thread", "count"}};
    case TextKind::kCounts:
      return {{count_type_, "count"}};
  }
  return {{"samples", "count"}};
}

void TextHead::Describe(ProfileBuilder& builder) const {
  switch (kind_) {
    case TextKind::kHeap:
    case TextKind::kJemallocHeap:
      builder.SetPeriod({"space", "bytes"}, rate_);
      break;
    case TextKind::kContention:
      builder.SetPeriod({"contentions", "count"}, period_);
      break;
    case TextKind::kThreads:
    case TextKind::kCounts:
      builder.SetPeriod({SampleTypes().front().type, "count"}, 1);
      break;
    case TextKind::kJavaHeap:
      break;
  }
  builder.SetDuration(duration_ns_);
  if (discarded_ > 0) {
    builder.losses().Add("discarded by the profiled program", "samples", discarded_);
  }
}

}  // namespace sonde::gperftools
