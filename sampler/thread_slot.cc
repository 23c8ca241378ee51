// ThreadSlots: see thread_slot.h.

#include "sampler/thread_slot.h"

#include <sys/mman.h>

#include <new>

namespace sonde {
namespace {

void* Map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

bool ThreadSlots::Reserve(std::uint32_t index) noexcept {
  if (index >= kCapacity) return false;
  if (by_id_.load(std::memory_order_relaxed) == nullptr) {
    void* memory = Map(kThreadIds * sizeof(std::atomic<std::uint16_t>));
    if (memory == nullptr) return false;
    by_id_.store(static_cast<std::atomic<std::uint16_t>*>(memory), std::memory_order_release);
  }
  std::atomic<ThreadSlot*>& chunk = chunks_[index / kChunk];
  if (chunk.load(std::memory_order_relaxed) == nullptr) {
    void* memory = Map(kChunk * sizeof(ThreadSlot));
    if (memory == nullptr) return false;
    chunk.store(new (memory) ThreadSlot[kChunk], std::memory_order_release);
  }
  return true;
}

}  // namespace sonde
