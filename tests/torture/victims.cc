// Victims: see victims.h.

#include "tests/torture/victims.h"

#include <dlfcn.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <map>
#include <stdexcept>
#include <utility>

extern char** environ;

// TortureBadFramePointer(rounds) counts in the frame pointer, by the rules of its table.
// TortureWithoutTables(argument, function) calls the function and has no table.
asm(R"(
  .text
  .type TortureBadFramePointer, @function
TortureBadFramePointer:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov $0x7fffffffe000, %rbp
1:
  add $4093, %rbp
  dec %rdi
  jnz 1b
  pop %rbp
  .cfi_restore %rbp
  .cfi_def_cfa_offset 8
  ret
  .cfi_endproc
  .size TortureBadFramePointer, . - TortureBadFramePointer

  .type TortureWithoutTables, @function
TortureWithoutTables:
  sub $24, %rsp
  call *%rsi
  add $24, %rsp
  ret
  .size TortureWithoutTables, . - TortureWithoutTables
)");
extern "C" void TortureBadFramePointer(std::uint64_t rounds);
extern "C" void TortureWithoutTables(std::uint64_t argument, void (*function)(std::uint64_t));

namespace sonde::torture {
namespace {

volatile long sink;

[[gnu::noinline]] long Recurse(long depth, std::uint64_t x) {
  const std::string text = std::to_string(x) + "abcdefghijklmnopqrstuvwxyz";
  if (depth == 0) {
    if (x % 3 == 0) throw std::runtime_error(text);
    return static_cast<long>(text.size());
  }
  const long result = Recurse(depth - 1, x + 1) + static_cast<long>(text.size());
  sink = result;
  return result;
}

void RecurseAndCatch(long depth, std::uint64_t x) {
  try {
    sink = Recurse(depth, x);
  } catch (const std::exception& error) {
    sink = sink + error.what()[0];
  }
}

void Pause(long microseconds) {
  const timespec pause = {0, microseconds * 1000};
  nanosleep(&pause, nullptr);
}

thread_local sigjmp_buf landing;
thread_local volatile sig_atomic_t may_jump = 0;

void OnAlarm(int) {
  if (may_jump != 0) siglongjmp(landing, 1);
}

}  // namespace

Victims::Victims(std::string plugins, OnThread on_thread)
    : plugins_(std::move(plugins)), on_thread_(std::move(on_thread)) {
  Add("malloc", &Victims::Allocate);
  Add("malloc", &Victims::Allocate);
  Add("throw", &Victims::Throw);
  Add("throw", &Victims::Throw);
  Add("dlopen", &Victims::LoadPlugins);
  Add("dlopen", &Victims::LoadPlugins);
  Add("dl_iterate_phdr", &Victims::ListModules);
  Add("threads", &Victims::StartThreads);
  Add("fork", &Victims::ForkAndExec);
  Add("siglongjmp", &Victims::JumpOutOfAlarms);
  Add("altstack", &Victims::RunOnSmallStack);
  Add("frame pointer", &Victims::MisuseFramePointer);
  Add("no tables", &Victims::CallWithoutTables);
}

Victims::~Victims() { Stop(); }

void Victims::Add(const char* name, void (Victims::*round)(Victim&, std::uint64_t)) {
  Victim& victim = *victims_.emplace_back(std::make_unique<Victim>());
  victim.name = name;
  victim.thread = std::thread([this, &victim, round] {
    on_thread_();
    for (std::uint64_t i = 0; !done_; ++i) {
      (this->*round)(victim, i);
      ++victim.progress;
    }
  });
}

const char* Victims::FindStuck() {
  for (const auto& victim : victims_) {
    if (std::exchange(victim->seen, victim->progress.load()) == victim->progress.load()) {
      return victim->name;
    }
  }
  return nullptr;
}

void Victims::Stop() {
  done_ = true;
  for (const auto& victim : victims_) {
    if (victim->thread.joinable()) victim->thread.join();
  }
}

void Victims::Allocate(Victim&, std::uint64_t round) {
  std::map<std::uint64_t, std::string> strings;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t random = (round * 200 + i) * 0x9e37'79b9'7f4a'7c15 >> 32;
    strings[random % 97] = std::string(random % 3000, 'x');
    if (random % 5 == 0) strings.erase(random % 91);
  }
}

