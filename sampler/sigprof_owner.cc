// SigprofOwner: prepares and installs the handler, and finds out whether it is still there.

#include <signal.h>

#include <cstring>

#include "sampler/fiber_root.h"
#include "sampler/raw_syscall.h"
#include "sampler/sigprof.h"

namespace sonde {
namespace {

// As the kernel knows it. The C library's own keeps two of its signals out of every mask, and one
// of them may cancel the thread in the middle of a sample.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

constexpr unsigned long Bit(int signal) { return 1UL << (signal - 1); }

}  // namespace

void PrepareUnwinder() {
  SignalState& state = Signals();
  static const ProgramTables program = FindProgramTables();
  state.modules.Prepare(program);
  state.unwinder.SetFiberRoot(FindFiberRoot());
  state.ranges.RefreshIfWanted();
}

SigprofOwner FindSigprofOwner() noexcept {
  struct sigaction action {};
  if (sigaction(SIGPROF, nullptr, &action) != 0) return SigprofOwner::kSomebodyElse;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    return action.sa_sigaction == &OnSigprof ? SigprofOwner::kUs : SigprofOwner::kSomebodyElse;
  }
  const bool free = action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN;
  return free ? SigprofOwner::kNobody : SigprofOwner::kSomebodyElse;
}

int InstallSigprofHandler() noexcept {
  struct sigaction action {};
  action.sa_sigaction = &OnSigprof;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  if (sigaction(SIGPROF, &action, nullptr) != 0) return errno;

  KernelAction installed{};
  long failed = RawSyscall(SYS_rt_sigaction, SIGPROF, 0, reinterpret_cast<long>(&installed), 8);
  if (failed != 0) return static_cast<int>(-failed);
  // No other handler may run, or jump away, on top of a half-written sample. Faults stay
  // open: a blocked one would kill the process without its crash handler.
  installed.mask = ~(Bit(SIGSEGV) | Bit(SIGBUS) | Bit(SIGFPE) | Bit(SIGILL) | Bit(SIGTRAP));
  failed = RawSyscall(SYS_rt_sigaction, SIGPROF, reinterpret_cast<long>(&installed), 0, 8);
  return static_cast<int>(-failed);
}

}  // namespace sonde
