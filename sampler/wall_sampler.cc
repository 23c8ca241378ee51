// WallSampler: see wall_sampler.h.

#include "sampler/wall_sampler.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "sampler/cpu_clock.h"
#include "sampler/interval_builder.h"
#include "sampler/sigprof.h"
#include "sampler/thread_status.h"

namespace sonde {
namespace {

// What the kernel needs, at most, to bring a thread from our handler back to where it waited.
constexpr std::uint64_t kReturnToSleepNs = 50'000;
// After that it is asked again: it may have gone on for less than kReturnToSleepNs and then waited
// elsewhere.
constexpr std::int64_t kLongestRepetitionNs = 10'000'000'000;

std::int64_t Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Interval WallCut::Build(const ModuleRegistry& modules) && {
  interval_.kind = IntervalKind::kWall;
  BuildSamples(table_, modules, names_, interval_);
  return std::move(interval_);
}

WallSampler::WallSampler(int hz, std::size_t max_entries)
    : period_ns_(1'000'000'000 / hz),
      max_entries_(max_entries),
      cut_(max_entries),
      random_(static_cast<std::uint64_t>(Now(CLOCK_MONOTONIC)) | 1) {}

std::uint64_t WallSampler::Random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

void WallSampler::Begin() {
  if (++users_ != 1) return;
  threads_.clear();
  cut_ = WallCut(max_entries_);
  has_looked_ = false;
  begun_ns_ = interval_start_ns_ = Now(CLOCK_MONOTONIC);
  cut_.interval_.time_ns = Now(CLOCK_REALTIME);
}

void WallSampler::End() {
  if (users_ != 0 && --users_ == 0) EndAll();
}

void WallSampler::EndAll() {
  users_ = 0;
  threads_.clear();
  cut_ = WallCut(max_entries_);
}

void WallSampler::Forget() {
  for (auto& [tid, seen] : threads_) seen.timer.Forget();
}

std::int64_t WallSampler::Look() {
  const std::int64_t now_ns = Now(CLOCK_MONOTONIC);
  for (const FoundThread& thread : ThreadRegistry::Get().Threads()) {
    Seen& seen = threads_[thread.tid];
    // Those of the first look were there when it began.
    if (seen.seen_ns == 0) seen.counted_ns = has_looked_ ? now_ns : begun_ns_;
    seen.index = thread.index;
    LookAt(thread.tid, seen, now_ns);
  }
  has_looked_ = true;
  ForgetGone(now_ns);
  const auto period = static_cast<std::uint64_t>(period_ns_);
  return now_ns + static_cast<std::int64_t>(period / 2 + Random() % period);
}

void WallSampler::LookAt(std::int32_t tid, Seen& seen, std::int64_t now_ns) {
  const std::uint64_t cpu_ns = ThreadCpuNs(tid);
  const ThreadSlot* slot = Signals().slots.At(seen.index);
  if (cpu_ns == 0 || slot == nullptr) return;
  seen.seen_ns = now_ns;
  WallStats& stats = cut_.interval_.wall;
  ++stats.looks;
  if (seen.asked_ns != 0 && slot->answers.value() != seen.answers) {
    ++stats.lost;  // The ring was drained just now, and the answer was not in it.
    seen.asked_ns = 0;
  }
  if (seen.asked_ns == 0 && StandsStill(*slot, seen, cpu_ns, now_ns)) {
    ++stats.repeated;
    Count(tid, seen, now_ns);
    return;
  }
  Ask(tid, *slot, seen, now_ns);
}

bool WallSampler::StandsStill(const ThreadSlot& slot, Seen& seen, std::uint64_t cpu_ns,
                              std::int64_t now_ns) const {
  if (seen.answered_ns == 0 || seen.sample.state != ThreadState::kWaiting ||
      now_ns - seen.answered_ns > kLongestRepetitionNs) {
    return false;
  }
  if (seen.still_cpu_ns == 0) {
    const std::uint64_t answered = slot.answered_cpu_ns.load(std::memory_order_relaxed);
    if (cpu_ns - answered > kReturnToSleepNs) return false;
    seen.still_cpu_ns = cpu_ns;
  }
  return cpu_ns == seen.still_cpu_ns;
}

void WallSampler::Ask(std::int32_t tid, const ThreadSlot& slot, Seen& seen, std::int64_t now_ns) {
  WallStats& stats = cut_.interval_.wall;
  const ThreadState state = StateOfThread(tid);
  if (state == ThreadState::kUnknown) return;
  const std::uint64_t answers = slot.answers.value();
  const int error = SendSignal(tid, slot, seen);
  stats.signals += error == 0;
  stats.refused += error == EAGAIN;
  if (error != 0) return;
  if (seen.asked_ns == 0) seen.answers = answers;
  seen.asked_ns = now_ns;
  seen.asked_state = state;
}

// A signal that was queued would survive exec, and kill the program that knows nothing of it. That
// of a timer does not.
int WallSampler::SendSignal(std::int32_t tid, const ThreadSlot& slot, Seen& seen) {
  const TimerValue value(TimerValue::kWall, seen.index,
                         slot.generation.load(std::memory_order_relaxed));
  if (!seen.timer.exists() || seen.value != value) {
    seen.value = value;
    if (const int error = seen.timer.CreateForWall(tid, value); error != 0) return error;
  }
  return seen.timer.Arm(/*first_ns=*/1, /*period_ns=*/0);
}

void WallSampler::Take(const RawSample& sample, std::span<const std::uint64_t> frames) {
  const auto tid = static_cast<std::int32_t>(sample.tid);
  const auto found = threads_.find(tid);
  if (found == threads_.end() || found->second.asked_ns == 0) return;
  Seen& seen = found->second;
  seen.sample = sample;
  seen.sample.depth = static_cast<std::uint16_t>(frames.size());
  seen.sample.state = seen.asked_state;
  seen.frames.assign(frames.begin(), frames.end());
  seen.answered_ns = seen.asked_ns;
  seen.still_cpu_ns = 0;
  Count(tid, seen, std::exchange(seen.asked_ns, 0));
}

void WallSampler::Count(std::int32_t tid, Seen& seen, std::int64_t until_ns) {
  if (until_ns <= seen.counted_ns) return;
  const auto time_ns =
      static_cast<std::uint64_t>(until_ns - std::exchange(seen.counted_ns, until_ns));
  if (seen.answered_ns == 0) {
    seen.sample = {};
    seen.sample.tid = static_cast<std::uint32_t>(tid);
    seen.sample.source = SampleSource::kWall;
    seen.sample.state = seen.asked_state;
    seen.sample.truncation = Truncation::kNoModule;
  }
  WallStats& stats = cut_.interval_.wall;
  stats.time_ns += time_ns;
  if (!cut_.table_.Add(seen.sample, seen.frames, time_ns)) {
    stats.dropped_ns += time_ns;
    return;
  }
  if (!cut_.names_.contains(tid)) cut_.names_.emplace(tid, NameOfThread(tid));
}

// What a thread did between the last look and its end is not known.
void WallSampler::ForgetGone(std::int64_t now_ns) {
  for (auto at = threads_.begin(); at != threads_.end();) {
    auto& [tid, seen] = *at;
    if (seen.seen_ns == now_ns) {
      ++at;
      continue;
    }
    Count(tid, seen, seen.seen_ns);
    at = threads_.erase(at);
  }
}

WallCut WallSampler::Cut() {
  WallCut cut(max_entries_);
  if (!is_on()) return cut;
  const std::int64_t now_ns = Now(CLOCK_MONOTONIC);
  if (!has_looked_) Look();
  for (auto& [tid, seen] : threads_) {
    if (ThreadCpuNs(tid) == 0) continue;  // The next look forgets it.
    seen.seen_ns = now_ns;
    Count(tid, seen, now_ns);
    const std::string name = NameOfThread(tid);
    if (!name.empty()) cut_.names_[tid] = name;
  }
  Interval& interval = cut_.interval_;
  interval.wall.threads = cut_.names_.size();
  interval.duration_ns = now_ns - std::exchange(interval_start_ns_, now_ns);
  interval.period_ns = period_ns_;
  cut.interval_.time_ns = interval.time_ns + interval.duration_ns;
  std::swap(cut, cut_);
  return cut;
}

}  // namespace sonde
