// Collector: see collector.h.

#include "sampler/collector.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include "sampler/interval_builder.h"
#include "sampler/raw_syscall.h"
#include "sampler/sampler_counters.h"
#include "sampler/sigprof.h"
#include "sampler/thread_status.h"

namespace sonde {
namespace {

constexpr int kFutexWaitPrivate = 0 | 128;
constexpr int kFutexWakePrivate = 1 | 128;
constexpr std::int64_t kTickNs = 100'000'000;
constexpr std::uint64_t kTicksPerSecond = 10;
constexpr std::uint64_t kWatchTicks = 3;
constexpr std::uint64_t kMostNsOfASample = 250'000'000;
constexpr std::size_t kSmallestRing = std::size_t{1} << 16;
constexpr std::size_t kMostNames = 1 << 16;

std::int64_t Now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

SamplerStats Difference(const SamplerStats& now, const SamplerStats& before) {
  SamplerStats span;
  for (const auto counter : kSamplerCounters) span.*counter = now.*counter - before.*counter;
  return span;
}

// Without memory for them the samples are dropped.
void BuildOrDrop(const SampleTable& table,
                 const std::unordered_map<std::int32_t, std::string>& names,
                 Interval& interval) noexcept {
  try {
    BuildSamples(table, Signals().modules, names, interval);
  } catch (const std::bad_alloc&) {
    interval.samples.clear();
    interval.no_room = std::exchange(interval.stats.written, 0);
    interval.stats.dropped += interval.no_room;
  }
}

}  // namespace

Collector::Collector(const SamplerOptions& options)
    : options_(options),
      period_ns_(1'000'000'000 / static_cast<std::uint64_t>(options.hz)),
      table_(options.max_stacks),
      wall_(options.wall_hz, options.max_stacks),
      process_timer_(options.hz, options.catch_all),
      account_(period_ns_) {}

Collector::~Collector() { Stop(); }

Result<std::unique_ptr<Collector>> Collector::Start(const SamplerOptions& options) {
  std::unique_ptr<Collector> collector(new Collector(options));
  if (!collector->AttachRing()) {
    return Error{ErrorCode::kSystem, "no memory for the ring of samples"};
  }
  SignalState& state = Signals();
  PrepareUnwinder();
  state.max_depth = std::min(options.max_depth, kDeepestStack);
  state.max_weight = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(8, kMostNsOfASample / collector->period_ns_));
  state.copied_stack_bytes = 0;
  if (options.unwinder == Unwinder::kDeferred) {
    Result<std::unique_ptr<DeferredUnwinder>> deferred = DeferredUnwinder::Open(state.modules);
    if (!deferred.ok()) return deferred.error();
    collector->deferred_ = std::move(deferred).value();
    state.copied_stack_bytes = options.stack_bytes & ~std::size_t{7};
  }
  state.wake.store(0, std::memory_order_relaxed);

  if (!collector->OpenAccounts()) {
    state.run.store(0, std::memory_order_seq_cst);
    return Error{ErrorCode::kSystem, std::string("no process timer: ") + std::strerror(errno)};
  }
  ThreadRegistry::Get().StartTimers(collector->period_ns_);

  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const int error = pthread_create(&collector->thread_, nullptr, &ThreadMain, collector.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    return Error{ErrorCode::kSystem, std::string("no collector thread: ") + std::strerror(error)};
  }
  collector->has_thread_ = true;
  return collector;
}

// The memory stays for the life of the process: a late handler may still look at it.
bool Collector::AttachRing() {
  static SampleRing::Word* memory = nullptr;
  static std::size_t bytes_mapped = 0;
  const std::size_t bytes = std::bit_ceil(std::max(options_.ring_bytes, kSmallestRing));
  if (bytes > bytes_mapped) {
    void* fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (fresh == MAP_FAILED) return false;
    if (memory != nullptr) madvise(static_cast<void*>(memory), bytes_mapped, MADV_DONTNEED);
    memory = static_cast<SampleRing::Word*>(fresh);
    bytes_mapped = bytes;
  }
  const std::size_t words = bytes / sizeof(SampleRing::Word);
  for (std::size_t i = 0; i < words; ++i) memory[i].store(0, std::memory_order_relaxed);
  Signals().ring.Attach(memory, words);
  return true;
}

bool Collector::OpenAccounts() {
  static std::uint32_t runs = 0;
  run_ = ++runs;
  account_.Open();
  interval_time_ns_ = Now(CLOCK_REALTIME);
  interval_start_ns_ = Now(CLOCK_MONOTONIC);
  Signals().run.store(run_, std::memory_order_seq_cst);

  return process_timer_.Start(run_);
}

void* Collector::ThreadMain(void* collector) {
  pthread_setname_np(pthread_self(), "sonde-collector");
  ExcludeCurrentThread();
  static_cast<Collector*>(collector)->Loop();
  return nullptr;
}

void Collector::Loop() {
  std::int64_t next_ns = Now(CLOCK_MONOTONIC) + kTickNs;
  while (!ending_.load(std::memory_order_acquire)) {
    SignalState& state = Signals();
    const std::int64_t due_ns = std::min(next_ns, next_look_ns_.load(std::memory_order_relaxed));
    const std::int64_t wait_ns = due_ns - Now(CLOCK_MONOTONIC);
    if (wait_ns > 0) {
      const timespec timeout = {0, static_cast<long>(std::min(wait_ns, kTickNs))};
      RawSyscall(SYS_futex, reinterpret_cast<long>(&state.wake), kFutexWaitPrivate, 0,
                 reinterpret_cast<long>(&timeout));
    }
    const bool early = state.wake.exchange(0, std::memory_order_acq_rel) != 0;
    const std::int64_t now_ns = Now(CLOCK_MONOTONIC);
    if (now_ns >= next_ns) {
      next_ns = std::max(next_ns + kTickNs, now_ns);
      Tick();
    } else if (now_ns >= next_look_ns_.load(std::memory_order_relaxed)) {
      LookAtThreads();
    } else if (early) {
      const std::lock_guard lock(mutex_);
      Drain();
    }
  }
}

void Collector::Wake() {
  SignalState& state = Signals();
  state.wake.store(1, std::memory_order_release);
  RawSyscall(SYS_futex, reinterpret_cast<long>(&state.wake), kFutexWakePrivate, 1);
}

void Collector::Tick() {
  ++ticks_;
  const bool each_second = ticks_ % kTicksPerSecond == 0;
  ThreadRegistry& threads = ThreadRegistry::Get();
  if (each_second || threads.ThreadCountChanged()) threads.Scan(process_timer_.is_on());
  if (ticks_ % (2 * kTicksPerSecond) == 1) Signals().ranges.RefreshIfWanted();
  const std::lock_guard lock(mutex_);
  Drain();
  const bool watches = ticks_ % kWatchTicks == 0;
  if (watches || each_second) {
    const std::int64_t unknown_ns = account_.ExplainedCpuNs(process_timer_);
    if (watches) process_timer_.Watch(unknown_ns, threads.LiveThreads());
    if (each_second) process_timer_.Tune(unknown_ns);
  }
  if (each_second) CheckHandler();
}

void Collector::LookAtThreads() {
  ThreadRegistry& threads = ThreadRegistry::Get();
  if (threads.ThreadCountChanged()) threads.Scan(process_timer_.is_on());
  const std::lock_guard lock(mutex_);
  Drain();
  try {
    next_look_ns_.store(wall_.is_on() ? wall_.Look() : kNever, std::memory_order_relaxed);
  } catch (const std::bad_alloc&) {
    next_look_ns_.store(Now(CLOCK_MONOTONIC) + kTickNs, std::memory_order_relaxed);
  }
}

void Collector::Drain() noexcept {
  SampleRing& ring = Signals().ring;
  const auto take = [this](const RawSample& sample, std::uint64_t count, auto word_at) {
    words_.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) words_[i] = word_at(i);
    if (sample.copied_words != 0) {
      WalkAndAdd(sample);
    } else {
      Take(sample, words_);
    }
  };
  // What comes meanwhile is for the next time, or this one may never end.
  const std::uint64_t end = ring.written();
  try {
    while (ring.read() < end && ring.Read(take)) {
    }
  } catch (const std::bad_alloc&) {
  }
  if (process_timer_.holds_samples()) {
    process_timer_.Weigh(
        account_.UnknownCpuNs(process_timer_),
        [this](const RawSample& sample, auto frames) { AddToTable(sample, frames); });
  }
}

