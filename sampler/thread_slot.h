// ThreadSlot: what the handler and the collector know of one thread.

#ifndef SONDE_SAMPLER_THREAD_SLOT_H_
#define SONDE_SAMPLER_THREAD_SLOT_H_

#include <atomic>
#include <cstdint>

#include "sampler/stack_reader.h"

namespace sonde {

// Written by the thread itself, read by handlers that interrupt it.
struct ThreadContext {
  std::atomic<std::uint64_t> task_id{0};
  std::atomic<std::uint32_t> label_set{0};
};

// Written by the handlers of one thread, which never overlap; read by anybody.
class HandlerCounter {
 public:
  void Add(std::uint64_t amount) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }
  void Reset() noexcept { value_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct alignas(64) ThreadSlot {
  enum class Timing : std::uint8_t {
    kNone,  // No timer: none runs, or the kernel refused it.
    kTimed,
    kExcluded,  // One of the profiler's own threads.
  };

  ThreadContext context;
  std::atomic<std::int32_t> tid{0};
  std::atomic<std::uint32_t> generation{0};
  std::atomic<Timing> timing{Timing::kNone};
  std::atomic<bool> in_handler{false};

  // Handlers of the thread only.
  StackRange stack;
  HandlerCounter signals;
  HandlerCounter taken;    // Weight.
  HandlerCounter dropped;  // Weight that found the ring full.
  HandlerCounter blocked;  // Weight beyond what one sample may stand for.

  // Of signals that ask for a stack while wall-clock time is sampled.
  HandlerCounter answers;
  std::atomic<std::uint64_t> answered_cpu_ns{0};  // The thread's CPU time after the last one.
};

// Slots by index and by thread id, readable without a lock. Memory of slots is never
// given back, so a late handler finds what it looks for. Static storage only.
class ThreadSlots {
 public:
  static constexpr std::uint32_t kChunk = 256;
  static constexpr std::uint32_t kCapacity = 1 << 14;
  static constexpr std::uint32_t kThreadIds = 1 << 22;  // The kernel's PID_MAX_LIMIT.

  // Null for an index that was never added. Async-signal-safe.
  ThreadSlot* At(std::uint32_t index) const noexcept {
    if (index >= kCapacity) return nullptr;
    ThreadSlot* chunk = chunks_[index / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : chunk + index % kChunk;
  }

  // The slot of a thread, or null. Async-signal-safe.
  ThreadSlot* Of(std::int32_t tid) const noexcept {
    const std::atomic<std::uint16_t>* by_id = by_id_.load(std::memory_order_acquire);
    if (by_id == nullptr || tid <= 0 || static_cast<std::uint32_t>(tid) >= kThreadIds) {
      return nullptr;
    }
    const std::uint32_t entry = by_id[tid].load(std::memory_order_acquire);
    return entry == 0 ? nullptr : At(entry - 1);
  }

  // The registry only, under its lock. False without memory.
  bool Reserve(std::uint32_t index) noexcept;
  void SetIndex(std::int32_t tid, std::uint32_t index) noexcept {
    by_id_.load(std::memory_order_relaxed)[tid].store(static_cast<std::uint16_t>(index + 1),
                                                      std::memory_order_release);
  }
  void ClearIndex(std::int32_t tid) noexcept {
    by_id_.load(std::memory_order_relaxed)[tid].store(0, std::memory_order_release);
  }

 private:
  std::atomic<ThreadSlot*> chunks_[kCapacity / kChunk] = {};
  std::atomic<std::atomic<std::uint16_t>*> by_id_{nullptr};  // 8 MiB reserved, touched sparsely.
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_THREAD_SLOT_H_
