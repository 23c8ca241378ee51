// LiveWindow: the samples of the last minutes, for as long as somebody looks.

#include "console/live_window.h"

#include <limits>
#include <utility>

#include "console/interval_sum.h"

namespace sonde {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr nanoseconds kFine = seconds(120);
constexpr nanoseconds kCoarseSlice = seconds(10);
// The slices are bounded, and so is their sum.
constexpr std::size_t kEnough = std::numeric_limits<std::size_t>::max();

nanoseconds Duration(const Interval& interval) { return nanoseconds(interval.duration_ns); }

nanoseconds Duration(const std::deque<Interval>& slices) {
  nanoseconds sum{0};
  for (const Interval& slice : slices) sum += Duration(slice);
  return sum;
}

std::size_t Frames(const std::deque<Interval>& slices) {
  std::size_t sum = 0;
  for (const Interval& slice : slices) {
    for (const IntervalSample& sample : slice.samples) sum += sample.frames.size();
  }
  return sum;
}

Interval Join(const Interval& earlier, const Interval& later) {
  IntervalSum sum;
  std::size_t room = kEnough;
  sum.Add(earlier, room);
  sum.Add(later, room);
  return sum.Take(room);
}

}  // namespace

void LiveWindow::Rest() {
  if (span_ != 0) hub_.Close(span_);
  span_ = 0;
  fine_.clear();
  coarse_.clear();
}

void LiveWindow::Cut() {
  if (is_resting()) return;
  fine_.push_back(hub_.Take(span_));
  Bound();
}

void LiveWindow::Bound() {
  for (nanoseconds kept = Duration(fine_); kept > kFine && fine_.size() > 1;) {
    kept -= Duration(fine_.front());
    if (!coarse_.empty() && Duration(coarse_.back()) + Duration(fine_.front()) <= kCoarseSlice) {
      coarse_.back() = Join(coarse_.back(), fine_.front());
    } else {
      coarse_.push_back(std::move(fine_.front()));
    }
    fine_.pop_front();
  }
  nanoseconds kept = Duration(fine_) + Duration(coarse_);
  std::size_t frames = Frames(fine_) + Frames(coarse_);
  while (!coarse_.empty() && (kept > kLongest || frames > kMostFrames)) {
    kept -= Duration(coarse_.front());
    for (const IntervalSample& sample : coarse_.front().samples) frames -= sample.frames.size();
    coarse_.pop_front();
  }
  while (fine_.size() > 1 && frames > kMostFrames) {
    for (const IntervalSample& sample : fine_.front().samples) frames -= sample.frames.size();
    fine_.pop_front();
  }
}

Interval LiveWindow::Of(std::chrono::seconds length, std::chrono::seconds ago) {
  if (is_resting()) {
    span_ = hub_.Open();
  } else {
    Cut();
  }
  // From the newest slice backwards. A slice belongs where its middle lies; a window in which none
  // has its middle lies within a slice, or two, and is told by the one that it has its middle in.
  const nanoseconds from = ago;
  const nanoseconds to = ago + length;
  nanoseconds age{0};
  std::deque<const Interval*> chosen;
  const Interval* around = nullptr;
  const auto look_at = [&](const std::deque<Interval>& slices) {
    for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
      const nanoseconds middle = age + Duration(*slice) / 2;
      if (middle >= from && middle < to) chosen.push_front(&*slice);
      age += Duration(*slice);
      if (around == nullptr && age > (from + to) / 2) around = &*slice;
    }
  };
  look_at(fine_);
  look_at(coarse_);
  if (chosen.empty() && around != nullptr) chosen.push_front(around);
  IntervalSum sum;
  std::size_t room = kEnough;
  for (const Interval* const slice : chosen) sum.Add(*slice, room);
  return sum.Take(room);
}

}  // namespace sonde