// There is no next time.
void Collector::DropWhatIsLeft() noexcept {
  SampleRing& ring = Signals().ring;
  const auto drop = [this](const RawSample& sample, std::uint64_t, auto) {
    if (sample.source != SampleSource::kWall) account_.AddRefused(sample);
  };
  while (ring.read() < ring.written() && ring.Read(drop)) {
  }
}

void Collector::WalkAndAdd(RawSample sample) {
  std::array<PackedFrame, kDeepestStack> frames;
  UnwoundStack stack{0, Truncation::kNoRule};
  if (deferred_ != nullptr) {
    stack = deferred_->Unwind(words_, frames.data(), std::min(options_.max_depth, kDeepestStack));
  }
  sample.depth = static_cast<std::uint16_t>(stack.depth);
  sample.truncation = stack.truncation;
  words_.clear();
  for (std::uint32_t i = 0; i < stack.depth; ++i) words_.push_back(frames[i].bits());
  Take(sample, words_);
}

void Collector::Take(const RawSample& sample, std::span<const std::uint64_t> frames) {
  switch (sample.source) {
    case SampleSource::kThreadTimer:
      return AddToTable(sample, frames);
    case SampleSource::kCatchAll:
      return process_timer_.Hold(sample, frames);
    case SampleSource::kWall:
      return wall_.Take(sample, frames);
  }
}

