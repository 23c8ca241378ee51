// IntervalSum: see interval_sum.h.

#include "console/interval_sum.h"

#include <algorithm>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include "sampler/sampler_counters.h"

namespace sonde {
namespace {

// What a sample takes besides its frames, in frames: itself, its place in the table, and now and
// then the name of its thread and its labels.
constexpr std::size_t kFramesOfASample = 12;

bool SameModule(const Module& a, const Module& b) {
  return a.start == b.start && a.limit == b.limit && a.offset == b.offset && a.path == b.path &&
         a.build_id == b.build_id;
}

auto WhatTellsApart(const IntervalSample& sample) {
  return std::tie(sample.thread, sample.label_set, sample.task_id, sample.truncated,
                  sample.catch_all, sample.state, sample.frames);
}

// The place of `value` in `values`, which `places` knows by its key; added if it is new. Without
// memory neither of them has it.
template <typename Key, typename Places, typename Value>
std::uint32_t IndexOf(const Key& key, Places& places, const Value& value,
                      std::vector<Value>& values) {
  const auto index = static_cast<std::uint32_t>(values.size());
  const auto [known, is_new] = places.emplace(key, index);
  if (!is_new) return known->second;
  try {
    values.push_back(value);
  } catch (const std::bad_alloc&) {
    places.erase(known);
    throw;
  }
  return index;
}

}  // namespace

std::size_t IntervalSum::Hash::operator()(std::uint32_t index) const noexcept {
  const IntervalSample& sample = sum->sum_.samples[index];
  std::uint64_t hash = sample.task_id * 31 + sample.thread * 17 + sample.label_set * 7 +
                       static_cast<std::uint64_t>(sample.state);
  for (const RawFrame& frame : sample.frames) {
    hash = (hash ^ frame.address) * 0x9e37'79b9'7f4a'7c15;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

bool IntervalSum::Equal::operator()(std::uint32_t a, std::uint32_t b) const noexcept {
  return WhatTellsApart(sum->sum_.samples[a]) == WhatTellsApart(sum->sum_.samples[b]);
}

void IntervalSum::Begin(const Interval& interval) {
  is_empty_ = false;
  sum_.kind = interval.kind;
  sum_.time_ns = interval.time_ns;
  sum_.period_ns = interval.period_ns;
}

std::uint32_t IntervalSum::ThreadIndex(const ThreadName& thread) {
  return IndexOf(thread.tid, threads_, thread, sum_.threads);
}

std::uint32_t IntervalSum::LabelIndex(const LabelSet& labels) {
  return IndexOf(labels, label_sets_, labels, sum_.label_sets);
}

void IntervalSum::ForgetLastThread() {
  threads_.erase(sum_.threads.back().tid);
  sum_.threads.pop_back();
}

void IntervalSum::ForgetLastLabels() {
  label_sets_.erase(sum_.label_sets.back());
  sum_.label_sets.pop_back();
}

std::size_t IntervalSum::RoomFor(const IntervalSample& sample) {
  return sample.frames.size() + kFramesOfASample;
}

void IntervalSum::Drop(const IntervalSample& sample) {
  if (sum_.kind == IntervalKind::kWall) {
    sum_.wall.dropped_ns += sample.weight;
    return;
  }
  SamplerStats& stats = sum_.stats;
  const std::uint64_t ns = sample.weight * static_cast<std::uint64_t>(sum_.period_ns);
  (sample.catch_all ? stats.catch_all_ns : stats.sampled_ns) -= ns;
  stats.lost_ring_ns += ns;
  stats.written -= sample.weight;
  stats.dropped += sample.weight;
  sum_.no_room += sample.weight;
}

void IntervalSum::Add(const Interval& interval, std::size_t& room) noexcept {
  if (is_empty_) Begin(interval);
  sum_.duration_ns += interval.duration_ns;
  for (const auto counter : kSamplerCounters) sum_.stats.*counter += interval.stats.*counter;
  sum_.wall += interval.wall;
  sum_.no_room += interval.no_room;

  std::vector<std::uint32_t> modules;
  try {
    if (sum_.label_sets.empty()) LabelIndex({});  // The first one is that without labels.
    modules = ModuleIndices(interval);
    TakeNames(interval);
  } catch (const std::bad_alloc&) {
    for (const IntervalSample& sample : interval.samples) Drop(sample);
    return;
  }
  for (const IntervalSample& sample : interval.samples) {
    if (!Keep(interval, sample, modules, room)) Drop(sample);
  }
}

// Where the modules of `interval` are in the sum.
std::vector<std::uint32_t> IntervalSum::ModuleIndices(const Interval& interval) {
  std::vector<std::uint32_t> modules;
  for (const Module& module : interval.modules) {
    const auto known = std::find_if(sum_.modules.begin(), sum_.modules.end(),
                                    [&](const Module& m) { return SameModule(m, module); });
    modules.push_back(static_cast<std::uint32_t>(known - sum_.modules.begin()));
    if (known == sum_.modules.end()) sum_.modules.push_back(module);
  }
  return modules;
}

void IntervalSum::TakeNames(const Interval& interval) {
  for (const ThreadName& thread : interval.threads) {
    const auto known = threads_.find(thread.tid);
    if (known != threads_.end()) sum_.threads[known->second].name = thread.name;
  }
}

bool IntervalSum::Keep(const Interval& interval, const IntervalSample& sample,
                       const std::vector<std::uint32_t>& modules, std::size_t& room) noexcept {
  const std::size_t samples_before = sum_.samples.size();
  const std::size_t threads_before = sum_.threads.size();
  const std::size_t label_sets_before = sum_.label_sets.size();
  try {
    IntervalSample& candidate = sum_.samples.emplace_back(sample);
    candidate.thread = ThreadIndex(interval.threads[sample.thread]);
    candidate.label_set = sample.label_set < interval.label_sets.size()
                              ? LabelIndex(interval.label_sets[sample.label_set])
                              : 0;
    for (RawFrame& frame : candidate.frames) {
      if (frame.module != RawFrame::kNoModule) frame.module = modules[frame.module];
    }
    const auto index = static_cast<std::uint32_t>(samples_before);
    const std::size_t needed = RoomFor(sample);
    const auto known = samples_.find(index);
    if (known != samples_.end()) {
      sum_.samples[*known].signals += sample.signals;
      sum_.samples[*known].weight += sample.weight;
      sum_.samples.pop_back();
      return true;
    }
    if (needed <= room) {
      samples_.insert(index);
      room -= needed;
      used_ += needed;
      return true;
    }
  } catch (const std::bad_alloc&) {
  }
  if (sum_.threads.size() != threads_before) ForgetLastThread();
  if (sum_.label_sets.size() != label_sets_before) ForgetLastLabels();
  if (sum_.samples.size() != samples_before) sum_.samples.pop_back();
  return false;
}

Interval IntervalSum::Take(std::size_t& room) {
  samples_.clear();
  threads_.clear();
  label_sets_.clear();
  room += std::exchange(used_, 0);
  is_empty_ = true;
  return std::exchange(sum_, {});
}

}  // namespace sonde
