// Sampler: see sampler.h. The one run of the process, and what fork does to it.

#include "sonde/sampler.h"

#include <pthread.h>
#include <signal.h>

#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "sampler/collector.h"
#include "sampler/current_thread.h"
#include "sampler/interval.h"
#include "sampler/label_table.h"
#include "sampler/sigprof.h"
#include "sampler/thread_registry.h"

namespace sonde {
namespace {

// Never destroyed: fork may come after the destructors of static objects.
struct Runs {
  std::mutex mutex;
  Collector* current = nullptr;
  bool follows_forks = false;
};
Runs& AllRuns() {
  static Runs* const runs = new Runs();
  return *runs;
}

sigset_t mask_before_fork;  // Under the mutex of the runs.

// SIGPROF is held back while a process forks: an old kernel starts a long fork again
// for each signal.
void BeforeFork() {
  sigset_t sigprof;
  sigset_t before;
  sigemptyset(&sigprof);
  sigaddset(&sigprof, SIGPROF);
  pthread_sigmask(SIG_BLOCK, &sigprof, &before);
  Runs& runs = AllRuns();
  runs.mutex.lock();
  mask_before_fork = before;
  if (runs.current != nullptr) runs.current->LockForFork();
  ThreadRegistry::Get().LockForFork();
  LabelTable::Get().LockForFork();
}

void AfterForkInParent() {
  Runs& runs = AllRuns();
  LabelTable::Get().UnlockAfterFork();
  ThreadRegistry::Get().UnlockInParent();
  if (runs.current != nullptr) runs.current->UnlockInParent();
  const sigset_t before = mask_before_fork;
  runs.mutex.unlock();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void AfterForkInChild() {
  Runs& runs = AllRuns();
  LabelTable::Get().UnlockAfterFork();
  ForgetCurrentThread();
  ThreadRegistry::Get().ResetInChild();
  if (runs.current != nullptr) runs.current->AbandonInChild();
  runs.current = nullptr;
  const sigset_t before = mask_before_fork;
  runs.mutex.unlock();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Status Check(const SamplerOptions& options) {
  if (options.hz < 1 || options.hz > 10'000) {
    return Error{ErrorCode::kUsage, "hz must be 1 to 10000, not " + std::to_string(options.hz)};
  }
  if (options.max_depth < 1 || options.max_depth > kDeepestStack) {
    return Error{ErrorCode::kUsage,
                 "max_depth must be 1 to 256, not " + std::to_string(options.max_depth)};
  }
  if (options.max_stacks < 1 || options.max_stacks > (std::size_t{1} << 24)) {
    return Error{ErrorCode::kUsage, "max_stacks must be 1 to 16777216"};
  }
  if (options.ring_bytes > (std::size_t{1} << 30)) {
    return Error{ErrorCode::kUsage, "ring_bytes must be at most 1 GiB"};
  }
  if (options.stack_bytes < 512 || options.stack_bytes > (std::size_t{1} << 16)) {
    return Error{ErrorCode::kUsage, "stack_bytes must be 512 to 65536"};
  }
  if (options.wall_hz < 1 || options.wall_hz > 1'000) {
    return Error{ErrorCode::kUsage,
                 "wall_hz must be 1 to 1000, not " + std::to_string(options.wall_hz)};
  }
  return {};
}

}  // namespace

class Sampler::Impl {
 public:
  explicit Impl(std::unique_ptr<Collector> run) : collector(std::move(run)) {}
  std::unique_ptr<Collector> collector;
};

Sampler::Sampler(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Sampler::~Sampler() { Stop(); }

Result<std::unique_ptr<Sampler>> Sampler::Start(const SamplerOptions& options) {
  if (Status status = Check(options); !status.ok()) return status.error();
  Runs& runs = AllRuns();
  const std::lock_guard lock(runs.mutex);
  if (runs.current != nullptr) {
    return Error{ErrorCode::kUsage, "a sampler runs in this process already"};
  }
  switch (FindSigprofOwner()) {
    case SigprofOwner::kSomebodyElse:
      return Error{ErrorCode::kUnsupported, "SIGPROF has a handler that is not sonde's"};
    case SigprofOwner::kNobody:
      if (const int error = InstallSigprofHandler(); error != 0) {
        return Error{ErrorCode::kSystem,
                     std::string("no handler for SIGPROF: ") + std::strerror(error)};
      }
      break;
    case SigprofOwner::kUs:
      break;
  }
  if (!runs.follows_forks) {
    pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);
    runs.follows_forks = true;
  }
  try {
    Result<std::unique_ptr<Collector>> collector = Collector::Start(options);
    if (!collector.ok()) return collector.error();
    std::unique_ptr<Sampler> sampler(
        new Sampler(std::make_unique<Impl>(std::move(collector).value())));
    runs.current = sampler->impl_->collector.get();
    return sampler;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kSystem, "out of memory"};
  }
}

Interval Sampler::TakeInterval() { return impl_->collector->TakeInterval(); }

void Sampler::BeginWall() { impl_->collector->BeginWall(); }

void Sampler::EndWall() { impl_->collector->EndWall(); }

Interval Sampler::TakeWallInterval() { return impl_->collector->TakeWallInterval(); }

SamplerStats Sampler::stats() const { return impl_->collector->Stats(); }

Interval Sampler::Stop() {
  Runs& runs = AllRuns();
  const std::lock_guard lock(runs.mutex);
  if (runs.current == impl_->collector.get()) runs.current = nullptr;
  return impl_->collector->Stop();
}

}  // namespace sonde
