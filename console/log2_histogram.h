// Log2Histogram: counts durations by the power of two they fall into.

#ifndef SONDE_CONSOLE_LOG2_HISTOGRAM_H_
#define SONDE_CONSOLE_LOG2_HISTOGRAM_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sonde {

// Bucket 0 counts 0 ns and 1 ns, bucket i what is at least 2^i ns and less than 2^(i+1); the
// last one everything from 2^31 ns (2.1 s) up. All functions may be called from any thread.
class Log2Histogram {
 public:
  static constexpr std::size_t kBuckets = 32;

  void Add(std::int64_t ns) noexcept {
    const std::uint64_t value = ns < 0 ? 0 : static_cast<std::uint64_t>(ns);
    const std::size_t bucket = std::min<std::size_t>(
        static_cast<std::size_t>(std::bit_width(value | 1) - 1), kBuckets - 1);
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    std::uint64_t max = max_ns_.load(std::memory_order_relaxed);
    while (value > max && !max_ns_.compare_exchange_weak(max, value, std::memory_order_relaxed)) {
    }
  }
  void Clear() noexcept {
    for (auto& count : counts_) count.store(0, std::memory_order_relaxed);
    max_ns_.store(0, std::memory_order_relaxed);
  }

  std::uint32_t count(std::size_t bucket) const noexcept {
    return counts_[bucket].load(std::memory_order_relaxed);
  }
  // The longest duration added.
  std::uint64_t max_ns() const noexcept { return max_ns_.load(std::memory_order_relaxed); }

 private:
  std::array<std::atomic<std::uint32_t>, kBuckets> counts_{};
  std::atomic<std::uint64_t> max_ns_{0};
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_LOG2_HISTOGRAM_H_
