// Deadline: until when an exchange with a peer may last.

#ifndef SONDE_CONSOLE_CLIENT_DEADLINE_H_
#define SONDE_CONSOLE_CLIENT_DEADLINE_H_

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace sonde {

// Another thread may bring it forward while somebody waits. Any thread.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Deadline(std::chrono::milliseconds from_now) { Set(from_now); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  void Set(std::chrono::milliseconds from_now) { at_ = (Clock::now() + from_now); }
  // Never later than it was.
  void BringForward(std::chrono::milliseconds from_now) {
    at_ = std::min(at_.load(), Clock::now() + from_now);
  }
  bool is_over() const { return Clock::now() >= at_.load(); }

  // Waits until `descriptor` is ready for `events` of poll(2). False when the deadline came first.
  bool Wait(int descriptor, short events) const {
    constexpr std::chrono::milliseconds kLookAgain{100};
    while (!is_over()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(at_.load() - Clock::now());
      pollfd waiting{descriptor, events, 0};
      const auto slice = std::clamp(left, std::chrono::milliseconds(0), kLookAgain);
      if (::poll(&waiting, 1, static_cast<int>(slice.count())) > 0) return true;
    }
    return false;
  }

 private:
  std::atomic<Clock::time_point> at_{Clock::time_point::min()};
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_CLIENT_DEADLINE_H_
