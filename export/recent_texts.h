// RecentTexts: the numbers of texts that were looked up lately.

#ifndef SONDE_EXPORT_RECENT_TEXTS_H_
#define SONDE_EXPORT_RECENT_TEXTS_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace sonde {

// Knows parts of one large text by their bytes, in a table that never grows: of those whose hashes
// fall together, the oldest is forgotten. Sixteen bytes a place. Not thread-safe.
class RecentTexts {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  // Longer texts are not remembered.
  static constexpr std::size_t kLongest = UINT32_MAX;

  // Everything added is a part of `whole`, which outlives the table and is smaller than 2^48
  // bytes. There are places for about `places` texts.
  RecentTexts(std::string_view whole, std::size_t places)
      : whole_(whole.data()),
        buckets_(std::bit_ceil(std::max<std::size_t>(places / kPlacesOfABucket, 1))) {}

  // The number that was added with `text`, whose hash is given, or kNone.
  std::uint32_t Find(std::uint64_t hash, std::string_view text) const noexcept {
    for (const Place& place : buckets_[BucketOf(hash)]) {
      if (place.number != kNone && place.tag == TagOf(hash) && place.size == text.size() &&
          std::memcmp(whole_ + place.offset, text.data(), text.size()) == 0) {
        return place.number;
      }
    }
    return kNone;
  }

  // `number` is not kNone, and the text is not there yet.
  void Add(std::uint64_t hash, std::string_view text, std::uint32_t number) noexcept {
    if (text.size() > kLongest) return;
    Bucket& bucket = buckets_[BucketOf(hash)];
    std::move_backward(bucket.begin(), bucket.end() - 1, bucket.end());
    bucket.front() = {static_cast<std::uint64_t>(text.data() - whole_) & kOffsetMask, TagOf(hash),
                      static_cast<std::uint32_t>(text.size()), number};
  }

 private:
  static constexpr std::size_t kPlacesOfABucket = 4;
  static constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << 48) - 1;
  struct Place {
    std::uint64_t offset : 48 = 0;
    std::uint64_t tag : 16 = 0;
    std::uint32_t size = 0;
    std::uint32_t number = kNone;
  };
  using Bucket = std::array<Place, kPlacesOfABucket>;

  static std::uint16_t TagOf(std::uint64_t hash) noexcept {
    return static_cast<std::uint16_t>(hash >> 48);
  }
  std::size_t BucketOf(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash) & (buckets_.size() - 1);
  }

  const char* whole_;
  std::vector<Bucket> buckets_;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_RECENT_TEXTS_H_
