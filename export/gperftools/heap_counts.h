// HeapCounts: the objects that one record of a heap profile counts.

#ifndef SONDE_EXPORT_GPERFTOOLS_HEAP_COUNTS_H_
#define SONDE_EXPORT_GPERFTOOLS_HEAP_COUNTS_H_

#include <cstdint>
#include <string_view>

namespace sonde::gperftools {

struct HeapCounts {
  std::int64_t live = 0;
  std::int64_t live_bytes = 0;
  std::int64_t all = 0;  // Those that were freed as well.
  std::int64_t all_bytes = 0;
};

// Takes "live: bytes [all: bytes]"; false when it is none.
bool TakeHeapCounts(std::string_view& text, HeapCounts& counts);

// The size of one object, 0 when there is none.
std::int64_t BlockBytesOf(const HeapCounts& counts) noexcept;

// What was allocated. What does not fit into 64 bits stays at the limit.
struct Unsampled {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  bool overflowed = false;

  // Given what a sampler that takes each byte with probability 1 / `rate` has seen.
  Unsampled(std::int64_t seen, std::int64_t seen_bytes, std::int64_t rate) noexcept;
};

// `value` without its fraction; sets `overflowed` when it stays at a limit.
std::int64_t WholeOf(double value, bool& overflowed) noexcept;

}  // namespace sonde::gperftools

#endif  // SONDE_EXPORT_GPERFTOOLS_HEAP_COUNTS_H_
