// HeldSignals: the signals that end a program, as something to wait for.

#include "cli/held_signals.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <ctime>
#include <initializer_list>

namespace sonde::cli {

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
  descriptor_ = ::signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) sigemptyset(&held);
  sigaddset(&held, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() {
  // A broken pipe was told to whoever wrote; it ends nobody afterwards.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  const timespec at_once{};
  if (sigismember(&before_, SIGPIPE) == 0) {
    while (::sigtimedwait(&pipe, nullptr, &at_once) > 0) {
    }
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool HeldSignals::Came() const {
  signalfd_siginfo info{};
  return descriptor_ >= 0 && ::read(descriptor_, &info, sizeof info) == sizeof info;
}

}  // namespace sonde::cli