void Victims::Throw(Victim&, std::uint64_t round) {
  RecurseAndCatch(static_cast<long>(20 + round % 30), round);
}

void Victims::LoadPlugins(Victim&, std::uint64_t round) {
  const std::string path =
      plugins_ + (round % 2 != 0 ? "/libstep_plugin_a.so" : "/libstep_plugin_b.so");
  void* plugin = dlopen(path.c_str(), round % 3 != 0 ? RTLD_NOW : RTLD_LAZY);
  if (plugin == nullptr) return;
  const auto entry = reinterpret_cast<long (*)(long)>(dlsym(plugin, "PluginEntry"));
  for (long i = 0; i < 20; ++i) sink = sink + entry(i);
  dlclose(plugin);
}

void Victims::ListModules(Victim&, std::uint64_t) {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        const std::string name(info->dlpi_name);
        sink = sink + info->dlpi_phnum + static_cast<long>(name.size());
        return 0;
      },
      nullptr);
}

void Victims::StartThreads(Victim&, std::uint64_t round) {
  std::thread thread([this, round] {
    on_thread_();
    for (std::uint64_t i = 0; i < 20; ++i) RecurseAndCatch(10, round + i);
  });
  thread.join();
}

void Victims::ForkAndExec(Victim&, std::uint64_t round) {
  pid_t child = -1;
  if (round % 3 == 0) {
    char program[] = "/bin/true";
    char* arguments[] = {program, nullptr};
    if (posix_spawn(&child, program, nullptr, nullptr, arguments, environ) != 0) return;
  } else {
    child = fork();
    if (child == 0) {
      if (round % 3 == 1) execl("/bin/true", "true", nullptr);
      _exit(0);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) ++exec_failures_;
  Pause(2000);
}

void Victims::JumpOutOfAlarms(Victim&, std::uint64_t round) {
  static thread_local timer_t timer = nullptr;
  if (round == 0) {
    struct sigaction action {};
    action.sa_handler = &OnAlarm;
    sigaction(SIGALRM, &action, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGALRM;
    event._sigev_un._tid = gettid();
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    const itimerspec spec = {{0, 500'000}, {0, 500'000}};
    timer_settime(timer, 0, &spec, nullptr);
  }
  if (sigsetjmp(landing, 1) == 0) {
    may_jump = 1;
    for (long i = 0; i < 20'000; ++i) sink = i;
  }
  may_jump = 0;
  if (done_) timer_delete(timer);
}

void Victims::RunOnSmallStack(Victim&, std::uint64_t round) {
  static thread_local char* memory = nullptr;
  constexpr std::size_t kGuard = 4096;
  constexpr std::size_t kSize = 8192;
  if (round == 0) {
    memory = static_cast<char*>(
        mmap(nullptr, kGuard + kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory, kGuard, PROT_NONE);
    const stack_t stack = {memory + kGuard, 0, kSize};
    sigaltstack(&stack, nullptr);
  }
  RecurseAndCatch(static_cast<long>(100 + round % 20), round);
  if (done_) {
    const stack_t none = {nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
    munmap(memory, kGuard + kSize);
  }
}

void Victims::MisuseFramePointer(Victim&, std::uint64_t round) {
  TortureBadFramePointer(1000 + round % 1000);
}

// One time in thirty-two: such stacks end early, and completeness is measured by the others.
void Victims::CallWithoutTables(Victim&, std::uint64_t round) {
  const auto recurse = [](std::uint64_t x) { RecurseAndCatch(10, 3 * x + 1); };
  if (round % 32 == 0) {
    TortureWithoutTables(round, recurse);
  } else {
    recurse(round);
  }
}

}  // namespace sonde::torture
