// LockWaits: how long threads waited for locks of the kernel, from its tracepoints.

#include "export/perf_data/lock_waits.h"

#include <algorithm>
#include <array>
#include <utility>

#include "export/perf_data/cursor.h"

namespace sonde::perf_data {
namespace {

constexpr std::size_t kMostOpen = 8;

// The flags of lock:contention_begin.
constexpr std::uint32_t kLockSpin = 1;
constexpr std::uint32_t kLockRead = 2;
constexpr std::uint32_t kLockWrite = 4;
constexpr std::uint32_t kLockRealTime = 8;
constexpr std::uint32_t kLockPerCpu = 16;
constexpr std::uint32_t kLockMutex = 32;

// Ends the innermost wait of a thread, and takes it off the one around it.
LockWait Ended(std::vector<LockWait>& open, std::uint64_t time_ns) {
  LockWait wait = open.back();
  open.pop_back();
  const std::uint64_t whole = time_ns > wait.began_ns ? time_ns - wait.began_ns : 0;
  const auto length = static_cast<std::int64_t>(std::min<std::uint64_t>(whole, INT64_MAX));
  wait.duration_ns = std::max<std::int64_t>(0, length - wait.inner_ns);
  if (!open.empty()) open.back().inner_ns = SaturatingAdd(open.back().inner_ns, length);
  return wait;
}

}  // namespace

std::string_view LockKindName(std::uint32_t kind) noexcept {
  constexpr std::array<std::pair<std::uint32_t, std::string_view>, 12> kNames{
      {{0, "semaphore"},
       {kLockSpin, "spinlock"},
       {kLockSpin | kLockRead, "rwlock:R"},
       {kLockSpin | kLockWrite, "rwlock:W"},
       {kLockRead, "rwsem:R"},
       {kLockWrite, "rwsem:W"},
       {kLockRealTime, "rt-mutex"},
       {kLockRealTime | kLockRead, "rwlock-rt:R"},
       {kLockRealTime | kLockWrite, "rwlock-rt:W"},
       {kLockPerCpu | kLockRead, "percpu-rwsem:R"},
       {kLockPerCpu | kLockWrite, "percpu-rwsem:W"},
       {kLockMutex, "mutex"}}};
  if ((kind & kLockMutex) != 0)
    kind = kLockMutex;  // Whether it was spun for at first or slept for.
  const auto known =
      std::ranges::find(kNames, kind, &std::pair<std::uint32_t, std::string_view>::first);
  return known == kNames.end() ? "unknown" : known->second;
}

void LockWaits::Find(const Header& header) {
  if (!header.lock.is_known() || !header.lock_kind.is_known()) return;
  for (const Event& event : header.events()) {
    if (event.samples_every("lock:contention_begin")) begin_ = &event;
    if (event.samples_every("lock:contention_end")) end_ = &event;
  }
  if (begin_ == nullptr || end_ == nullptr) begin_ = end_ = nullptr;
  lock_ = header.lock;
  kind_ = header.lock_kind;
  is_swapped_ = header.swapped;
}

std::optional<std::uint64_t> LockWaits::LockOf(const Sample& sample) const {
  return lock_.In(sample.raw, is_swapped_);
}

bool LockWaits::Begin(const Sample& sample, StackId stack) {
  const std::optional<std::uint64_t> lock = LockOf(sample);
  const std::optional<std::uint64_t> kind = kind_.In(sample.raw, is_swapped_);
  if (!lock || !kind) return false;
  std::vector<LockWait>& open = waiting_[sample.tid];
  if (std::ranges::any_of(open, [&](const LockWait& wait) { return wait.lock == *lock; })) {
    return true;
  }
  if (open.size() >= kMostOpen) return false;
  open.push_back({.pid = sample.pid,
                  .tid = sample.tid,
                  .cpu = sample.cpu,
                  .lock = *lock,
                  .kind = static_cast<std::uint32_t>(*kind),
                  .stack = stack,
                  .began_ns = sample.time_ns});
  return true;
}

std::optional<LockWait> LockWaits::End(const Sample& sample) {
  const auto thread = waiting_.find(sample.tid);
  const std::optional<std::uint64_t> lock = LockOf(sample);
  if (thread == waiting_.end() || !lock) return std::nullopt;
  std::vector<LockWait>& open = thread->second;
  const auto found = std::ranges::find(open, *lock, &LockWait::lock);
  if (found == open.end()) return std::nullopt;
  // Those inside, whose end was lost, have none that is known.
  open.erase(found + 1, open.end());
  const LockWait wait = Ended(open, sample.time_ns);
  if (open.empty()) waiting_.erase(thread);
  return wait;
}

std::vector<LockWait> LockWaits::EndAll(std::uint64_t time_ns) {
  std::vector<LockWait> rest;
  for (auto& [tid, open] : waiting_) {
    while (!open.empty()) rest.push_back(Ended(open, time_ns));
  }
  waiting_.clear();
  return rest;
}

}  // namespace sonde::perf_data
