// Heap profiles of the running process, where it allocates through tcmalloc.

#ifndef SONDE_HEAP_H_
#define SONDE_HEAP_H_

#include <cstdint>
#include <functional>
#include <string>

#include "sonde/profile_builder.h"
#include "sonde/result.h"

namespace sonde {

enum class HeapKind : std::uint8_t {
  kInUse,   // Memory that is allocated now, sampled: needs TCMALLOC_SAMPLE_PARAMETER at start.
  kGrowth,  // Where the heap was made larger.
};

struct HeapProfile {
  ProfileBuilder profile;     // Not built yet, so that who asked for it may add to it.
  std::uint64_t objects = 0;  // In use, or the times that the heap grew.
  std::string text{};         // What it was made of, in gperftools' own format.
};

// Where heap profiles come from; empty when the program has none to give.
using HeapSource = std::function<Result<HeapProfile>(HeapKind)>;

// A HeapSource over tcmalloc, from the target sonde::heap: SessionOptions{.heap =
// &sonde::ReadTcmallocHeap}. Functions are named, values scaled up to what was allocated.
// kUnsupported when the process does not run on tcmalloc, or when it does not
// sample (kInUse). Any thread. Not async-signal-safe.
Result<HeapProfile> ReadTcmallocHeap(HeapKind kind);

}  // namespace sonde

#endif  // SONDE_HEAP_H_
