// HeldSignals: the signals that end a program, as something to wait for.

#ifndef SONDE_CLI_HELD_SIGNALS_H_
#define SONDE_CLI_HELD_SIGNALS_H_

#include <signal.h>

namespace sonde::cli {

// Holds SIGINT, SIGTERM and SIGHUP back in this thread and those it starts, so that children can be
// ended and scratch files removed first; and SIGPIPE, so that writing fails instead. Programs that
// are run meanwhile start with none held. As it was in the end. Not thread-safe.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  // Readable once one of the first three came; -1 when the system has no descriptor left.
  int descriptor() const noexcept { return descriptor_; }
  // Whether one came, and takes it. Does not wait.
  bool Came() const;

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace sonde::cli

#endif  // SONDE_CLI_HELD_SIGNALS_H_
