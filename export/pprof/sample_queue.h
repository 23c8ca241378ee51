// SampleQueue: samples on their way into a ProfileBuilder.

#ifndef SONDE_EXPORT_PPROF_SAMPLE_QUEUE_H_
#define SONDE_EXPORT_PPROF_SAMPLE_QUEUE_H_

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "sonde/profile_builder.h"

namespace sonde::pprof {

// First in, first out: each waits until what it will touch has come near. Not thread-safe.
class SampleQueue {
 public:
  // `builder` outlives the queue.
  SampleQueue(ProfileBuilder& builder, std::size_t types)
      : builder_(builder), types_(types), values_(kLength * types) {}

  void Push(StackId stack, LabelSetId labels, std::span<const std::int64_t> values) {
    const std::size_t slot = count_ % kLength;
    if (count_ >= kLength) Pass(slot);
    entries_[slot] = {stack, labels};
    std::ranges::copy(values, values_.begin() + static_cast<std::ptrdiff_t>(slot * types_));
    builder_.PrefetchSample(stack, labels);
    ++count_;
  }
  // Passes on what still waits.
  void Flush() {
    for (std::size_t i = count_ < kLength ? 0 : count_ - kLength; i < count_; ++i) {
      Pass(i % kLength);
    }
    count_ = 0;
  }

 private:
  static constexpr std::size_t kLength = 16;
  struct Entry {
    StackId stack;
    LabelSetId labels;
  };
  void Pass(std::size_t slot) {
    builder_.AddSample(entries_[slot].stack, entries_[slot].labels,
                       std::span(values_).subspan(slot * types_, types_), std::nullopt);
  }

  ProfileBuilder& builder_;
  std::size_t types_;
  std::array<Entry, kLength> entries_{};
  std::vector<std::int64_t> values_;
  std::size_t count_ = 0;
};

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_SAMPLE_QUEUE_H_
