// BlockedTime: see blocked_time.h.

#include "sampler/blocked_time.h"

#include <algorithm>

#include "sampler/cpu_clock.h"
#include "sampler/thread_status.h"

namespace sonde {
namespace {

// A timer is noticed by the next tick of the kernel: 10 ms, where it has fewest of them.
constexpr std::uint64_t kLatestTickNs = 10'000'000;

}  // namespace

void BlockedTime::Begin(const ThreadSlot& slot, std::uint64_t cpu_ns, std::uint64_t period_ns,
                        std::uint64_t most_ns) noexcept {
  *this = {};
  period_ns_ = period_ns;
  most_ns_ = most_ns;
  cpu_at_begin_ns_ = cpu_ns;
  told_at_begin_ = slot.taken.value() + slot.blocked.value();
  blocked_at_begin_ = slot.blocked.value();
}

std::uint64_t BlockedTime::UntoldNs(const ThreadSlot& slot, std::uint64_t cpu_ns) const noexcept {
  const std::uint64_t told = slot.taken.value() + slot.blocked.value() - told_at_begin_;
  const std::uint64_t due_ns = cpu_at_begin_ns_ + told * period_ns_;
  return cpu_ns > due_ns ? cpu_ns - due_ns : 0;
}

void BlockedTime::Update(const ThreadSlot& slot, std::int32_t tid) {
  const std::uint64_t cpu_ns = ThreadCpuNs(tid);
  if (cpu_ns == 0) return;  // It has ended: what was seen last stays.
  seen_cpu_ns_ = cpu_ns;
  const std::uint64_t untold_ns = UntoldNs(slot, cpu_ns);
  is_blocked_ = untold_ns > 2 * period_ns_ + kLatestTickNs && BlocksSigprof(tid);
  if (!is_blocked_ || untold_ns <= most_ns_) return;
  lost_ns_ = std::max(lost_ns_, CountedByHandlerNs(slot) + untold_ns - most_ns_);
}

std::uint64_t BlockedTime::lost_ns(const ThreadSlot& slot) const noexcept {
  const std::uint64_t counted_ns = CountedByHandlerNs(slot);
  return lost_ns_ > counted_ns ? lost_ns_ - counted_ns : 0;
}

std::uint64_t BlockedTime::waiting_ns(const ThreadSlot& slot) const noexcept {
  return is_blocked_ ? std::min(UntoldNs(slot, seen_cpu_ns_), most_ns_) : 0;
}

}  // namespace sonde
