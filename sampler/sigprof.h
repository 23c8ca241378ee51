// SignalState: the SIGPROF handler and all it may touch.

#ifndef SONDE_SAMPLER_SIGPROF_H_
#define SONDE_SAMPLER_SIGPROF_H_

#include <signal.h>

#include <atomic>
#include <cstdint>

#include "sampler/executable_ranges.h"
#include "sampler/module_registry.h"
#include "sampler/sample_ring.h"
#include "sampler/thread_slot.h"
#include "sampler/unwinder.h"

namespace sonde {

// Counters of signals that belong to no slot; several handlers may add at once.
using SharedCounter = std::atomic<std::uint64_t>;

struct SignalState {
  constexpr SignalState(ModuleRegistry& all_modules, RuleCache& rules,
                        ThreadSlots& all_slots) noexcept
      : modules(all_modules), slots(all_slots), unwinder(all_modules, rules, ranges) {}

  // The number of the run whose signals count; 0 while no Sampler runs.
  std::atomic<std::uint32_t> run{0};

  // Fixed while `run` is not 0.
  std::uint32_t max_depth = 0;
  std::uint32_t max_weight = 0;  // What one sample may stand for; more was blocked, not run here.
  std::uint64_t copied_stack_bytes = 0;  // Not 0: copy registers and stack, walk later.

  // Large, and zero until used.
  ModuleRegistry& modules;
  ThreadSlots& slots;
  StackUnwinder unwinder;

  ExecutableRanges ranges;
  SampleRing ring;

  // Not zero: the collector should look before its time. A futex.
  std::atomic<std::uint32_t> wake{0};

  std::atomic<std::uint32_t> shared_handlers{0};  // In flight, on threads without a slot.
  SharedCounter foreign{0};
  SharedCounter stale{0};
  SharedCounter catch_all_signals{0};
  SharedCounter catch_all_taken{0};
  SharedCounter catch_all_dropped{0};
  SharedCounter catch_all_blocked{0};
};

// The only one. Any thread.
SignalState& Signals() noexcept;

// Gets ready what the unwinder needs from outside the handler. Not async-signal-safe.
void PrepareUnwinder();

// The handler. Async-signal-safe.
void OnSigprof(int signal, siginfo_t* info, void* context) noexcept;

// What SIGPROF does now.
enum class SigprofOwner : std::uint8_t { kNobody, kUs, kSomebodyElse };
// Not async-signal-safe.
SigprofOwner FindSigprofOwner() noexcept;
// Installs the handler; 0 or an errno. It stays for ever. Not async-signal-safe.
int InstallSigprofHandler() noexcept;

}  // namespace sonde

#endif  // SONDE_SAMPLER_SIGPROF_H_
