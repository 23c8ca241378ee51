// Machine: processes, threads and maps as they were at one moment of a recording.

#ifndef SONDE_EXPORT_PERF_DATA_MACHINE_H_
#define SONDE_EXPORT_PERF_DATA_MACHINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/perf_data/address_space.h"
#include "export/perf_data/header.h"
#include "export/perf_data/modules.h"
#include "export/perf_data/record_stream.h"
#include "export/perf_data/sample.h"

namespace sonde::perf_data {

struct Process {
  AddressSpace space;
  std::uint64_t version = 0;  // Another one after each change of `space`; 0 for no other process.
  // The first code of a file that was mapped since it began to run: the program's, for its loader
  // and its libraries come behind.
  std::optional<Map> program{};
};

// Records are applied in the order of their times. Not thread-safe.
class Machine {
 public:
  // `header` and `modules` outlive the machine.
  Machine(const Header& header, Modules& modules) : header_(header), modules_(modules) {}

  // MMAP, MMAP2, COMM, FORK, EXIT, KSYMBOL; others are left alone. False when the
  // record is cut off.
  bool Apply(const Record& record);

  Process& ProcessOf(std::uint32_t pid);
  // After a change of its space from outside.
  void Touch(Process& process) { process.version = ++last_version_; }
  AddressSpace& kernel() noexcept { return kernel_; }
  std::uint64_t kernel_version() const noexcept { return kernel_version_; }
  // One more sample of `process`.
  void CountSample(const Process& process);
  // The program with the most samples so far; nothing when none is known.
  std::optional<Map> Program() const;
  // The name of a thread; ":tid" when none was recorded.
  std::string CommOf(std::uint32_t pid, std::uint32_t tid) const;
  // Another one after each change of a thread's name; 0 when none was recorded.
  std::uint64_t CommVersionOf(std::uint32_t tid) const;

 private:
  struct Comm {
    std::string name;
    std::uint64_t version = 0;
  };
  struct ProgramUse {
    Map map;
    std::uint64_t samples = 0;
  };
  bool ApplyMmap(const Record& record);
  bool ApplyComm(const Record& record);
  bool ApplyFork(const Record& record);
  bool ApplyKsymbol(const Record& record);
  void JoinAcrossHugePages(AddressSpace& space, const Map& last);
  void AddKernelMap(Map map, std::string_view file, std::string_view build_id);

  const Header& header_;
  Modules& modules_;
  std::unordered_map<std::uint32_t, Process> processes_;
  std::uint32_t last_pid_ = 0;
  Process* last_process_ = nullptr;                // That was asked for; null before.
  std::unordered_map<std::uint32_t, Comm> comms_;  // By thread.
  std::vector<ProgramUse> programs_;               // By module.
  AddressSpace kernel_;
  std::uint64_t kernel_version_ = 1;
  std::uint64_t last_version_ = 0;
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_MACHINE_H_
