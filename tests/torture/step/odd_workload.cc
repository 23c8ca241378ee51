// RunOddities: see workload.h.

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "sampler/sigprof.h"
#include "tests/torture/step/workload.h"

namespace sonde::step {
namespace {

volatile long sink;

[[gnu::noinline]] long Recurse(int depth) {
  if (depth == 0) return std::labs(sink);
  const long result = Recurse(depth - 1);
  sink = result;
  return result + 1;
}

void OnSignal(int signal) {
  TraceOn();
  sink = sink + Recurse(4);
  if (signal == SIGUSR1) raise(SIGUSR2);
  sink = sink + 1;
  TraceOff();
}

// push rbp; mov rbp, rsp; sub rsp, 16; call rdi; leave; ret
constexpr unsigned char kCode[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x83,
                                   0xec, 0x10, 0xff, 0xd7, 0xc9, 0xc3};

void CalledByMadeCode() { sink = sink + Recurse(3); }

}  // namespace

long RunOddities() {
  static char alternate[65536];
  const stack_t stack = {alternate, 0, sizeof(alternate)};
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = &OnSignal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_flags = 0;
  sigaction(SIGUSR2, &action, nullptr);

  void* memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(memory, kCode, sizeof(kCode));
  const auto made_code = reinterpret_cast<void (*)(void (*)())>(memory);

  Signals().ranges.Holds(reinterpret_cast<std::uint64_t>(memory));
  Signals().ranges.RefreshIfWanted();  // The collector's part, which does not run here.
  for (int round = 0; round < 20; ++round) {
    TraceOn();
    raise(SIGUSR1);
    made_code(&CalledByMadeCode);
    TraceOff();
  }
  munmap(memory, 4096);
  return sink;
}

}  // namespace sonde::step
