// ThreadRegistry: see thread_registry.h.

#include "sampler/thread_registry.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <new>

#include "sampler/cpu_clock.h"
#include "sampler/raw_syscall.h"
#include "sampler/sigprof.h"

namespace sonde {
namespace {

std::int32_t CurrentTid() { return static_cast<std::int32_t>(RawSyscall(SYS_gettid)); }

// Calls `found(tid)` for each thread of the process. A thread may be left out while others end.
template <typename Found>
void ListThreads(int directory, Found&& found) {
  if (directory < 0 || lseek(directory, 0, SEEK_SET) != 0) return;
  alignas(dirent64) char buffer[8192];
  for (;;) {
    const ssize_t size = getdents64(directory, buffer, sizeof(buffer));
    if (size <= 0) return;
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      const char* name = entry->d_name;
      std::int32_t tid = 0;
      if (std::from_chars(name, name + std::strlen(name), tid).ec == std::errc()) found(tid);
      at += entry->d_reclen;
    }
  }
}

bool IsAlive(std::int32_t tid) { return RawSyscall(SYS_tgkill, getpid(), tid, 0) != -ESRCH; }

}  // namespace

ThreadRegistry& ThreadRegistry::Get() {
  // Never destroyed: threads may end after the destructors of static objects.
  alignas(ThreadRegistry) static unsigned char memory[sizeof(ThreadRegistry)];
  static ThreadRegistry* const registry = new (memory) ThreadRegistry();
  return *registry;
}

ThreadSlot& ThreadRegistry::SlotOf(const Live& live) { return *Signals().slots.At(live.index); }

std::uint64_t ThreadRegistry::Random() {
  if (random_ == 0) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    random_ =
        (static_cast<std::uint64_t>(now.tv_nsec) << 20 ^ static_cast<std::uint64_t>(getpid())) | 1;
  }
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return random_;
}

ThreadRegistry::Live* ThreadRegistry::Find(std::int32_t tid) {
  const auto at = std::lower_bound(live_.begin(), live_.end(), tid,
                                   [](const Live& live, std::int32_t id) { return live.tid < id; });
  return at != live_.end() && at->tid == tid ? &*at : nullptr;
}

// So that nothing needs memory any more when a thread comes, or goes.
bool ThreadRegistry::MakeRoom() try {
  constexpr std::size_t kFirst = 64;
  if (live_.size() == live_.capacity()) live_.reserve(std::max(kFirst, 2 * live_.size()));
  if (free_.capacity() <= next_index_)
    free_.reserve(std::max<std::size_t>(kFirst, 2 * next_index_));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

ThreadRegistry::Live* ThreadRegistry::Add(std::int32_t tid) {
  if (!MakeRoom()) return nullptr;
  ThreadSlots& slots = Signals().slots;
  std::uint32_t index = 0;
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
  } else {
    if (!slots.Reserve(next_index_)) return nullptr;
    index = next_index_++;
  }
  ThreadSlot* slot = slots.At(index);
  if (slot == nullptr) return nullptr;
  ++retired_.threads_seen;
  slot->tid.store(tid, std::memory_order_relaxed);
  slot->timing.store(ThreadSlot::Timing::kNone, std::memory_order_relaxed);
  slot->context.task_id.store(0, std::memory_order_relaxed);
  slot->context.label_set.store(0, std::memory_order_relaxed);
  slot->stack = {};
  slots.SetIndex(tid, index);
  Live live;
  live.index = index;
  live.tid = tid;
  live.scan = scan_;
  const auto at =
      std::lower_bound(live_.begin(), live_.end(), tid,
                       [](const Live& other, std::int32_t id) { return other.tid < id; });
  return &*live_.insert(at, std::move(live));
}

void ThreadRegistry::Arm(Live& live) {
  ThreadSlot& slot = SlotOf(live);
  if (period_ns_ == 0 || live.timer.exists() ||
      slot.timing.load(std::memory_order_relaxed) == ThreadSlot::Timing::kExcluded) {
    return;
  }
  const std::uint32_t generation = slot.generation.load(std::memory_order_relaxed) + 1;
  slot.generation.store(generation, std::memory_order_relaxed);
  const int error =
      live.timer.CreateForThread(live.tid, TimerValue(TimerValue::kThread, live.index, generation));
  if (error == 0) {
    // A random first one, so that a thread is sampled in proportion however short it lives.
    live.timer.Arm(1 + Random() % period_ns_, period_ns_);
    live.blocked.Begin(slot, ThreadCpuNs(live.tid), period_ns_, Signals().max_weight * period_ns_);
    slot.timing.store(ThreadSlot::Timing::kTimed, std::memory_order_relaxed);
  } else if (error != EINVAL && !live.refused) {
    live.refused = true;
    ++retired_.timers_refused;
  }
}

