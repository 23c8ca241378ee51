// ThreadRegistry: gives every thread a slot and, while a Sampler runs, a timer.

#ifndef SONDE_SAMPLER_THREAD_REGISTRY_H_
#define SONDE_SAMPLER_THREAD_REGISTRY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sampler/blocked_time.h"
#include "sampler/kernel_timer.h"
#include "sampler/thread_slot.h"

namespace sonde {

// Sums over all threads, those that ended included. Weights are in sampling periods.
struct ThreadTotals {
  std::uint64_t signals = 0;
  std::uint64_t taken = 0;
  std::uint64_t dropped = 0;
  std::uint64_t blocked = 0;
  std::uint64_t threads_seen = 0;
  std::uint64_t timers_refused = 0;
  std::uint64_t late_ns = 0;  // CPU time of threads before they got their timer.
  // CPU time of threads that block SIGPROF: lost beyond `blocked`, and what the signals that wait
  // for them may still tell of.
  std::uint64_t lost_ns = 0;
  std::uint64_t waiting_ns = 0;
};

struct FoundThread {
  std::int32_t tid;
  std::uint32_t index;  // Of its slot.
};

// The only one lives as long as the process. Any thread. Not async-signal-safe.
class ThreadRegistry {
 public:
  static ThreadRegistry& Get();

  // The slot of the calling thread, found or made; null when there is no room.
  ThreadSlot* EnterCurrentThread();
  // The calling thread ends.
  void LeaveCurrentThread();
  // The calling thread is one of the profiler's own from now on.
  void ExcludeCurrentThread();

  // Gives all threads that there are a timer, and those that come when they are found.
  void StartTimers(std::uint64_t period_ns);
  void StopTimers();

  // Looks for threads that came and went. What a new one used before is late, unless
  // `covered` by other means. Collector only, while timers run.
  void Scan(bool covered);
  // True when the number of threads is another one than at the last Scan.
  bool ThreadCountChanged();

  // Looks for threads that block SIGPROF, at all that have a timer or at those that did at the last
  // look. A system call for each.
  void LookForBlocked();
  void LookAtBlocked();

  // Threads that are not the profiler's own.
  std::vector<FoundThread> Threads();

  // True while a handler runs on a thread with a slot.
  bool HandlersInFlight();

  ThreadTotals Totals();
  std::size_t LiveThreads();
  // Threads that still have no timer are counted as refused once more.
  void CountRefusalsAnew();
  // CPU time that excluded threads used since they were excluded, in nanoseconds.
  std::uint64_t ProfilerCpuNs();

  // Around fork. The child keeps its own thread alone, without a timer.
  void LockForFork() { mutex_.lock(); }
  void UnlockInParent() { mutex_.unlock(); }
  void ResetInChild();

 private:
  struct Live {
    std::uint32_t index = 0;
    std::int32_t tid = 0;
    std::uint64_t scan = 0;         // The last one that saw it.
    std::uint64_t cpu_base_ns = 0;  // Excluded threads: when they were.
    bool refused = false;
    KernelTimer timer;  // Of its CPU time.
    BlockedTime blocked;
  };

  ThreadRegistry() = default;

  // All under mutex_.
  Live* Find(std::int32_t tid);
  bool MakeRoom();
  Live* Add(std::int32_t tid);  // Null when there is no room.
  void Arm(Live& live);
  void Disarm(Live& live);
  void Retire(std::size_t position);
  void CheckOneTimer();
  ThreadSlot& SlotOf(const Live& live);
  void OpenTaskDirectory();
  std::uint64_t Random();

  std::mutex mutex_;
  std::vector<Live> live_;           // Sorted by tid.
  std::vector<std::uint32_t> free_;  // Slots.
  std::uint32_t next_index_ = 0;
  ThreadTotals retired_;
  std::uint64_t retired_profiler_ns_ = 0;
  std::uint64_t period_ns_ = 0;  // 0 while no timers run.
  std::uint64_t scan_ = 0;
  std::size_t check_position_ = 0;
  std::uint64_t random_ = 0;
  int task_directory_ = -1;
  std::uint64_t seen_links_ = 0;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_THREAD_REGISTRY_H_
