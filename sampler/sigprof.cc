// SignalState: see sigprof.h. OnSigprof is the handler.

#include "sampler/sigprof.h"

#include <sys/prctl.h>
#include <ucontext.h>

#include <ctime>

#include "sampler/context_registers.h"
#include "sampler/raw_syscall.h"
#include "sampler/timer_value.h"

namespace sonde {
namespace {

constexpr int kFutexWakePrivate = 1 | 128;

constinit ModuleRegistry modules;
constinit RuleCache rules;
constinit ThreadSlots slots;
constinit SignalState state(modules, rules, slots);

void WakeCollector() {
  state.wake.store(1, std::memory_order_relaxed);
  RawSyscall(SYS_futex, reinterpret_cast<long>(&state.wake), kFutexWakePrivate, 1);
}

// The weight of a signal, and what of it is beyond belief.
struct Weight {
  std::uint32_t sample;
  std::uint32_t blocked;
};

Weight WeightOf(const siginfo_t& info, std::uint32_t unit) {
  const std::uint64_t overrun =
      info.si_overrun > 0 ? static_cast<std::uint64_t>(info.si_overrun) : 0;
  const std::uint64_t all = (1 + overrun) * unit;
  const std::uint64_t most = state.max_weight > unit ? state.max_weight : unit;
  const std::uint64_t kept = all < most ? all : most;
  return {static_cast<std::uint32_t>(kept), static_cast<std::uint32_t>(all - kept)};
}

// Lists the modules that words of the stack point into, while they are loaded: when the stack
// is walked, another file may be at their address.
class ModuleList {
 public:
  explicit ModuleList(CopiedStack& copied) : copied_(copied) {}

  void Add(std::uint64_t word) {
    constexpr std::uint64_t kLowest = 4096;
    constexpr std::uint64_t kHighest = std::uint64_t{1} << 47;
    if (word < kLowest || word >= kHighest || count_ == CopiedStack::kModules) return;
    for (std::uint32_t i = count_; i-- > 0;) {
      if (state.modules.At(copied_.modules[i] - 1U).Holds(word)) return;
    }
    const std::uint32_t module = state.modules.FindAnything(word);
    if (module == ModuleRegistry::kNone) return;
    copied_.modules[count_++] = static_cast<std::uint16_t>(module + 1);
  }