void Collector::AddToTable(const RawSample& sample, std::span<const std::uint64_t> frames) {
  if (!table_.Add(sample, frames)) {
    account_.AddRefused(sample);
    return;
  }
  account_.AddWritten(sample);
  NoteName(sample);
}

// At once, for the thread may be gone when the interval ends.
void Collector::NoteName(const RawSample& sample) noexcept try {
  const auto tid = static_cast<std::int32_t>(sample.tid);
  if (names_.contains(tid) || names_.size() >= kMostNames) return;
  if (sample.source == SampleSource::kCatchAll) {
    const char* name = reinterpret_cast<const char*>(sample.name);
    names_.emplace(tid, std::string(name, strnlen(name, sizeof(sample.name))));
  } else {
    names_.emplace(tid, NameOfThread(tid));
  }
} catch (const std::bad_alloc&) {
}

void Collector::RefreshNames() noexcept try {
  for (auto& [tid, name] : names_) {
    std::string now = NameOfThread(tid);
    if (!now.empty()) name = std::move(now);
  }
} catch (const std::bad_alloc&) {
}

void Collector::CheckHandler() {
  const bool ours = FindSigprofOwner() == SigprofOwner::kUs;
  if (handler_is_ours_ && !ours) account_.AddHandlerReplaced();
  handler_is_ours_ = ours;
}

SamplerStats Collector::Stats() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return at_last_cut_;
  Drain();
  ThreadRegistry::Get().LookAtBlocked();
  return account_.Now(process_timer_);
}

// Under mutex_. The samples and all counts up to now; what comes after is the next interval's.
Interval Collector::CutInterval() {
  Drain();
  RefreshNames();
  ThreadRegistry::Get().LookAtBlocked();
  const SamplerStats now = account_.Now(process_timer_);
  Interval interval;
  interval.stats = Difference(now, at_last_cut_);
  // A signal in flight counts with the interval that its sample reaches.
  interval.stats.taken = interval.stats.written + interval.stats.dropped;
  at_last_cut_ = now;
  ThreadRegistry::Get().CountRefusalsAnew();

  const std::int64_t end_ns = Now(CLOCK_MONOTONIC);
  interval.time_ns = interval_time_ns_;
  interval.duration_ns = end_ns - interval_start_ns_;
  interval.period_ns = static_cast<std::int64_t>(period_ns_);
  interval_time_ns_ += interval.duration_ns;
  interval_start_ns_ = end_ns;
  return interval;
}

Interval Collector::TakeInterval() {
  SampleTable table(options_.max_stacks);
  std::unordered_map<std::int32_t, std::string> names;
  Interval interval;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return interval;
    interval = CutInterval();
    std::swap(table, table_);
    std::swap(names, names_);
  }
  BuildOrDrop(table, names, interval);
  return interval;
}

void Collector::BeginWall() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  wall_.Begin();
  next_look_ns_.store(0, std::memory_order_relaxed);
  Wake();
}

void Collector::EndWall() {
  const std::lock_guard lock(mutex_);
  wall_.End();
}

Interval Collector::TakeWallInterval() {
  WallCut cut(options_.max_stacks);
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return std::exchange(last_wall_, {});
    Drain();
    cut = wall_.Cut();
  }
  return std::move(cut).Build(Signals().modules);
}

Interval Collector::Stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return {};
  }
  SignalState& state = Signals();
  state.run.store(0, std::memory_order_seq_cst);
  ThreadRegistry& threads = ThreadRegistry::Get();
  threads.StopTimers();
  process_timer_.Stop();
  // A handler saw the run before it ended, and may have been put aside by the scheduler.
  const timespec pause = {0, 200'000};
  while (threads.HandlersInFlight() || state.shared_handlers.load(std::memory_order_seq_cst) != 0) {
    nanosleep(&pause, nullptr);
  }
  ending_.store(true, std::memory_order_release);
  Wake();
  if (has_thread_) pthread_join(thread_, nullptr);
  has_thread_ = false;

  const std::lock_guard lock(mutex_);
  Drain();
  DropWhatIsLeft();
  Interval interval = CutInterval();
  stopped_ = true;
  try {
    last_wall_ = wall_.Cut().Build(state.modules);
  } catch (const std::bad_alloc&) {
    last_wall_ = {};
  }
  wall_.EndAll();
  BuildOrDrop(table_, names_, interval);
  table_ = SampleTable(options_.max_stacks);
  names_.clear();
  return interval;
}

void Collector::AbandonInChild() {
  // mutex_ is held since LockForFork.
  stopped_ = true;
  has_thread_ = false;
  process_timer_.Forget();
  wall_.Forget();
  Signals().run.store(0, std::memory_order_seq_cst);
  Signals().shared_handlers.store(0, std::memory_order_relaxed);
  mutex_.unlock();
}

}  // namespace sonde
