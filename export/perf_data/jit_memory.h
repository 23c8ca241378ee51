// JitMemory: the code that JITs put into the memory of processes, as time goes on.

#ifndef SONDE_EXPORT_PERF_DATA_JIT_MEMORY_H_
#define SONDE_EXPORT_PERF_DATA_JIT_MEMORY_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "export/perf_data/jit_dump.h"
#include "export/perf_data/machine.h"

namespace sonde::perf_data {

// Not thread-safe.
class JitMemory {
 public:
  // Both outlive the object.
  JitMemory(Machine& machine, Modules& modules) : machine_(machine), modules_(modules) {}

  // For each MMAP and MMAP2 record of a recording of that byte order: reads the dump whose
  // mapping tells of it.
  void Note(const Record& record, bool swapped);
  // Makes the code that the process had by then known to the machine and the modules.
  void AdvanceTo(std::uint64_t time_ns, std::uint32_t pid, Process& process);

 private:
  struct Codes {
    std::vector<JitCode> codes;  // In order of time.
    std::size_t next = 0;
  };

  Machine& machine_;
  Modules& modules_;
  std::unordered_map<std::uint32_t, Codes> codes_;  // By process.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_JIT_MEMORY_H_
