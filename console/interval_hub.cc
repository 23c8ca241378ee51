// IntervalHub: lets several readers see the same samples, each over a span of its own.

#include "console/interval_hub.h"

#include <algorithm>

#include "sampler/sampler_counters.h"

namespace sonde {
namespace {

// The position of `wanted` in `all`, at the end when it is new.
template <typename Value, typename Same>
std::uint32_t Intern(std::vector<Value>& all, const Value& wanted, Same&& same) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Value& known) { return same(known, wanted); });
  const auto index = static_cast<std::uint32_t>(found - all.begin());
  if (found == all.end()) all.push_back(wanted);
  return index;
}

bool SameModule(const Module& a, const Module& b) {
  return a.start == b.start && a.limit == b.limit && a.offset == b.offset && a.path == b.path &&
         a.build_id == b.build_id;
}

void AddStats(SamplerStats& sum, const SamplerStats& more) {
  for (const auto counter : kSamplerCounters) sum.*counter += more.*counter;
}

}  // namespace

std::size_t IntervalSum::HashKey::operator()(const Key& key) const noexcept {
  std::uint64_t hash = key.task_id * 31 + key.thread * 17 + key.label_set * 7 + key.flags;
  for (const RawFrame& frame : key.frames) {
    hash = (hash ^ frame.address) * 0x9e37'79b9'7f4a'7c15;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

void IntervalSum::Add(const Interval& interval) {
  if (is_empty_) {
    is_empty_ = false;
    sum_.kind = interval.kind;
    sum_.time_ns = interval.time_ns;
    sum_.period_ns = interval.period_ns;
    sum_.label_sets.emplace_back();
  }
  sum_.duration_ns += interval.duration_ns;
  AddStats(sum_.stats, interval.stats);
  sum_.wall += interval.wall;

  std::vector<std::uint32_t> modules;
  for (const Module& module : interval.modules) {
    modules.push_back(Intern(sum_.modules, module, SameModule));
  }
  std::vector<std::uint32_t> threads;
  for (const ThreadName& thread : interval.threads) {
    const std::uint32_t index =
        Intern(sum_.threads, thread,
               [](const ThreadName& a, const ThreadName& b) { return a.tid == b.tid; });
    sum_.threads[index].name = thread.name;
    threads.push_back(index);
  }
  std::vector<std::uint32_t> label_sets;
  for (const auto& labels : interval.label_sets) {
    label_sets.push_back(
        Intern(sum_.label_sets, labels, [](const auto& a, const auto& b) { return a == b; }));
  }

  for (const IntervalSample& sample : interval.samples) {
    Key key{sample.frames, threads[sample.thread],
            sample.label_set < label_sets.size() ? label_sets[sample.label_set] : 0, sample.task_id,
            (sample.truncated ? 1U : 0U) | (sample.catch_all ? 2U : 0U) |
                static_cast<std::uint32_t>(sample.state) << 2};
    for (RawFrame& frame : key.frames) {
      if (frame.module != RawFrame::kNoModule) frame.module = modules[frame.module];
    }
    const auto [known, is_new] = samples_.emplace(std::move(key), sum_.samples.size());
    if (is_new) {
      IntervalSample& added = sum_.samples.emplace_back(sample);
      added.frames = known->first.frames;
      added.thread = known->first.thread;
      added.label_set = known->first.label_set;
    } else {
      sum_.samples[known->second].signals += sample.signals;
      sum_.samples[known->second].weight += sample.weight;
    }
  }
}

Interval IntervalSum::Take() {
  samples_.clear();
  is_empty_ = true;
  return std::exchange(sum_, {});
}

void IntervalHub::Cut() {
  if (!cut_) return;
  const Interval interval = cut_();
  for (auto& [id, sum] : spans_) sum.Add(interval);
}

std::uint64_t IntervalHub::Open() {
  const std::lock_guard lock(mutex_);
  if (spans_.empty() && watch_) watch_(true);
  Cut();
  spans_[++last_span_];
  return last_span_;
}

Interval IntervalHub::Take(std::uint64_t span) {
  const std::lock_guard lock(mutex_);
  Cut();
  return spans_[span].Take();
}

Interval IntervalHub::Close(std::uint64_t span) {
  const std::lock_guard lock(mutex_);
  Cut();
  Interval seen = spans_[span].Take();
  spans_.erase(span);
  if (spans_.empty() && watch_) watch_(false);
  return seen;
}

void IntervalHub::Finish(const Interval& last) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, sum] : spans_) sum.Add(last);
  cut_ = nullptr;
}

}  // namespace sonde
