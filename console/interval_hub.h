// IntervalHub: lets several readers see the same samples, each over a span of its own.

#ifndef SONDE_CONSOLE_INTERVAL_HUB_H_
#define SONDE_CONSOLE_INTERVAL_HUB_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "console/interval_sum.h"
#include "sampler/interval.h"

namespace sonde {

// All spans together keep a bounded number of frames; what a span has no room for is dropped, and
// counted in what it saw. Any thread.
class IntervalHub {
 public:
  static constexpr std::size_t kMostFrames = std::size_t{6} << 20;  // 96 MiB of them.

  // `cut` ends the sampler's interval and begins the next. `watch`, where there is one, is told
  // true before the first span is opened and false after the last one was closed.
  explicit IntervalHub(std::function<Interval()> cut, std::function<void(bool)> watch = {},
                       std::size_t most_frames = kMostFrames)
      : cut_(std::move(cut)), watch_(std::move(watch)), room_(most_frames) {}

  // Begins a span that sees all samples from now on.
  std::uint64_t Open();
  // What the span saw since it was opened, or since the last Take.
  Interval Take(std::uint64_t span);
  // The same, and ends the span.
  Interval Close(std::uint64_t span);
  // Gives `last`, the samples of an interval that was cut elsewhere, to all spans and cuts no more.
  void Finish(const Interval& last);

 private:
  void Cut();

  std::function<Interval()> cut_;
  std::function<void(bool)> watch_;
  std::mutex mutex_;
  std::uint64_t last_span_ = 0;
  std::size_t room_;  // In frames.
  std::map<std::uint64_t, IntervalSum> spans_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_INTERVAL_HUB_H_
