// step [--limit N] [--plugins DIR]: unwinds at every instruction of hostile workloads and compares
// each stack with libgcc's. Exits 0 when no walk faulted and the shares of docs/signal-safety.md
// hold.

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sampler/sigprof.h"
#include "tests/torture/step/workload.h"

namespace {

using sonde::PackedFrame;
using sonde::StackRange;
using sonde::Truncation;
using sonde::UnwoundStack;

constexpr std::uint32_t kDepth = 256;
constexpr int kPlaces = 2048;

// How often something happened at a place, without allocation: malloc may be what is stepped
// through.
class Tally {
 public:
  void Add(std::uint64_t pc) {
    char name[96] = "outside every module";
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(pc), &info) != 0 && info.dli_fname != nullptr) {
      const char* file = std::strrchr(info.dli_fname, '/');
      std::snprintf(name, sizeof(name), "%.30s:%.50s", file != nullptr ? file + 1 : info.dli_fname,
                    info.dli_sname != nullptr ? info.dli_sname : "?");
    }
    for (int i = 0; i < size_; ++i) {
      if (std::strcmp(places_[i].name, name) != 0) continue;
      ++places_[i].count;
      return;
    }
    if (size_ == kPlaces) return;
    std::strcpy(places_[size_].name, name);
    places_[size_++].count = 1;
  }
  void Print(const char* title) {
    if (size_ == 0) return;
    std::sort(places_, places_ + size_,
              [](const Place& a, const Place& b) { return a.count > b.count; });
    std::printf("  %s\n", title);
    for (int i = 0; i < size_ && i < 12; ++i) {
      std::printf("    %8lu  %s\n", places_[i].count, places_[i].name);
    }
  }

 private:
  struct Place {
    char name[96];
    unsigned long count;
  };
  Place places_[kPlaces];
  int size_ = 0;
};

struct Counts {
  unsigned long steps = 0;
  unsigned long faults = 0;
  unsigned long complete = 0;
  unsigned long truncated[sonde::kTruncations] = {};
  unsigned long equal = 0;
  unsigned long different = 0;
  unsigned long longer = 0;
  unsigned long shorter = 0;
  unsigned long libgcc_faults = 0;
  unsigned long libgcc_lost = 0;  // Its walk does not contain the interrupted pc.
};

Counts counts;
Counts* total = nullptr;  // Shared with the children; of the workloads that libgcc can judge.
Tally cut_at;
Tally differs_at;
Tally faulted_at;
StackRange stack_range;
unsigned long limit = ~0UL;
sigjmp_buf out_of_fault;
volatile sig_atomic_t guarded = 0;

void OnFault(int signal) {
  if (guarded != 0) siglongjmp(out_of_fault, 1);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

struct LibgccStack {
  std::uint64_t pcs[kDepth + 8];
  std::uint32_t depth;
};

_Unwind_Reason_Code TakeFrame(_Unwind_Context* context, void* argument) {
  auto* stack = static_cast<LibgccStack*>(argument);
  if (stack->depth == kDepth + 8) return _URC_END_OF_STACK;
  stack->pcs[stack->depth++] = _Unwind_GetIP(context);
  return _URC_NO_REASON;
}

void CompareWithLibgcc(const PackedFrame* frames, std::uint32_t depth) {
  static LibgccStack libgcc;
  libgcc.depth = 0;
  guarded = 1;
  if (sigsetjmp(out_of_fault, 1) != 0) {
    guarded = 0;
    ++counts.libgcc_faults;
    return;
  }
  _Unwind_Backtrace(&TakeFrame, &libgcc);
  guarded = 0;
  std::uint32_t first = 0;
  while (first < libgcc.depth && libgcc.pcs[first] != frames[0].address()) ++first;
  if (first == libgcc.depth) {
    ++counts.libgcc_lost;
    return;
  }
  std::uint32_t size = libgcc.depth - first;
  while (size > 0 && libgcc.pcs[first + size - 1] == 0) --size;
  bool equal = size == depth;
  for (std::uint32_t i = 0; equal && i < depth; ++i) {
    equal = libgcc.pcs[first + i] == frames[i].address();
  }
  if (equal) {
    ++counts.equal;
    return;
  }
  ++counts.different;
  counts.longer += depth > size;
  counts.shorter += depth < size;
  differs_at.Add(frames[0].address());
}

void OnTrap(int, siginfo_t*, void* raw_context) {
  auto* context = static_cast<ucontext_t*>(raw_context);
  const int saved_errno = errno;
  if (++counts.steps >= limit) context->uc_mcontext.gregs[REG_EFL] &= ~0x100L;
  static PackedFrame frames[kDepth];
  UnwoundStack stack;
  guarded = 1;
  if (sigsetjmp(out_of_fault, 1) == 0) {
    stack = sonde::Signals().unwinder.Unwind(*context, stack_range, frames, kDepth);
  } else {
    ++counts.faults;
    faulted_at.Add(static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_RIP]));
  }
  guarded = 0;
  if (stack.depth > 0) {
    ++counts.truncated[static_cast<int>(stack.truncation)];
    if (stack.truncation == Truncation::kNone) {
      ++counts.complete;
    } else {
      cut_at.Add(frames[stack.depth - 1].address());
    }
    CompareWithLibgcc(frames, stack.depth);
  }
  errno = saved_errno;
}

