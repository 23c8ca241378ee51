// HashIndex: finds the number of an entry, kept elsewhere, by the hash of its key.

#ifndef SONDE_HASH_INDEX_H_
#define SONDE_HASH_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace sonde {

// For tables whose entries have numbers: sixteen bytes an entry at most, open
// addressing. Not thread-safe.
class HashIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  HashIndex() : slots_(kFirstSize) {}

  // The entry with that hash for which `equal(number)` holds, or kNone.
  template <typename Equal>
  std::uint32_t Find(std::uint64_t hash, Equal&& equal) const {
    const std::uint32_t tag = TagOf(hash);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = tag & mask; slots_[slot].number != kNone; slot = (slot + 1) & mask) {
      if (slots_[slot].tag == tag && equal(slots_[slot].number)) return slots_[slot].number;
    }
    return kNone;
  }

  // `number` is not kNone, and its key is not there yet.
  void Add(std::uint64_t hash, std::uint32_t number) {
    if ((count_ + 1) * 2 > slots_.size()) Grow();
    ++count_;
    Place({TagOf(hash), number}, slots_);
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t number = kNone;
  };
  static constexpr std::size_t kFirstSize = 256;

  static std::uint32_t TagOf(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }
  static void Place(const Slot& entry, std::vector<Slot>& slots) {
    const std::size_t mask = slots.size() - 1;
    std::size_t slot = entry.tag & mask;
    while (slots[slot].number != kNone) slot = (slot + 1) & mask;
    slots[slot] = entry;
  }
  void Grow() {
    std::vector<Slot> larger(slots_.size() * 2);
    for (const Slot& entry : slots_) {
      if (entry.number != kNone) Place(entry, larger);
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

inline std::uint64_t MixHash(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a ^ 0x9e37'79b9'7f4a'7c15U} * (b ^ 0xd1b5'4a32'd192'ed03U);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Sixteen bytes a multiplication.
inline std::uint64_t HashBytes(std::string_view bytes) noexcept {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = left;
  std::uint64_t words[2];
  for (; left > 16; left -= 16, at += 16) {
    std::memcpy(words, at, 16);
    hash = MixHash(words[0] ^ hash, words[1]);
  }
  words[0] = words[1] = 0;
  if (left > 0) std::memcpy(words, at, left);
  return MixHash(words[0] ^ hash, words[1]);
}

}  // namespace sonde

#endif  // SONDE_HASH_INDEX_H_
