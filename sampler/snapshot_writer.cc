// SnapshotWriter: the thread that turns intervals into snapshot files.

#include "sampler/snapshot_writer.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "sampler/accounting.h"
#include "sonde/byte_sink.h"
#include "sonde/pprof.h"
#include "sonde/sampler.h"

namespace sonde {
namespace {

using std::chrono::steady_clock;

constexpr std::int64_t kMillisecond = 1'000'000;  // In nanoseconds.

std::int64_t NowMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Result<std::string> Encode(const Profile& profile) {
  StringSink bytes;
  GzipSink gzip(bytes);
  if (Status status = WritePprof(profile, gzip); !status.ok()) return status.error();
  if (Status status = gzip.Close(); !status.ok()) return status.error();
  return std::move(bytes).Take();
}

// A thread that starts with every signal blocked: no handler of the host runs on it. None where
// there can be none.
std::thread StartSilent(std::function<void()> run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(run));
  } catch (const std::exception&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

// Short enough to need none.
Error OutOfMemory() { return {.code = ErrorCode::kSystem, .message = "out of memory"}; }

Error NoThread() {
  return {.code = ErrorCode::kSystem,
          .message = "no thread can be started that writes snapshots",
          .stage = "snapshots"};
}

}  // namespace

SnapshotWriter::SnapshotWriter(SnapshotWriterOptions options, TakeInterval take,
                               std::vector<ExtraSource> extras, TakeInterval take_wall)
    : options_(std::move(options)),
      take_(std::move(take)),
      extras_(std::move(extras)),
      take_wall_(std::move(take_wall)),
      folder_(options_.folder, options_.keep),
      symbolizer_(options_.privacy),
      next_(steady_clock::now() + options_.interval) {
  symbolizer_.NameTasksBy(options_.task_name);
  thread_ = StartSilent([this] { Run(); });
  if (!thread_.joinable()) Tell("thread", NoThread());
}

SnapshotWriter::~SnapshotWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<std::string> SnapshotWriter::WriteNow() {
  std::unique_lock lock(mutex_);
  if (is_ending_) return Error{.code = ErrorCode::kUsage, .message = "the session has ended"};
  if (!thread_.joinable()) return NoThread();
  const std::uint64_t ticket = ++requested_;
  work_.notify_all();
  done_.wait(lock, [&] { return served_ >= ticket; });
  return *outcome_;
}

Result<std::string> SnapshotWriter::Finish(TakeInterval last) {
  std::unique_lock lock(mutex_);
  if (is_ending_) return Error{.code = ErrorCode::kUsage, .message = "the session has ended"};
  last_ = std::move(last);
  is_ending_ = true;
  work_.notify_all();
  lock.unlock();
  if (!thread_.joinable()) return Write(last_());
  thread_.join();
  return *outcome_;
}

Result<std::string> SnapshotWriter::WriteGuest(Interval interval) {
  Guest guest{std::move(interval), std::nullopt};
  std::unique_lock lock(mutex_);
  if (is_ending_) return Error{.code = ErrorCode::kUsage, .message = "the session has ended"};
  if (!thread_.joinable()) return NoThread();
  guests_.push_back(&guest);
  work_.notify_all();
  done_.wait(lock, [&] { return guest.outcome.has_value(); });
  return *std::move(guest.outcome);
}

SnapshotStats SnapshotWriter::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

// Waits for the clock, a request or the end. False at the end. Guests are served meanwhile.
bool SnapshotWriter::WaitForWork(std::unique_lock<std::mutex>& lock) {
  const auto has_work = [&] { return is_ending_ || requested_ > served_; };
  do {
    WriteGuests(lock);
    work_.wait_until(lock, next_, [&] { return has_work() || !guests_.empty(); });
  } while (!guests_.empty());
  if (is_ending_) return false;
  const auto now = steady_clock::now();
  while (next_ <= now) next_ += options_.interval;
  return true;
}

void SnapshotWriter::WriteGuests(std::unique_lock<std::mutex>& lock) {
  while (!guests_.empty()) {
    Guest& guest = *guests_.front();
    lock.unlock();
    Result<std::string> outcome = OutOfMemory();
    try {
      outcome = guest.interval.kind == IntervalKind::kWall ? WriteWall(guest.interval)
                                                           : Write(guest.interval);
    } catch (const std::exception&) {
      Report("memory", OutOfMemory());
    }
    lock.lock();
    guests_.pop_front();
    guest.outcome = std::move(outcome);
    done_.notify_all();
  }
}

void SnapshotWriter::Run() {
  ExcludeCurrentThread();
  pthread_setname_np(pthread_self(), "sonde-writer");
  try {
    if (Status status = folder_.Refresh(); !status.ok()) Report("catalog", status.error());
  } catch (const std::exception&) {  // The first snapshot brings it up to date.
  }
  std::unique_lock lock(mutex_);
  for (bool goes_on = true; goes_on;) {
    goes_on = WaitForWork(lock);
    const TakeInterval& take = goes_on ? take_ : last_;
    const std::uint64_t upto = requested_;  // Later requests want a later interval.
    lock.unlock();
    Result<std::string> outcome = OutOfMemory();
    try {
      if (take) {
        outcome = Write(take());
        if (take_wall_) static_cast<void>(WriteWall(take_wall_()));
        WriteExtras();
        Recover("memory");
      } else {
        outcome = Error{.code = ErrorCode::kUsage, .message = "nothing to write"};
      }
    } catch (const std::exception&) {  // The host lives on.
      Report("memory", OutOfMemory());
    }
    lock.lock();
    outcome_ = std::move(outcome);
    served_ = upto;
    done_.notify_all();
  }
  served_ = requested_;
  done_.notify_all();
}

Result<std::string> SnapshotWriter::Write(const Interval& interval) {
  std::uint64_t samples = 0;
  for (const IntervalSample& sample : interval.samples) samples += sample.weight;
  Result<std::string> path = OutOfMemory();
  try {
    if (interval.stats.timers_refused == 0) {
      Recover("timers");
    } else {
      Tell("timers", {.code = ErrorCode::kSystem,
                      .message = RefusedTimers(interval.stats),
                      .stage = "sampler"});
    }
    ProfileBuilder profile = symbolizer_.Name(interval);
    if (lost_samples_ != 0) {
      profile.losses().Add("earlier snapshot not written", "samples", lost_samples_);
    }
    path = WriteFile({.kind = options_.kind,
                      .start_ns = interval.time_ns,
                      .duration_ns = interval.duration_ns,
                      .samples = samples,
                      .dropped = interval.stats.dropped},
                     std::move(profile));
  } catch (const std::exception&) {
    Report(options_.kind, path.error());
  }
  lost_samples_ = path.ok() ? 0 : lost_samples_ + samples;
  const std::lock_guard lock(mutex_);
  stats_.snapshots += path.ok() ? 1 : 0;
  (path.ok() ? stats_.samples : stats_.samples_lost) += samples;
  stats_.samples_lost += interval.no_room;
  return path;
}

Result<std::string> SnapshotWriter::WriteWall(const Interval& interval) {
  std::uint64_t looks = 0;
  for (const IntervalSample& sample : interval.samples) looks += sample.signals;
  Result<std::string> path = WriteFile({.kind = "wall",
                                        .start_ns = interval.time_ns,
                                        .duration_ns = interval.duration_ns,
                                        .samples = looks,
                                        .dropped = interval.wall.dropped_ns},
                                       symbolizer_.Name(interval));
  const std::lock_guard lock(mutex_);
  stats_.extras += path.ok() ? 1 : 0;
  return path;
}

void SnapshotWriter::WriteExtras() {
  for (const ExtraSource& extra : extras_) {
    Result<HeapProfile> heap = extra.take();
    if (!heap.ok()) {
      Report(extra.kind, heap.error());
      continue;
    }
    const bool written = WriteFile({.kind = extra.kind,
                                    .start_ns = NowMs() * kMillisecond,
                                    .samples = heap.value().objects},
                                   std::move(heap.value().profile))
                             .ok();
    const std::lock_guard lock(mutex_);
    stats_.extras += written ? 1 : 0;
  }
}

Result<std::string> SnapshotWriter::WriteFile(SnapshotFacts facts, ProfileBuilder profile) {
  facts.role = options_.role;
  facts.pid = ::getpid();
  facts.sequence = ++sequence_;
  profile.AddComment(facts.Text());
  last_time_ms_ = std::max(last_time_ms_, NowMs());  // Also when the clock is set back.
  const Result<std::string> bytes = Encode(std::move(profile).Build());
  Result<SnapshotFolder::Added> added = bytes.ok() ? folder_.Add({.role = facts.role,
                                                                  .kind = facts.kind,
                                                                  .time_ms = last_time_ms_,
                                                                  .sequence = facts.sequence},
                                                                 bytes.value())
                                                   : bytes.error();
  if (!added.ok()) {
    Report(facts.kind, added.error());
    return added.error();
  }
  Recover(facts.kind);
  if (added.value().catalog.ok()) {
    Recover("catalog");
  } else {
    Report("catalog", added.value().catalog.error());
  }
  const std::lock_guard lock(mutex_);
  stats_.bytes += bytes.value().size();
  return std::move(added).value().path;
}

void SnapshotWriter::Report(const std::string& what, const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    ++stats_.failures;
    stats_.problem = error.message;
    problem_of_ = what;
  }
  Tell(what, error);
}

void SnapshotWriter::Recover(const std::string& what) {
  failing_.erase(what);
  const std::lock_guard lock(mutex_);
  if (problem_of_ == what) stats_.problem.clear();
}

// Without memory to tell it, it is only counted.
void SnapshotWriter::Tell(const std::string& what, const Error& error) noexcept try {
  const std::string text = Describe(error);
  // One trouble, like a folder that is gone, stops several things.
  const bool is_told =
      std::ranges::any_of(failing_, [&](const auto& other) { return other.second == text; });
  const bool is_new = failing_.try_emplace(what, text).second;
  if (is_new && !is_told && options_.on_error) options_.on_error(error);
} catch (const std::exception&) {
}

}  // namespace sonde
