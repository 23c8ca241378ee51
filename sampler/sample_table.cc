// SampleTable: see sample_table.h.

#include "sampler/sample_table.h"

#include <algorithm>
#include <new>

namespace sonde {
namespace {

std::uint64_t HashOf(const RawSample& sample, std::span<const std::uint64_t> frames) {
  std::uint64_t hash = sample.task_id;
  const auto add = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e37'79b9'7f4a'7c15;
    hash ^= hash >> 31;
  };
  add(std::uint64_t{sample.tid} << 32 | sample.label_set);
  add(static_cast<std::uint64_t>(sample.state) << 8 |
      static_cast<std::uint64_t>(sample.source) << 1 | (sample.truncation != Truncation::kNone));
  for (const std::uint64_t frame : frames) add(frame);
  return hash;
}

}  // namespace

bool SampleTable::Add(const RawSample& sample, std::span<const std::uint64_t> frames,
                      std::uint64_t weight) noexcept try {
  if (entries_.size() * 2 >= slots_.size()) Grow();
  const std::uint64_t hash = HashOf(sample, frames);
  const bool truncated = sample.truncation != Truncation::kNone;
  const auto tid = static_cast<std::int32_t>(sample.tid);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    Entry& entry = entries_[slots_[slot] - 1];
    if (entry.hash == hash && entry.tid == tid && entry.label_set == sample.label_set &&
        entry.task_id == sample.task_id && entry.truncated == truncated &&
        entry.source == sample.source && entry.state == sample.state &&
        std::ranges::equal(FramesOf(entry), frames)) {
      ++entry.signals;
      entry.weight += weight;
      return true;
    }
  }
  if (entries_.size() >= max_entries_ || frames_.size() + frames.size() > kMostFrames) return false;
  Entry entry;
  entry.hash = hash;
  entry.task_id = sample.task_id;
  entry.signals = 1;
  entry.weight = weight;
  entry.first_frame = frames_.size();
  entry.label_set = sample.label_set;
  entry.tid = tid;
  entry.depth = static_cast<std::uint16_t>(frames.size());
  entry.truncated = truncated;
  entry.source = sample.source;
  entry.state = sample.state;
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  entries_.push_back(entry);
  slots_[slot] = static_cast<std::uint32_t>(entries_.size());
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void SampleTable::Grow() {
  slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), 0);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace sonde
