// SampleRing: carries samples of different sizes from the handlers to the collector.

#ifndef SONDE_SAMPLER_SAMPLE_RING_H_
#define SONDE_SAMPLER_SAMPLE_RING_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sampler/raw_sample.h"

namespace sonde {

// A bounded queue with any number of writers, the handlers, and one reader. A writer reserves
// its words, fills them and then publishes their first one; neither side locks, allocates or
// waits. A sample that finds no room is refused, and its writer counts it.
//
// A record is its size and then a RawSample and its frames, all in words. Words that were read
// are zero again, so that a size is zero until its record is complete.
class SampleRing {
 public:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free, "a lock would deadlock a handler");

  // `words` must be a power of two of zeroed words. Not async-signal-safe.
  void Attach(Word* memory, std::size_t words) noexcept {
    words_ = memory;
    mask_ = words - 1;
    written_.store(0, std::memory_order_relaxed);
    read_.store(0, std::memory_order_relaxed);
  }

  // False when the ring is full. `half_full` is set when this sample is the one that fills it
  // to the half, so that its writer wakes the reader. Async-signal-safe.
  bool Write(const RawSample& sample, const PackedFrame* frames, bool& half_full) noexcept {
    return WriteWords(sample, reinterpret_cast<const std::uint64_t*>(frames), sample.depth, nullptr,
                      0, half_full);
  }

  // The same with `first_count` words and then `second_count` more behind the sample.
  // Async-signal-safe.
  bool WriteWords(const RawSample& sample, const std::uint64_t* first, std::uint64_t first_count,
                  const std::uint64_t* second, std::uint64_t second_count,
                  bool& half_full) noexcept {
    const std::uint64_t size = 1 + kSampleWords + first_count + second_count;
    std::uint64_t at = written_.load(std::memory_order_relaxed);
    std::uint64_t used;
    do {
      used = at - read_.load(std::memory_order_acquire);
      if (used + size > mask_ + 1) return false;
    } while (!written_.compare_exchange_weak(at, at + size, std::memory_order_relaxed));
    half_full = used <= mask_ / 2 && used + size > mask_ / 2;

    std::uint64_t fixed[kSampleWords];
    __builtin_memcpy(fixed, &sample, sizeof(sample));
    std::uint64_t next = at + 1;
    for (std::uint64_t i = 0; i < kSampleWords; ++i) Put(next++, fixed[i]);
    for (std::uint64_t i = 0; i < first_count; ++i) Put(next++, first[i]);
    for (std::uint64_t i = 0; i < second_count; ++i) Put(next++, second[i]);
    // Release: a reader that sees the size also sees the words behind it.
    words_[at & mask_].store(size, std::memory_order_release);
    return true;
  }

  // Where the next sample will be written. Any thread.
  std::uint64_t written() const noexcept { return written_.load(std::memory_order_relaxed); }
  // Where the next sample will be read. Reader only.
  std::uint64_t read() const noexcept { return read_.load(std::memory_order_relaxed); }

  // Hands the oldest sample to `take(sample, word_at)`, where word_at(i) is the i-th word
  // behind it of `count`. False when there is none, or it is still being written. Reader only.
  template <typename Take>
  bool Read(Take&& take) {
    const std::uint64_t at = read_.load(std::memory_order_relaxed);
    const std::uint64_t size = words_[at & mask_].load(std::memory_order_acquire);
    if (size == 0) return false;
    std::uint64_t fixed[kSampleWords];
    for (std::uint64_t i = 0; i < kSampleWords; ++i) fixed[i] = Get(at + 1 + i);
    RawSample sample;
    __builtin_memcpy(&sample, fixed, sizeof(sample));
    take(static_cast<const RawSample&>(sample), size - 1 - kSampleWords,
         [this, at](std::uint64_t i) { return Get(at + 1 + kSampleWords + i); });
    for (std::uint64_t i = 0; i < size; ++i) Put(at + i, 0);
    // Release: a writer that sees the room also sees it zeroed.
    read_.store(at + size, std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::uint64_t kSampleWords = sizeof(RawSample) / 8;

  void Put(std::uint64_t at, std::uint64_t word) noexcept {
    words_[at & mask_].store(word, std::memory_order_relaxed);
  }
  std::uint64_t Get(std::uint64_t at) const noexcept {
    return words_[at & mask_].load(std::memory_order_relaxed);
  }

  Word* words_ = nullptr;
  std::uint64_t mask_ = 0;
  // Positions only grow. Each has a line of its own, since the other side reads it.
  alignas(64) std::atomic<std::uint64_t> written_{0};
  alignas(64) std::atomic<std::uint64_t> read_{0};
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_SAMPLE_RING_H_
