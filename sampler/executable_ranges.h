// ExecutableRanges: executable memory that belongs to no file, such as a JIT compiler's.

#ifndef SONDE_SAMPLER_EXECUTABLE_RANGES_H_
#define SONDE_SAMPLER_EXECUTABLE_RANGES_H_

#include <atomic>
#include <cstdint>

namespace sonde {

// Written by the collector, read by handlers.
class ExecutableRanges {
 public:
  static constexpr std::uint32_t kCapacity = 128;

  // Async-signal-safe. False also while the ranges are being replaced. Asks the
  // collector for a fresh look when it does not know `pc`.
  bool Holds(std::uint64_t pc) noexcept {
    const std::uint32_t before = version_.load(std::memory_order_acquire);
    const std::uint32_t count = count_.load(std::memory_order_relaxed);
    bool found = false;
    for (std::uint32_t i = 0; i < count && i < kCapacity; ++i) {
      const std::uint64_t low = low_[i].load(std::memory_order_relaxed);
      const std::uint64_t high = high_[i].load(std::memory_order_relaxed);
      found = found || (pc >= low && pc < high);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if ((before & 1) != 0 || version_.load(std::memory_order_relaxed) != before) return false;
    if (!found) wanted_.store(true, std::memory_order_relaxed);
    return found;
  }

  // Collector only. Reads /proc/self/maps when a handler met code that it did not know.
  void RefreshIfWanted();

 private:
  std::atomic<std::uint32_t> version_{0};  // Odd while being written.
  std::atomic<std::uint32_t> count_{0};
  std::atomic<bool> wanted_{true};
  std::atomic<std::uint64_t> low_[kCapacity] = {};
  std::atomic<std::uint64_t> high_[kCapacity] = {};
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_EXECUTABLE_RANGES_H_
