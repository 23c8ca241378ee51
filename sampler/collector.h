// Collector: the thread that finds threads, empties the ring and adds samples up.

#ifndef SONDE_SAMPLER_COLLECTOR_H_
#define SONDE_SAMPLER_COLLECTOR_H_

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sampler/deferred_unwinder.h"
#include "sampler/interval.h"
#include "sampler/process_timer.h"
#include "sampler/raw_sample.h"
#include "sampler/run_account.h"
#include "sampler/sample_table.h"
#include "sampler/thread_registry.h"
#include "sampler/wall_sampler.h"
#include "sonde/result.h"
#include "sonde/sampler.h"

namespace sonde {

// One run of the sampler, from Start to Stop. Wakes ten times a second, when the ring is half
// full, and for each look of WallSampler. Any thread may take an interval: it then empties the
// ring itself.
class Collector {
 public:
  // As Sampler::Start, for options that were checked; SIGPROF is ours.
  static Result<std::unique_ptr<Collector>> Start(const SamplerOptions& options);
  ~Collector();

  Interval TakeInterval();
  void BeginWall();
  void EndWall();
  Interval TakeWallInterval();
  SamplerStats Stats();
  Interval Stop();

  // Around fork. In the child there is no collector thread, and the run is over.
  void LockForFork() { mutex_.lock(); }
  void UnlockInParent() { mutex_.unlock(); }
  void AbandonInChild();

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  explicit Collector(const SamplerOptions& options);

  bool AttachRing();
  bool OpenAccounts();
  static void* ThreadMain(void* collector);
  void Loop();
  void Wake();
  void Tick();
  void LookAtThreads();

  // All under mutex_.
  //
  // What finds no memory stays in the ring for the next time.
  void Drain() noexcept;
  void DropWhatIsLeft() noexcept;
  void WalkAndAdd(RawSample sample);
  void Take(const RawSample& sample, std::span<const std::uint64_t> frames);
  void AddToTable(const RawSample& sample, std::span<const std::uint64_t> frames);
  void NoteName(const RawSample& sample) noexcept;
  void CheckHandler();
  Interval CutInterval();
  void RefreshNames() noexcept;

  const SamplerOptions options_;
  const std::uint64_t period_ns_;
  std::uint32_t run_ = 0;

  std::mutex mutex_;
  bool stopped_ = false;
  SampleTable table_;
  std::unordered_map<std::int32_t, std::string> names_;  // Of the threads in the table.
  std::vector<std::uint64_t> words_;                     // One sample's, on its way to the table.
  std::unique_ptr<DeferredUnwinder> deferred_;
  WallSampler wall_;
  Interval last_wall_;  // After Stop, until it is taken.

  ProcessTimer process_timer_;
  RunAccount account_;

  bool handler_is_ours_ = true;

  SamplerStats at_last_cut_;
  std::int64_t interval_time_ns_ = 0;
  std::int64_t interval_start_ns_ = 0;

  std::atomic<std::int64_t> next_look_ns_{kNever};
  std::atomic<bool> ending_{false};
  bool has_thread_ = false;
  pthread_t thread_{};
  std::uint64_t ticks_ = 0;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_COLLECTOR_H_