void ThreadRegistry::Disarm(Live& live) {
  ThreadSlot& slot = SlotOf(live);
  live.timer.Delete();
  // No signal comes any more that would tell of it.
  if (live.blocked.is_blocked()) live.blocked.Update(slot, live.tid);
  retired_.lost_ns += live.blocked.lost_ns(slot) + live.blocked.waiting_ns(slot);
  live.blocked = {};
  live.refused = false;
  slot.generation.fetch_add(1, std::memory_order_relaxed);
  if (slot.timing.load(std::memory_order_relaxed) == ThreadSlot::Timing::kTimed) {
    slot.timing.store(ThreadSlot::Timing::kNone, std::memory_order_relaxed);
  }
}

void ThreadRegistry::CountRefusalsAnew() {
  const std::lock_guard lock(mutex_);
  for (Live& live : live_) live.refused = false;
}

void ThreadRegistry::Retire(std::size_t position) {
  Live& live = live_[position];
  ThreadSlot& slot = SlotOf(live);
  if (slot.timing.load(std::memory_order_relaxed) == ThreadSlot::Timing::kExcluded) {
    const std::uint64_t cpu_ns = ThreadCpuNs(live.tid);
    if (cpu_ns > live.cpu_base_ns) retired_profiler_ns_ += cpu_ns - live.cpu_base_ns;
    slot.timing.store(ThreadSlot::Timing::kNone, std::memory_order_relaxed);
  }
  Disarm(live);
  Signals().slots.ClearIndex(live.tid);
  retired_.signals += slot.signals.value();
  retired_.taken += slot.taken.value();
  retired_.dropped += slot.dropped.value();
  retired_.blocked += slot.blocked.value();
  for (HandlerCounter* counter : {&slot.signals, &slot.taken, &slot.dropped, &slot.blocked}) {
    counter->Reset();
  }
  free_.push_back(live.index);
  live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(position));
}

ThreadSlot* ThreadRegistry::EnterCurrentThread() {
  const std::lock_guard lock(mutex_);
  const std::int32_t tid = CurrentTid();
  Live* live = Find(tid);
  const bool is_new = live == nullptr;
  if (is_new) live = Add(tid);
  if (live == nullptr) return nullptr;
  Arm(*live);
  if (is_new && live->timer.exists()) retired_.late_ns += ThreadCpuNs(tid);
  return &SlotOf(*live);
}

void ThreadRegistry::LeaveCurrentThread() {
  const std::lock_guard lock(mutex_);
  const Live* live = Find(CurrentTid());
  if (live != nullptr) Retire(static_cast<std::size_t>(live - live_.data()));
}

void ThreadRegistry::ExcludeCurrentThread() {
  const std::lock_guard lock(mutex_);
  const std::int32_t tid = CurrentTid();
  Live* live = Find(tid);
  if (live == nullptr) live = Add(tid);
  if (live == nullptr) return;
  ThreadSlot& slot = SlotOf(*live);
  if (slot.timing.load(std::memory_order_relaxed) == ThreadSlot::Timing::kExcluded) return;
  Disarm(*live);
  live->cpu_base_ns = ThreadCpuNs(tid);
  slot.timing.store(ThreadSlot::Timing::kExcluded, std::memory_order_relaxed);
}

