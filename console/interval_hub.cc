// IntervalHub: lets several readers see the same samples, each over a span of its own.

#include "console/interval_hub.h"

namespace sonde {

void IntervalHub::Cut() {
  if (!cut_) return;
  const Interval interval = cut_();
  for (auto& [id, sum] : spans_) sum.Add(interval, room_);
}

std::uint64_t IntervalHub::Open() {
  const std::lock_guard lock(mutex_);
  if (spans_.empty() && watch_) watch_(true);
  Cut();
  spans_[++last_span_];
  return last_span_;
}

Interval IntervalHub::Take(std::uint64_t span) {
  const std::lock_guard lock(mutex_);
  Cut();
  return spans_[span].Take(room_);
}

Interval IntervalHub::Close(std::uint64_t span) {
  const std::lock_guard lock(mutex_);
  Cut();
  Interval seen = spans_[span].Take(room_);
  spans_.erase(span);
  if (spans_.empty() && watch_) watch_(false);
  return seen;
}

void IntervalHub::Finish(const Interval& last) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, sum] : spans_) sum.Add(last, room_);
  cut_ = nullptr;
}

}  // namespace sonde
