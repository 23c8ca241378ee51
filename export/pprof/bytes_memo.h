// BytesMemo: what was made of a byte sequence, for when it occurs again.

#ifndef SONDE_EXPORT_PPROF_BYTES_MEMO_H_
#define SONDE_EXPORT_PPROF_BYTES_MEMO_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/hash_index.h"

namespace sonde::pprof {

// A cache line an entry, which holds short sequences whole: a look-up is one
// access to memory, and Prefetch hides that. Keeps the first sequences that
// come, up to a bound. Not thread-safe.
template <typename Id>
class BytesMemo {
 public:
  explicit BytesMemo(std::size_t most_entries) : most_entries_(most_entries), slots_(kFirstSize) {}

  static std::uint64_t HashOf(std::string_view bytes) noexcept { return HashBytes(bytes) | 1; }

  void Prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[SlotOf(hash)]); }

  std::optional<Id> Find(std::uint64_t hash, std::string_view bytes) const noexcept {
    for (std::size_t at = SlotOf(hash); slots_[at].hash != 0; at = (at + 1) & Mask()) {
      const Slot& slot = slots_[at];
      if (slot.hash == hash && BytesOf(slot) == bytes) return slot.id;
    }
    return std::nullopt;
  }

  // For bytes that Find does not know.
  void Keep(std::uint64_t hash, std::string_view bytes, Id id) {
    if (count_ == most_entries_ || bytes.size() > kLongest) return;
    if (++count_ * 2 > slots_.size()) Grow();
    Slot slot{.hash = hash, .length = static_cast<std::uint32_t>(bytes.size()), .id = id};
    if (bytes.size() <= kInline) {
      std::memcpy(slot.bytes, bytes.data(), bytes.size());
    } else {
      const std::uint64_t offset = stored_.size();
      std::memcpy(slot.bytes, &offset, sizeof(offset));
      stored_ += bytes;
    }
    Place(slot, slots_);
  }

 private:
  static constexpr std::size_t kFirstSize = 1 << 8;
  static constexpr std::size_t kInline = 48;
  static constexpr std::size_t kLongest = 1024;

  struct alignas(64) Slot {
    std::uint64_t hash = 0;  // 0 when free.
    std::uint32_t length = 0;
    Id id{};
    char bytes[kInline] = {};  // The sequence, or where it starts in stored_.
  };

  std::size_t Mask() const noexcept { return slots_.size() - 1; }
  std::size_t SlotOf(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash >> 20) & Mask();
  }
  std::string_view BytesOf(const Slot& slot) const noexcept {
    if (slot.length <= kInline) return {slot.bytes, slot.length};
    std::uint64_t offset = 0;
    std::memcpy(&offset, slot.bytes, sizeof(offset));
    return std::string_view(stored_).substr(static_cast<std::size_t>(offset), slot.length);
  }
  static void Place(const Slot& slot, std::vector<Slot>& slots) {
    const std::size_t mask = slots.size() - 1;
    std::size_t at = static_cast<std::size_t>(slot.hash >> 20) & mask;
    while (slots[at].hash != 0) at = (at + 1) & mask;
    slots[at] = slot;
  }
  void Grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    for (const Slot& slot : slots_) {
      if (slot.hash != 0) Place(slot, larger);
    }
    slots_ = std::move(larger);
  }

  std::size_t most_entries_;
  std::size_t count_ = 0;
  std::vector<Slot> slots_;
  std::string stored_;
};

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_BYTES_MEMO_H_