void ThreadRegistry::OpenTaskDirectory() {
  if (task_directory_ < 0) {
    task_directory_ = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
}

void ThreadRegistry::StartTimers(std::uint64_t period_ns) {
  {
    const std::lock_guard lock(mutex_);
    period_ns_ = period_ns;
    OpenTaskDirectory();
    for (Live& live : live_) Arm(live);
  }
  Scan(/*covered=*/true);
}

void ThreadRegistry::StopTimers() {
  const std::lock_guard lock(mutex_);
  period_ns_ = 0;
  for (Live& live : live_) Disarm(live);
}

bool ThreadRegistry::ThreadCountChanged() {
  const std::lock_guard lock(mutex_);
  struct stat status {};
  return task_directory_ >= 0 && fstat(task_directory_, &status) == 0 &&
         status.st_nlink != seen_links_;
}

void ThreadRegistry::Scan(bool covered) {
  const std::lock_guard lock(mutex_);
  struct stat status {};
  if (fstat(task_directory_, &status) == 0) seen_links_ = status.st_nlink;
  ++scan_;
  ListThreads(task_directory_, [this, covered](std::int32_t tid) {
    Live* live = Find(tid);
    const bool is_new = live == nullptr;
    if (is_new) live = Add(tid);
    if (live == nullptr) return;
    live->scan = scan_;
    Arm(*live);
    if (is_new && !covered && live->timer.exists()) retired_.late_ns += ThreadCpuNs(tid);
  });
  // The kernel's list may miss a thread while others end: ask for each one by itself.
  for (std::size_t i = live_.size(); i-- > 0;) {
    if (live_[i].scan != scan_ && !IsAlive(live_[i].tid)) Retire(i);
  }
  CheckOneTimer();
}

// A thread's id may be given to a new thread before a Scan misses the old one. Its timer is
// dead then, though the thread is there.
void ThreadRegistry::CheckOneTimer() {
  if (live_.empty()) return;
  Live& live = live_[check_position_++ % live_.size()];
  if (live.timer.exists() && !live.timer.IsTicking()) {
    Disarm(live);
    Arm(live);
  }
}

void ThreadRegistry::LookForBlocked() {
  const std::lock_guard lock(mutex_);
  for (Live& live : live_) {
    if (live.timer.exists()) live.blocked.Update(SlotOf(live), live.tid);
  }
}

void ThreadRegistry::LookAtBlocked() {
  const std::lock_guard lock(mutex_);
  for (Live& live : live_) {
    if (live.blocked.is_blocked()) live.blocked.Update(SlotOf(live), live.tid);
  }
}

std::vector<FoundThread> ThreadRegistry::Threads() {
  const std::lock_guard lock(mutex_);
  std::vector<FoundThread> threads;
  threads.reserve(live_.size());
  for (const Live& live : live_) {
    if (SlotOf(live).timing.load(std::memory_order_relaxed) == ThreadSlot::Timing::kExcluded) {
      continue;
    }
    threads.push_back({live.tid, live.index});
  }
  return threads;
}

bool ThreadRegistry::HandlersInFlight() {
  const std::lock_guard lock(mutex_);
  for (const Live& live : live_) {
    if (SlotOf(live).in_handler.load(std::memory_order_seq_cst)) return true;
  }
  return false;
}

ThreadTotals ThreadRegistry::Totals() {
  const std::lock_guard lock(mutex_);
  ThreadTotals totals = retired_;
  for (const Live& live : live_) {
    const ThreadSlot& slot = SlotOf(live);
    totals.signals += slot.signals.value();
    totals.taken += slot.taken.value();
    totals.dropped += slot.dropped.value();
    totals.blocked += slot.blocked.value();
    totals.lost_ns += live.blocked.lost_ns(slot);
    totals.waiting_ns += live.blocked.waiting_ns(slot);
  }
  return totals;
}

std::size_t ThreadRegistry::LiveThreads() {
  const std::lock_guard lock(mutex_);
  return live_.size();
}

std::uint64_t ThreadRegistry::ProfilerCpuNs() {
  const std::lock_guard lock(mutex_);
  std::uint64_t total = retired_profiler_ns_;
  for (const Live& live : live_) {
    if (SlotOf(live).timing.load(std::memory_order_relaxed) != ThreadSlot::Timing::kExcluded) {
      continue;
    }
    const std::uint64_t cpu_ns = ThreadCpuNs(live.tid);
    if (cpu_ns > live.cpu_base_ns) total += cpu_ns - live.cpu_base_ns;
  }
  return total;
}

void ThreadRegistry::ResetInChild() {
  // mutex_ is held since LockForFork. The thread that forked has a new id.
  period_ns_ = 0;
  if (task_directory_ >= 0) close(task_directory_);
  task_directory_ = -1;
  for (Live& live : live_) {
    live.timer.Forget();
    // The thread that was in the handler is not in this process, and will not leave it here.
    SlotOf(live).in_handler.store(false, std::memory_order_relaxed);
  }
  while (!live_.empty()) Retire(live_.size() - 1);
  retired_ = {};
  retired_profiler_ns_ = 0;
  mutex_.unlock();
}

}  // namespace sonde
