// FastTimer: samples the thread that makes it faster than its CPU timer can.

#ifndef SONDE_TESTS_TORTURE_FAST_TIMER_H_
#define SONDE_TESTS_TORTURE_FAST_TIMER_H_

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "sampler/sigprof.h"
#include "sampler/timer_value.h"
#include "sonde/thread_context.h"

namespace sonde::torture {

// A thread's CPU timer fires with the kernel's tick at most. This one, of the thread's life,
// sends what that timer sends at the rate wanted.
class FastTimer {
 public:
  explicit FastTimer(int hz) {
    RegisterCurrentThread();
    const std::int32_t tid = gettid();
    const ThreadSlots& slots = Signals().slots;
    const ThreadSlot* slot = slots.Of(tid);
    std::uint32_t index = 0;
    while (slot != nullptr && slots.At(index) != slot) ++index;
    if (slot == nullptr) return;
    const TimerValue value(TimerValue::kThread, index, slot->generation.load());
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event.sigev_value.sival_ptr = value.pointer();
    event._sigev_un._tid = tid;
    exists_ = timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
    const itimerspec spec = {{0, 1'000'000'000 / hz}, {0, 1'000'000'000 / hz}};
    if (exists_) timer_settime(timer_, 0, &spec, nullptr);
  }
  ~FastTimer() {
    if (exists_) timer_delete(timer_);
  }
  FastTimer(const FastTimer&) = delete;
  FastTimer& operator=(const FastTimer&) = delete;

 private:
  timer_t timer_{};
  bool exists_ = false;
};

}  // namespace sonde::torture

#endif  // SONDE_TESTS_TORTURE_FAST_TIMER_H_
