// RecentTexts: the numbers of texts that were looked up lately.

#ifndef SONDE_EXPORT_RECENT_TEXTS_H_
#define SONDE_EXPORT_RECENT_TEXTS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "sonde/hash_index.h"

namespace sonde {

// Knows parts of one large text by their bytes, in a table that grows up to a bound: of those whose
// hashes fall together, the oldest is forgotten. Sixteen bytes a place. Not thread-safe.
class RecentTexts {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  // Longer texts are not remembered.
  static constexpr std::size_t kLongest = UINT32_MAX;

  // Everything added is a part of `whole`, which outlives the table and is smaller than 2^48
  // bytes. There will be places for about `most` texts.
  RecentTexts(std::string_view whole, std::size_t most)
      : whole_(whole.data()),
        most_buckets_(std::bit_ceil(std::max(most / kPlacesOfABucket, kFewestBuckets))),
        buckets_(kFewestBuckets) {}

  // The number that was added with `text`, whose HashBytes is given, or kNone.
  std::uint32_t Find(std::uint64_t hash, std::string_view text) const noexcept {
    for (const Entry& place : buckets_[BucketOf(hash)]) {
      if (place.number != kNone && place.tag == TagOf(hash) && place.size == text.size() &&
          std::memcmp(whole_ + place.offset, text.data(), text.size()) == 0) {
        return place.number;
      }
    }
    return kNone;
  }

  // Gives back the memory, and knows nothing from then on.
  void Forget() { buckets_ = std::vector<Bucket>(kFewestBuckets); }

  // `number` is not kNone, and the text is not there yet.
  void Add(std::uint64_t hash, std::string_view text, std::uint32_t number) {
    if (text.size() > kLongest) return;
    if (count_ >= buckets_.size() * kPlacesOfABucket / 2 && buckets_.size() < most_buckets_) Grow();
    ++count_;
    Place({static_cast<std::uint64_t>(text.data() - whole_) & kOffsetMask, TagOf(hash),
           static_cast<std::uint32_t>(text.size()), number},
          hash);
  }

 private:
  static constexpr std::size_t kPlacesOfABucket = 4;
  static constexpr std::size_t kFewestBuckets = 16;
  static constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << 48) - 1;
  struct Entry {
    std::uint64_t offset : 48 = 0;
    std::uint64_t tag : 16 = 0;
    std::uint32_t size = 0;
    std::uint32_t number = kNone;
  };
  using Bucket = std::array<Entry, kPlacesOfABucket>;

  static std::uint16_t TagOf(std::uint64_t hash) noexcept {
    return static_cast<std::uint16_t>(hash >> 48);
  }
  std::size_t BucketOf(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash) & (buckets_.size() - 1);
  }

  void Place(const Entry& entry, std::uint64_t hash) noexcept {
    Bucket& bucket = buckets_[BucketOf(hash)];
    std::move_backward(bucket.begin(), bucket.end() - 1, bucket.end());
    bucket.front() = entry;
  }
  void Grow() {
    const std::vector<Bucket> smaller =
        std::exchange(buckets_, std::vector<Bucket>(buckets_.size() * 2));
    for (const Bucket& bucket : smaller) {
      for (auto entry = bucket.rbegin(); entry != bucket.rend(); ++entry) {
        if (entry->number == kNone) continue;
        Place(*entry, HashBytes({whole_ + entry->offset, entry->size}));
      }
    }
  }

  const char* whole_;
  std::size_t most_buckets_;
  std::size_t count_ = 0;  // Texts added, forgotten ones among them.
  std::vector<Bucket> buckets_;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_RECENT_TEXTS_H_
