// Http2Calm: how long a peer is borne that keeps the server busy with nothing.

#ifndef SONDE_CONSOLE_HTTP2_CALM_H_
#define SONDE_CONSOLE_HTTP2_CALM_H_

#include <cstddef>

namespace sonde {

// Counts over ten seconds at a time. Not thread-safe.
class Http2Calm {
 public:
  // At most so many resets of streams, and frames that ask for nothing, in ten seconds.
  Http2Calm(std::size_t resets, std::size_t empty_frames)
      : most_resets_(resets), most_empty_frames_(empty_frames) {}

  void CountReset() noexcept { ++resets_; }
  void CountEmptyFrame() noexcept { ++empty_frames_; }
  // To be called once a second.
  void PassSecond() noexcept {
    constexpr unsigned kSeconds = 10;
    if (++seconds_ % kSeconds == 0) resets_ = empty_frames_ = 0;
  }
  // True when there were more than is borne.
  bool is_over() const noexcept {
    return resets_ > most_resets_ || empty_frames_ > most_empty_frames_;
  }

 private:
  std::size_t most_resets_;
  std::size_t most_empty_frames_;
  std::size_t resets_ = 0;
  std::size_t empty_frames_ = 0;
  unsigned seconds_ = 0;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_HTTP2_CALM_H_
