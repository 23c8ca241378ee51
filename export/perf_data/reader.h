// Reader: plays the records of a recording and gathers its samples.

#ifndef SONDE_EXPORT_PERF_DATA_READER_H_
#define SONDE_EXPORT_PERF_DATA_READER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "export/limit_guard.h"
#include "export/perf_data/frames.h"
#include "export/perf_data/header.h"
#include "export/perf_data/jit_dump.h"
#include "export/perf_data/lock_waits.h"
#include "export/perf_data/machine.h"
#include "export/perf_data/modules.h"
#include "export/perf_data/off_cpu.h"
#include "export/perf_data/record_queue.h"
#include "export/perf_data/record_stream.h"
#include "export/perf_data/sample.h"
#include "export/perf_data/unwinder.h"

namespace sonde::perf_data {

// Used once: Read, then Build. Not thread-safe.
class Reader {
 public:
  // `header` and `options` outlive the reader.
  Reader(Header& header, const ReadOptions& options);

  Status Read();
  Result<Profile> Build() &&;

 private:
  // What needs the sample types, which are known when the first sample comes.
  struct Output {
    Output(std::vector<ValueType> types, Machine& machine, Modules& modules,
           const ReadOptions& options)
        : builder(std::move(types)),
          frames(builder, machine, modules, options),
          guard(options.limits, builder) {}
    ProfileBuilder builder;
    Frames frames;
    LimitGuard guard;
  };
  struct ThreadLabels {
    std::uint32_t pid = 0;
    std::uint32_t cpu = 0;
    std::uint64_t comm_version = 0;
    LabelSetId labels = kNoLabels;
  };
  struct JitCodes {
    std::vector<JitCode> codes;  // In order of time.
    std::size_t next = 0;
  };

  Status Take(const Record& record);
  Status Deliver(const Record& record);
  Status AddSample(const Record& record);
  Status CountMalformed(const Record& record);
  void CountUnknown(const Record& record);
  void CountLost(const Record& record);
  void BuildChain(const Event& event, std::uint16_t misc, const Process& process);
  void AddLastBranches();
  LabelSetId LabelsOf(std::uint32_t pid, std::uint32_t tid, std::uint32_t cpu);
  const Event* FindSwitchEvent() const;
  void TakeSwitch(const Record& record);
  void AddOffCpu(const OffCpuInterval& interval);
  void AddLockWait(const LockWait& wait);
  // `duration_ns` from `began_ns` on, as far as it is within the time that is asked for.
  void AddInterval(std::size_t type, std::uint64_t began_ns, std::int64_t duration_ns,
                   StackId stack, LabelSetId thread, Label what);
  // One record of the input.
  void AddValue(std::size_t type, std::int64_t value, StackId stack, LabelSetId labels);
  void TakeJitDump(const Record& record);
  void ApplyJitCodes(std::uint32_t pid, std::uint64_t time_ns, Process& process);
  Output& output();

  Header& header_;
  const ReadOptions& options_;
  RecordStream stream_;
  RecordQueue queue_;
  Modules modules_;
  Machine machine_;
  Unwinder unwinder_;
  std::optional<Output> output_;
  std::vector<std::optional<std::size_t>> type_of_event_;   // By Event::number.
  Losses losses_;                                           // Until there is an output.
  std::unordered_map<std::uint32_t, ThreadLabels> labels_;  // By thread.
  std::unordered_map<std::uint32_t, JitCodes> jit_codes_;   // By process.
  Sample sample_;
  std::vector<std::uint64_t> chain_;
  std::vector<std::int64_t> values_;
  OffCpuTimes off_cpu_;
  const Event* switch_event_ = nullptr;      // Whose samples say on which stack a thread left.
  std::optional<std::size_t> off_cpu_type_;  // Where switches tell how long threads were away.
  LockWaits lock_waits_;
  std::optional<std::size_t> lock_wait_type_;
  std::size_t weighed_types_ = 0;  // Those before the ones that count records.
  std::uint64_t newest_ns_ = 0;    // Of all records.
  std::vector<std::uint64_t> samples_of_type_;
  std::uint64_t records_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t truncated_ = 0;
  std::uint64_t first_ns_ = 0;
  std::uint64_t last_ns_ = 0;
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_READER_H_