 private:
  CopiedStack& copied_;
  std::uint32_t count_ = 0;
};

// Copies the registers and as much stack as there is, up to the limit. Not inlined: its
// registers would lie on the stack of every sample.
[[gnu::noinline]] bool SampleDeferred(const ucontext_t& context, StackRange& stack,
                                      RawSample& sample) {
  constexpr std::uint64_t kPage = 4096;
  CopiedStack copied;
  for (int reg = 0; reg < kRegisterCount; ++reg)
    copied.registers[reg] = ContextRegister(context, reg);
  ModuleList list(copied);
  list.Add(copied.registers[kReturnAddress]);

  const std::uint64_t begin = copied.registers[kRsp] & ~std::uint64_t{7};
  const std::uint64_t limit = begin + state.copied_stack_bytes;
  StackReader reader(stack, begin);
  std::uint64_t end = begin;
  while (end < limit) {
    const std::uint64_t page_end = (end & ~(kPage - 1)) + kPage;
    const std::uint64_t next = page_end < limit ? page_end : limit;
    std::uint64_t word = 0;
    if (!reader.Read(next - 8, word)) break;
    for (; end < next; end += 8) {
      reader.Read(end, word);
      if (word < begin || word >= limit) list.Add(word);
    }
  }
  const std::uint64_t words = (end - begin) / 8;
  sample.copied_words = static_cast<std::uint32_t>(kCopiedHeadWords + words);
  bool half_full = false;
  const bool written = state.ring.WriteWords(
      sample, reinterpret_cast<const std::uint64_t*>(&copied), kCopiedHeadWords,
      reinterpret_cast<const std::uint64_t*>(begin), words, half_full);
  if (half_full) WakeCollector();
  return written;
}

// False when the ring is full.
bool Sample(const ucontext_t& context, StackRange& stack, RawSample& sample) {
  if (state.copied_stack_bytes != 0) return SampleDeferred(context, stack, sample);
  PackedFrame frames[kDeepestStack];
  const UnwoundStack unwound = state.unwinder.Unwind(context, stack, frames, state.max_depth);
  sample.depth = static_cast<std::uint16_t>(unwound.depth);
  sample.truncation = unwound.truncation;
  bool half_full = false;
  const bool written = state.ring.Write(sample, frames, half_full);
  if (half_full) WakeCollector();
  return written;
}

// Hands `take` the slot that the signal is for and a sample that says whose it is, unless the
// signal came too late.
template <typename Take>
[[gnu::always_inline]] inline void ForSlot(TimerValue value, Take&& take) {
  ThreadSlot* slot = state.slots.At(value.operand());
  if (slot == nullptr) {
    state.stale.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // Sequentially consistent with the end of a run: either it sees this handler, or this
  // handler sees that the run ended.
  slot->in_handler.store(true, std::memory_order_seq_cst);
  if (state.run.load(std::memory_order_seq_cst) == 0 ||
      slot->generation.load(std::memory_order_relaxed) != value.generation()) {
    state.stale.fetch_add(1, std::memory_order_relaxed);
  } else {
    RawSample sample;
    sample.tid = static_cast<std::uint32_t>(slot->tid.load(std::memory_order_relaxed));
    sample.label_set = slot->context.label_set.load(std::memory_order_relaxed);
    sample.task_id = slot->context.task_id.load(std::memory_order_relaxed);
    take(*slot, sample);
  }
  slot->in_handler.store(false, std::memory_order_release);
}

void OnThreadTimer(TimerValue value, const siginfo_t& info, const ucontext_t& context) {
  ForSlot(value, [&](ThreadSlot& slot, RawSample& sample) {
    const Weight weight = WeightOf(info, 1);
    sample.weight = weight.sample;
    const bool written = Sample(context, slot.stack, sample);
    slot.signals.Add(1);
    slot.taken.Add(weight.sample);
    slot.blocked.Add(weight.blocked);
    if (!written) slot.dropped.Add(weight.sample);
  });
}

// The collector asks where this thread is, for its account of wall-clock time.
void OnWall(TimerValue value, const ucontext_t& context) {
  ForSlot(value, [&](ThreadSlot& slot, RawSample& sample) {
    sample.source = SampleSource::kWall;
    Sample(context, slot.stack, sample);
    timespec cpu{};
    RawSyscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, reinterpret_cast<long>(&cpu));
    slot.answered_cpu_ns.store(static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000 +
                                   static_cast<std::uint64_t>(cpu.tv_nsec),
                               std::memory_order_relaxed);
    slot.answers.Add(1);
  });
}

// The process-wide timer hit this thread. It counts when the thread has no timer of its own.
void OnCatchAll(TimerValue value, const siginfo_t& info, const ucontext_t& context) {
  const auto tid = static_cast<std::int32_t>(RawSyscall(SYS_gettid));
  const ThreadSlot* slot = state.slots.Of(tid);
  if (slot != nullptr &&
      slot->timing.load(std::memory_order_relaxed) != ThreadSlot::Timing::kNone) {
    return;
  }
  state.shared_handlers.fetch_add(1, std::memory_order_seq_cst);
  if (state.run.load(std::memory_order_seq_cst) != value.generation()) {
    state.stale.fetch_add(1, std::memory_order_relaxed);
  } else {
    const Weight weight = WeightOf(info, value.operand());
    RawSample sample;
    sample.tid = static_cast<std::uint32_t>(tid);
    sample.source = SampleSource::kCatchAll;
    sample.weight = weight.sample;
    if (slot != nullptr) {
      sample.label_set = slot->context.label_set.load(std::memory_order_relaxed);
      sample.task_id = slot->context.task_id.load(std::memory_order_relaxed);
    }
    RawSyscall(SYS_prctl, PR_GET_NAME, reinterpret_cast<long>(sample.name));
    StackRange stack;
    const bool written = Sample(context, stack, sample);
    state.catch_all_signals.fetch_add(1, std::memory_order_relaxed);
    state.catch_all_taken.fetch_add(weight.sample, std::memory_order_relaxed);
    state.catch_all_blocked.fetch_add(weight.blocked, std::memory_order_relaxed);
    if (!written) state.catch_all_dropped.fetch_add(weight.sample, std::memory_order_relaxed);
  }
  state.shared_handlers.fetch_sub(1, std::memory_order_release);
}

}  // namespace

void OnSigprof(int, siginfo_t* info, void* context) noexcept {
  const TimerValue value(info->si_value.sival_ptr);
  if (info->si_code != SI_TIMER || !value.IsOurs()) {
    // There was no handler before ours, so there is none to pass it on to.
    state.foreign.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (value.kind() == TimerValue::kThread) {
    OnThreadTimer(value, *info, *static_cast<const ucontext_t*>(context));
  } else if (value.kind() == TimerValue::kCatchAll) {
    OnCatchAll(value, *info, *static_cast<const ucontext_t*>(context));
  } else if (value.kind() == TimerValue::kWall) {
    OnWall(value, *static_cast<const ucontext_t*>(context));
  }
}

SignalState& Signals() noexcept { return state; }

}  // namespace sonde
