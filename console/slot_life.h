// SlotLife: how a record is shown to the observer, and how it ends.

#ifndef SONDE_CONSOLE_SLOT_LIFE_H_
#define SONDE_CONSOLE_SLOT_LIFE_H_

#include <atomic>
#include <cstdint>

#include "console/task_registry.h"

namespace sonde {

// Gives the record its id and shows it. For the thread that took it from its pool.
template <typename Slot>
std::uint64_t Publish(Slot& slot, std::atomic<std::uint64_t>& last_id) noexcept {
  const std::uint64_t id = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
  slot.state.store(SlotHeader::kLive, std::memory_order_relaxed);
  slot.id.store(id, std::memory_order_release);
  return id;
}

// For the owner of the record, which it does not touch any more.
template <typename Slot>
void EndSlot(Slot& slot, SlotPool<Slot>& pool) noexcept {
  slot.ended_ns.store(SteadyNs(), std::memory_order_relaxed);
  if (TaskRegistry::Get().observed.load(std::memory_order_acquire)) {
    slot.state.store(SlotHeader::kEnded, std::memory_order_release);
  } else {
    pool.Retire(slot);
  }
}

}  // namespace sonde

#endif  // SONDE_CONSOLE_SLOT_LIFE_H_
