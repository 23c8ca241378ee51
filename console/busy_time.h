// BusyTime: for how long at least one thread was inside.

#ifndef SONDE_CONSOLE_BUSY_TIME_H_
#define SONDE_CONSOLE_BUSY_TIME_H_

#include <atomic>
#include <cstdint>

#include "console/steady_ns.h"

namespace sonde {

// Times in which several threads are inside count once. Any thread; no lock, and while threads come
// one after the other no second try.
//
// The count of threads changes only when nobody came or left since the clock was read. So the
// reading of the first one in lies after every earlier end, that of the last one out after the end
// of every other, and the sum is written by one thread at a time: by the one that was first in, or
// by one that is alone.
class BusyTime {
 public:
  // As one number, of which readers cannot see a half: the time until now when it is not negative.
  // Else it has still to be added to the present time, which is later than its opposite.
  std::int64_t sum() const noexcept { return sum_.load(std::memory_order_acquire); }
  bool has_threads() const noexcept {
    return Inside(threads_.load(std::memory_order_acquire)) != 0;
  }

  struct Reading {
    std::int64_t now_ns;
    std::int64_t busy_ns;  // Never less than at an earlier reading.
  };
  Reading Read() const noexcept {
    for (;;) {
      const std::int64_t sum = this->sum();
      const std::int64_t now = SteadyNs();
      if (sum >= 0) return {now, sum};
      if (this->sum() == sum) return {now, now + sum};
    }
  }

  // The calling thread goes in, at the time returned. `before(now, is_first)` runs just before, and
  // again when another thread was quicker.
  template <typename Before>
  std::int64_t Enter(Before&& before) noexcept {
    return Add(kInside + kCounted, before);
  }
  // It goes out. Once `before(now, is_last)` was told true nobody else is inside until it returned.
  template <typename Before>
  std::int64_t Leave(Before&& before) noexcept {
    return Remove(kInside + kCounted, before);
  }

  // It stays inside, but its time does not count until Resume.
  void Pause() noexcept { Remove(kCounted, kNothing); }
  void Resume() noexcept { Add(kCounted, kNothing); }

  // For the owner of a record that nobody else knows yet.
  void Clear() noexcept {
    threads_.store(0, std::memory_order_relaxed);
    sum_.store(0, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint64_t kInside = 1;
  static constexpr std::uint64_t kCounted = std::uint64_t{1} << 16;
  static constexpr std::uint64_t kChange = std::uint64_t{1} << 32;
  static constexpr std::uint64_t Inside(std::uint64_t threads) { return threads & 0xffff; }
  static constexpr std::uint64_t Counted(std::uint64_t threads) { return threads >> 16 & 0xffff; }
  static constexpr auto kNothing = [](std::int64_t, bool) {};

  template <typename Before>
  std::int64_t Add(std::uint64_t thread, Before&& before) noexcept {
    std::uint64_t seen = threads_.load(std::memory_order_acquire);
    for (;;) {
      const std::int64_t now = SteadyNs();
      before(now, Inside(seen) == 0);
      if (Replace(seen, seen + kChange + thread)) {
        if (Counted(seen) == 0) AddToSum(-now);
        return now;
      }
    }
  }

  template <typename Before>
  std::int64_t Remove(std::uint64_t thread, Before&& before) noexcept {
    std::uint64_t seen = threads_.load(std::memory_order_acquire);
    for (;;) {
      const bool is_alone = Counted(seen) == 1;
      const std::int64_t now = SteadyNs();
      before(now, Inside(seen) == 1);
      // While the thread still counts, so that no reader misses the time that is over.
      if (is_alone) AddToSum(now);
      if (Replace(seen, seen + kChange - thread)) return now;
      if (is_alone) AddToSum(-now);
    }
  }

  bool Replace(std::uint64_t& seen, std::uint64_t threads) noexcept {
    return threads_.compare_exchange_strong(seen, threads, std::memory_order_acq_rel,
                                            std::memory_order_acquire);
  }
  void AddToSum(std::int64_t ns) noexcept {
    sum_.store(sum_.load(std::memory_order_relaxed) + ns, std::memory_order_release);
  }

  // How often it changed, how many threads count, how many are inside.
  std::atomic<std::uint64_t> threads_{0};
  std::atomic<std::int64_t> sum_{0};
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_BUSY_TIME_H_
