// LiveWindow: the samples of the last minutes, for as long as somebody looks.

#ifndef SONDE_CONSOLE_LIVE_WINDOW_H_
#define SONDE_CONSOLE_LIVE_WINDOW_H_

#include <chrono>
#include <cstdint>
#include <deque>

#include "console/interval_hub.h"
#include "sampler/interval.h"

namespace sonde {

// Keeps nothing until it is first asked. From then on it keeps slices: fine ones of the last two
// minutes and coarse ones before, up to kLongest or kMostFrames, the oldest going first. A slice
// is what was sampled between two calls of Cut or Of: a window is right to about as much as lies
// between them. Not thread-safe.
class LiveWindow {
 public:
  static constexpr std::chrono::seconds kLongest{1200};
  static constexpr std::size_t kMostFrames = std::size_t{2} << 20;  // 32 MiB of them.

  // `hub` outlives the window.
  explicit LiveWindow(IntervalHub& hub) : hub_(hub) {}
  ~LiveWindow() { Rest(); }
  LiveWindow(const LiveWindow&) = delete;
  LiveWindow& operator=(const LiveWindow&) = delete;

  // What was sampled in the `length` that ended `ago` before now; its duration says for how much
  // of that there are samples. Where slices are longer than `length`, that is a whole slice.
  Interval Of(std::chrono::seconds length, std::chrono::seconds ago);
  // Ends a slice and begins the next; without effect while it rests.
  void Cut();

  // Lets go of everything, until it is asked again.
  void Rest();
  bool is_resting() const noexcept { return span_ == 0; }

 private:
  void Bound();

  IntervalHub& hub_;
  std::uint64_t span_ = 0;  // 0 while it rests.
  std::deque<Interval> fine_;
  std::deque<Interval> coarse_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_LIVE_WINDOW_H_
