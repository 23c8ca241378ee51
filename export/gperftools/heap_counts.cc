// HeapCounts: the objects that one record of a heap profile counts.

#include "export/gperftools/heap_counts.h"

#include <cmath>

#include "export/gperftools/text.h"

namespace sonde::gperftools {

bool TakeHeapCounts(std::string_view& text, HeapCounts& counts) {
  return TakeDecimal(text, counts.live) && TakeMark(text, ':') &&
         TakeDecimal(text, counts.live_bytes) && TakeMark(text, '[') &&
         TakeDecimal(text, counts.all) && TakeMark(text, ':') &&
         TakeDecimal(text, counts.all_bytes) && TakeMark(text, ']');
}

std::int64_t BlockBytesOf(const HeapCounts& counts) noexcept {
  if (counts.live > 0) return counts.live_bytes / counts.live;
  return counts.all > 0 ? counts.all_bytes / counts.all : 0;
}

std::int64_t WholeOf(double value, bool& overflowed) noexcept {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (value < kLimit && value >= -kLimit) return static_cast<std::int64_t>(value);
  overflowed = true;
  return value < 0 ? INT64_MIN : INT64_MAX;
}

Unsampled::Unsampled(std::int64_t seen, std::int64_t seen_bytes, std::int64_t rate) noexcept {
  if (seen <= 0 || seen_bytes <= 0) return;
  if (rate <= 1) {
    count = seen;
    bytes = seen_bytes;
    return;
  }
  const double average = static_cast<double>(seen_bytes) / static_cast<double>(seen);
  const double scale = 1 / -std::expm1(-average / static_cast<double>(rate));
  count = WholeOf(static_cast<double>(seen) * scale, overflowed);
  bytes = WholeOf(static_cast<double>(seen_bytes) * scale, overflowed);
}

}  // namespace sonde::gperftools
