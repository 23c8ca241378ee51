// Victims: threads that do what breaks profilers, over and over.

#ifndef SONDE_TESTS_TORTURE_VICTIMS_H_
#define SONDE_TESTS_TORTURE_VICTIMS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sonde::torture {

// Called by each thread when it begins, with the threads that live briefly included.
using OnThread = std::function<void()>;

// Two that allocate, two that throw, two that load and unload plugins, one that lists the
// modules, one that starts threads, one that forks and executes, one in a storm of SIGALRM
// that jumps out of its handler, one on an alternate stack of 8 kB with a guard below, one whose
// frame pointer points anywhere, one that now and then calls through code without unwind tables.
class Victims {
 public:
  // `plugins` is the folder of the two plugins.
  Victims(std::string plugins, OnThread on_thread);
  ~Victims();

  // The name of a thread that got nowhere since the last call, or null.
  const char* FindStuck();
  void Stop();
  std::uint64_t exec_failures() const { return exec_failures_; }

 private:
  struct Victim {
    const char* name = "";
    std::atomic<std::uint64_t> progress{0};
    std::uint64_t seen = 0;
    std::thread thread;
  };

  void Add(const char* name, void (Victims::*round)(Victim&, std::uint64_t));
  void Allocate(Victim& victim, std::uint64_t round);
  void Throw(Victim& victim, std::uint64_t round);
  void LoadPlugins(Victim& victim, std::uint64_t round);
  void ListModules(Victim& victim, std::uint64_t round);
  void StartThreads(Victim& victim, std::uint64_t round);
  void ForkAndExec(Victim& victim, std::uint64_t round);
  void JumpOutOfAlarms(Victim& victim, std::uint64_t round);
  void RunOnSmallStack(Victim& victim, std::uint64_t round);
  void MisuseFramePointer(Victim& victim, std::uint64_t round);
  void CallWithoutTables(Victim& victim, std::uint64_t round);

  const std::string plugins_;
  const OnThread on_thread_;
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> exec_failures_{0};
  std::vector<std::unique_ptr<Victim>> victims_;
};

}  // namespace sonde::torture

#endif  // SONDE_TESTS_TORTURE_VICTIMS_H_
