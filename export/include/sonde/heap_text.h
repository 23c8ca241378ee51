// Heap text: reads the text profiles of tcmalloc and of runtimes that took over its format.
// Format: https://github.com/gperftools/gperftools/blob/master/docs/heapprofile.adoc

#ifndef SONDE_HEAP_TEXT_H_
#define SONDE_HEAP_TEXT_H_

#include <stop_token>
#include <string_view>

#include "sonde/profile.h"
#include "sonde/read_limits.h"
#include "sonde/result.h"

namespace sonde {

struct HeapTextOptions {
  ReadLimits limits{};
  // Lines that do not fit are an error rather than a loss.
  bool strict = false;
  // Asked to, the reading ends with kTimeout.
  std::stop_token stop{};
};

// Heap ("heap profile: ... @ heapprofile", "heap_v2/RATE"), growth, contention,
// thread and Go count profiles, with the memory map behind them. Sampled heap
// profiles are scaled up to what was allocated: an object of s bytes was seen
// with probability 1 - exp(-s / rate). Addresses are those of the calls, not of the returns. Errors: kUnsupported for other text, kMalformed, kLimit. Any thread.
Result<Profile> ReadHeapText(std::string_view text, const HeapTextOptions& options = {});

// Whether `text` starts like one of them.
bool IsHeapText(std::string_view text) noexcept;

}  // namespace sonde

#endif  // SONDE_HEAP_TEXT_H_
