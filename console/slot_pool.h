// SlotPool: a bounded store of records with stable addresses, taken and given back without a lock.

#ifndef SONDE_CONSOLE_SLOT_POOL_H_
#define SONDE_CONSOLE_SLOT_POOL_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace sonde {

// What every record of a SlotPool begins with.
//
// A record is named by its address and its id. `id` is 0 while the record belongs to no one, so
// whoever holds an old name finds out, and `pins` counts those who look at it right now: a record
// goes back to the pool only when its id is 0 and nobody has it pinned.
struct SlotHeader {
  enum State : std::uint32_t {
    kFree,     // In the free list.
    kFilling,  // Its creator writes it.
    kLive,
    kEnded,  // Kept for those who watch.
    kLimbo,  // Given back as soon as the last pin is gone.
  };
  std::atomic<std::uint64_t> id{0};
  std::atomic<std::uint32_t> state{kFree};
  std::atomic<std::uint32_t> pins{0};
  std::atomic<std::uint32_t> next_free{0};  // Index + 1 of the next free record.
  std::uint32_t index = 0;
};

// `Slot` derives from SlotHeader. Memory grows in chunks up to the ceiling and is kept.
// All functions may be called from any thread.
template <typename Slot>
class SlotPool {
 public:
  static constexpr std::uint32_t kChunkSlots = 256;
  static constexpr std::uint32_t kMaxSlots = 4096 * kChunkSlots;

  constexpr explicit SlotPool(std::uint32_t ceiling) : ceiling_(ceiling) {}

  // A record in state kFilling, or null when the ceiling is reached or memory is out; that is
  // counted in dropped().
  Slot* Take() noexcept {
    Slot* slot = nullptr;
    if (in_use_.fetch_add(1, std::memory_order_relaxed) < ceiling()) {
      slot = PopFree();
      if (slot == nullptr) slot = Grow();
    }
    if (slot == nullptr) {
      in_use_.fetch_sub(1, std::memory_order_relaxed);
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    slot->state.store(SlotHeader::kFilling, std::memory_order_relaxed);
    return slot;
  }

  // Gives up a record that is kLive, kEnded or kFilling. It can be taken again once nobody has it
  // pinned.
  void Retire(Slot& slot) noexcept {
    slot.id.store(0, std::memory_order_seq_cst);
    slot.state.store(SlotHeader::kLimbo, std::memory_order_seq_cst);
    if (slot.pins.load(std::memory_order_seq_cst) == 0) PushFree(slot);
  }

  // True when `slot` is still called `id`; then it stays so until Unpin.
  static bool Pin(Slot& slot, std::uint64_t id, SlotPool& pool) noexcept {
    slot.pins.fetch_add(1, std::memory_order_seq_cst);
    if (slot.id.load(std::memory_order_seq_cst) == id) return true;
    pool.Unpin(slot);
    return false;
  }
  void Unpin(Slot& slot) noexcept {
    if (slot.pins.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
        slot.state.load(std::memory_order_seq_cst) == SlotHeader::kLimbo) {
      PushFree(slot);
    }
  }

  // Records ever taken have an index below it.
  std::uint32_t high() const noexcept {
    return std::min(high_.load(std::memory_order_acquire), kMaxSlots);
  }
  Slot& At(std::uint32_t index) noexcept {
    return chunks_[index / kChunkSlots].load(std::memory_order_acquire)[index % kChunkSlots];
  }

  void SetCeiling(std::uint32_t ceiling) noexcept {
    ceiling_.store(std::min(ceiling, kMaxSlots), std::memory_order_relaxed);
  }
  std::uint32_t ceiling() const noexcept { return ceiling_.load(std::memory_order_relaxed); }
  std::uint32_t in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }
  // Records that could not be had, since the start of the process.
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  std::size_t bytes() const noexcept {
    const std::size_t slots = high_.load(std::memory_order_relaxed);
    return (slots + kChunkSlots - 1) / kChunkSlots * kChunkSlots * sizeof(Slot);
  }

 private:
  static constexpr std::uint64_t kIndexMask = 0xffff'ffff;

  // The head counts its changes in the upper half, so that a head which was taken and put back
  // meanwhile is not mistaken for an unchanged one.
  Slot* PopFree() noexcept {
    std::uint64_t head = free_.load(std::memory_order_acquire);
    while ((head & kIndexMask) != 0) {
      Slot& slot = At(static_cast<std::uint32_t>(head & kIndexMask) - 1);
      const std::uint64_t next = slot.next_free.load(std::memory_order_relaxed);
      const std::uint64_t wanted = ((head >> 32) + 1) << 32 | next;
      if (free_.compare_exchange_weak(head, wanted, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return &slot;
      }
    }
    return nullptr;
  }

  void PushFree(Slot& slot) noexcept {
    // The one that retires and the last one that unpins may both come here.
    std::uint32_t limbo = SlotHeader::kLimbo;
    if (!slot.state.compare_exchange_strong(limbo, SlotHeader::kFree)) return;
    std::uint64_t head = free_.load(std::memory_order_relaxed);
    std::uint64_t wanted = 0;
    do {
      slot.next_free.store(static_cast<std::uint32_t>(head & kIndexMask),
                           std::memory_order_relaxed);
      wanted = ((head >> 32) + 1) << 32 | (slot.index + 1);
    } while (!free_.compare_exchange_weak(head, wanted, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    in_use_.fetch_sub(1, std::memory_order_relaxed);
  }

  Slot* Grow() noexcept {
    std::uint32_t index = high_.load(std::memory_order_relaxed);
    do {
      if (index >= kMaxSlots) return nullptr;
      if (!HasChunk(index / kChunkSlots)) return nullptr;
    } while (!high_.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));
    return &At(index);
  }

  bool HasChunk(std::uint32_t chunk) noexcept {
    if (chunks_[chunk].load(std::memory_order_acquire) != nullptr) return true;
    Slot* const made = new (std::nothrow) Slot[kChunkSlots];
    if (made == nullptr) return false;
    for (std::uint32_t i = 0; i < kChunkSlots; ++i) made[i].index = chunk * kChunkSlots + i;
    Slot* expected = nullptr;
    if (!chunks_[chunk].compare_exchange_strong(expected, made, std::memory_order_acq_rel)) {
      delete[] made;
    }
    return true;
  }

  std::atomic<std::uint64_t> free_{0};
  std::atomic<std::uint32_t> high_{0};
  std::atomic<std::uint32_t> ceiling_;
  std::atomic<std::uint32_t> in_use_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::array<std::atomic<Slot*>, kMaxSlots / kChunkSlots> chunks_{};
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_SLOT_POOL_H_
