// CurrentContext: see current_thread.h; with it what is public about the calling thread.

#include "sampler/current_thread.h"

#include <signal.h>

#include "sampler/thread_registry.h"
#include "sonde/sampler.h"
#include "sonde/thread_context.h"

namespace sonde {
namespace {

// Initial-exec: one instruction finds it, and no library call.
[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadContext* context = nullptr;
constinit thread_local ThreadContext without_slot;
constinit thread_local bool has_ended = false;

struct EndOfThread {
  bool armed = false;
  ~EndOfThread() {
    if (!armed) return;
    has_ended = true;
    context = &without_slot;
    ThreadRegistry::Get().LeaveCurrentThread();
  }
};
thread_local EndOfThread end_of_thread;

[[gnu::noinline, gnu::cold]] ThreadContext& Enter() noexcept {
  ThreadSlot* slot = has_ended ? nullptr : ThreadRegistry::Get().EnterCurrentThread();
  if (slot != nullptr) end_of_thread.armed = true;
  context = slot != nullptr ? &slot->context : &without_slot;
  return *context;
}

}  // namespace

ThreadContext& CurrentContext() noexcept { return context != nullptr ? *context : Enter(); }

void ForgetCurrentThread() noexcept { context = nullptr; }

std::uint64_t ExchangeCurrentTask(std::uint64_t task_id) noexcept {
  // Only this thread writes it, so that no atomic exchange is needed.
  std::atomic<std::uint64_t>& current = CurrentContext().task_id;
  const std::uint64_t before = current.load(std::memory_order_relaxed);
  current.store(task_id, std::memory_order_relaxed);
  return before;
}

void RegisterCurrentThread() noexcept { CurrentContext(); }

void ExcludeCurrentThread() {
  // All signals but SIGPROF: the catch-all's goes to the thread that runs, and only
  // when that one blocks it to another, whose blocking call it would interrupt. Here the
  // handler returns at once.
  sigset_t blocked;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGPROF);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  CurrentContext();
  ThreadRegistry::Get().ExcludeCurrentThread();
}

}  // namespace sonde
