// SampleTable: the samples of one interval, equal ones added up.

#ifndef SONDE_SAMPLER_SAMPLE_TABLE_H_
#define SONDE_SAMPLER_SAMPLE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sampler/raw_sample.h"

namespace sonde {

// Not thread-safe.
class SampleTable {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t task_id = 0;
    std::uint64_t signals = 0;
    std::uint64_t weight = 0;
    std::size_t first_frame = 0;
    std::uint32_t label_set = 0;
    std::int32_t tid = 0;
    std::uint16_t depth = 0;
    bool truncated = false;
    SampleSource source = SampleSource::kThreadTimer;
    ThreadState state = ThreadState::kUnknown;
  };

  explicit SampleTable(std::size_t max_entries) : max_entries_(max_entries) {}

  // False when there is no room, or no memory, for one more distinct sample.
  bool Add(const RawSample& sample, std::span<const std::uint64_t> frames) noexcept {
    return Add(sample, frames, sample.weight);
  }
  // With another weight than the sample says.
  bool Add(const RawSample& sample, std::span<const std::uint64_t> frames,
           std::uint64_t weight) noexcept;

  const std::vector<Entry>& entries() const { return entries_; }
  std::span<const std::uint64_t> FramesOf(const Entry& entry) const {
    return std::span(frames_).subspan(entry.first_frame, entry.depth);
  }

 private:
  static constexpr std::size_t kMostFrames = std::size_t{1} << 23;  // 64 MiB.

  void Grow();

  std::size_t max_entries_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> frames_;
  std::vector<std::uint32_t> slots_;  // Entry + 1, by hash.
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_SAMPLE_TABLE_H_
