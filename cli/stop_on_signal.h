// StopOnSignal: work that is told to stop when the program is.

#ifndef SONDE_CLI_STOP_ON_SIGNAL_H_
#define SONDE_CLI_STOP_ON_SIGNAL_H_

#include <poll.h>

#include <stop_token>
#include <thread>

#include "cli/held_signals.h"

namespace sonde::cli {

// While one exists, Ctrl-C and its kin end the work that has its token, not the program: children
// are ended and scratch files removed on the way out. Not thread-safe.
class StopOnSignal {
 public:
  std::stop_token token() const { return source_.get_token(); }

 private:
  static constexpr int kTickMs = 20;

  HeldSignals signals_;
  std::stop_source source_;
  std::jthread watcher_{[this](const std::stop_token& end) {
    pollfd signal{signals_.descriptor(), POLLIN, 0};
    while (!end.stop_requested()) {
      if (::poll(&signal, 1, kTickMs) > 0 && signals_.Came()) source_.request_stop();
    }
  }};
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_STOP_ON_SIGNAL_H_