double Share(unsigned long part, unsigned long whole) {
  return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

bool Report(const char* name, double least_complete, double least_equal) {
  std::printf(
      "%-10s instructions %8lu  faults %lu  complete %.4f%%  equal to libgcc %lu of %lu (%.3f%%)"
      "  libgcc faulted %lu, lost its way %lu\n",
      name, counts.steps, counts.faults, Share(counts.complete, counts.steps), counts.equal,
      counts.equal + counts.different, Share(counts.equal, counts.equal + counts.different),
      counts.libgcc_faults, counts.libgcc_lost);
  std::printf(
      "  cut: depth %lu, no module %lu, no rule %lu, bad read %lu, order %lu; other than libgcc:"
      " longer %lu, shorter %lu\n",
      counts.truncated[1], counts.truncated[2], counts.truncated[3], counts.truncated[4],
      counts.truncated[5], counts.longer, counts.shorter);
  faulted_at.Print("faulted while interrupted in");
  cut_at.Print("last frame of cut stacks");
  differs_at.Print("other than libgcc, interrupted in");
  std::fflush(stdout);
  if (least_equal > 0) {
    total->steps += counts.steps;
    total->complete += counts.complete;
    total->equal += counts.equal;
    total->different += counts.different;
    total->longer += counts.longer;
    total->libgcc_faults += counts.libgcc_faults;
  }
  total->faults += counts.faults;
  return counts.faults == 0 && Share(counts.complete, counts.steps) >= least_complete &&
         Share(counts.equal, counts.equal + counts.different) >= least_equal;
}

void Prepare() {
  sonde::PrepareUnwinder();
  LibgccStack warm{};
  _Unwind_Backtrace(&TakeFrame, &warm);
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&Prepare), &info);

  struct sigaction action {};
  action.sa_handler = &OnFault;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  sigaction(SIGABRT, &action, nullptr);
  struct sigaction trap {};
  trap.sa_sigaction = &OnTrap;
  trap.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &trap, nullptr);
}

// Each in a child of its own: one that crashes or hangs takes only itself down.
template <typename Run>
bool InChild(const char* name, double least_complete, double least_equal, Run&& run) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    Prepare();
    run();
    std::exit(Report(name, least_complete, least_equal) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("%-10s killed by signal %d\n", name, WTERMSIG(status));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string plugins = STEP_PLUGINS;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--limit") == 0) limit = std::strtoul(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--plugins") == 0) plugins = argv[i + 1];
  }
  total = static_cast<Counts*>(
      mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  // In code without tables of its own (crti.o and the like) a validated frame pointer goes on
  // where libgcc stops: those stacks are longer than its, and count as other.
  bool good = InChild("hostile", 99.9, 99.8, [&] { sonde::step::RunHostile(plugins.c_str()); });
  good &= InChild("deep", 99.9, 99.8, [] { sonde::step::RunDeep(); });
  good &= InChild("libraries", 99.9, 99.9, [] { sonde::step::RunLibraries(); });
  // libgcc does not follow code made at run time, so it is no judge of these; nor can anybody
  // in inline assembly that moves the stack pointer, such as TraceOn itself.
  good &= InChild("oddities", 99.0, 0, [] { sonde::step::RunOddities(); });
  std::printf(
      "total      instructions %8lu  faults %lu  complete %.4f%%  equal to libgcc %.3f%%, longer "
      "%.3f%%  libgcc faulted %lu\n",
      total->steps, total->faults, Share(total->complete, total->steps),
      Share(total->equal, total->equal + total->different),
      Share(total->longer, total->equal + total->different), total->libgcc_faults);
  good &= total->faults == 0 && Share(total->complete, total->steps) >= 99.9 &&
          Share(total->equal, total->equal + total->different) >= 99.9;
  std::printf("%s\n", good ? "step: good" : "step: FAILED");
  return good ? 0 : 1;
}
