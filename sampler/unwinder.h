// StackUnwinder: walks from an interrupted instruction to the root of its stack.

#ifndef SONDE_SAMPLER_UNWINDER_H_
#define SONDE_SAMPLER_UNWINDER_H_

#include <ucontext.h>

#include <cstdint>

#include "sampler/executable_ranges.h"
#include "sampler/module_registry.h"
#include "sampler/raw_sample.h"
#include "sampler/rule_cache.h"
#include "sampler/stack_reader.h"

namespace sonde {

struct UnwoundStack {
  std::uint32_t depth = 0;
  Truncation truncation = Truncation::kNone;
};

// Follows the .eh_frame tables of the modules. Frames that need no more than rip, rsp and
// rbp go by a remembered rule; a stack with another one is walked again from its leaf with
// all registers. Keeps no state of a walk, so any number of handlers may use one.
class StackUnwinder {
 public:
  constexpr StackUnwinder(ModuleRegistry& modules, RuleCache& rules,
                          ExecutableRanges& ranges) noexcept
      : modules_(modules), rules_(rules), ranges_(ranges) {}

  // What a function started by makecontext returns to. It has no tables: it is the root of its
  // stack. Call before the first walk. Not async-signal-safe.
  void SetFiberRoot(std::uint64_t address) noexcept { fiber_root_ = address; }

  // Writes at most `capacity` frames, from the leaf. `range` is what is known of the
  // stack of the thread. Async-signal-safe: no lock, no allocation, no thread storage, and no
  // system call but for pages and code seen for the first time.
  UnwoundStack Unwind(const ucontext_t& context, StackRange& range, PackedFrame* frames,
                      std::uint32_t capacity) noexcept;

 private:
  class Walk;
  class ShortWalk;
  class FullWalk;

  // Not inlined: its registers would lie on the stack of every sample.
  [[gnu::noinline]] UnwoundStack UnwindFully(const ucontext_t& context, StackRange& range,
                                             PackedFrame* frames, std::uint32_t capacity) noexcept;

  ModuleRegistry& modules_;
  RuleCache& rules_;
  ExecutableRanges& ranges_;
  std::uint64_t fiber_root_ = 0;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_UNWINDER_H_
