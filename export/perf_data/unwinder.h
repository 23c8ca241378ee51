// Unwinder: the stack of a sample that recorded its registers and stack memory.

#ifndef SONDE_EXPORT_PERF_DATA_UNWINDER_H_
#define SONDE_EXPORT_PERF_DATA_UNWINDER_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "export/perf_data/event.h"
#include "export/perf_data/machine.h"
#include "export/perf_data/sample.h"

namespace sonde::perf_data {

// Follows call frame information through libdwfl; one session a process, kept for
// a bounded number of processes. x86-64 only. Not thread-safe.
class Unwinder {
 public:
  explicit Unwinder(Modules& modules);
  ~Unwinder();

  // Appends the frames of the user part, the innermost first: the interrupted pc,
  // then for each caller the address of its call (return address - 1). True when the
  // outermost frame was reached, false when the stack could not be followed to it.
  bool Unwind(const Event& event, const Sample& sample, const Process& process,
              std::vector<std::uint64_t>& into);

 private:
  struct Session;

  Session& SessionOf(std::uint32_t pid, const Process& process);

  Modules& modules_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Session>> sessions_;  // By pid.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_UNWINDER_H_
