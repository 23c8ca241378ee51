// Reader: plays the records of a recording and gathers its samples.

#ifndef SONDE_EXPORT_PERF_DATA_READER_H_
#define SONDE_EXPORT_PERF_DATA_READER_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "export/limit_guard.h"
#include "export/perf_data/call_chains.h"
#include "export/perf_data/counter_periods.h"
#include "export/perf_data/frames.h"
#include "export/perf_data/header.h"
#include "export/perf_data/jit_memory.h"
#include "export/perf_data/lock_waits.h"
#include "export/perf_data/machine.h"
#include "export/perf_data/modules.h"
#include "export/perf_data/off_cpu.h"
#include "export/perf_data/record_queue.h"
#include "export/perf_data/record_stream.h"
#include "export/perf_data/sample.h"
#include "export/perf_data/sample_types.h"
#include "export/perf_data/thread_labels.h"
#include "export/span_of_time.h"

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
    Output(SampleTypes sample_types, Machine& machine, Modules& modules, const ReadOptions& options)
        : types(std::move(sample_types)),
          builder(types.types()),
          frames(builder, machine, modules, options),
          labels(builder, machine, options),
          guard(options.limits, builder, options.stop) {
      builder.SetCountsEvents(true);
    }
    SampleTypes types;
    ProfileBuilder builder;
    Frames frames;
    ThreadLabels labels;
    LimitGuard guard;
  };

  // What a sample adds to one of the sample types.
  struct Weight {
    std::size_t type = 0;
    std::uint64_t period = 0;
  };

  Status Take(const Record& record);
  Status Deliver(const Record& record);
  Status AddSample(const Record& record);
  // Sets weights_: of the sample's event, or of each counter that it reads out and that went on.
  void Weigh(const Event& event, const Record& record);
  Status CountMalformed(const Record& record);
  void CountUnknown(const Record& record);
  void CountLost(const Record& record);
  void TakeSwitch(const Record& record);
  void AddOffCpu(const OffCpuInterval& interval);
  void AddLockWait(const LockWait& wait);
  // `duration_ns` from `began_ns` on, as far as it is within the time that is asked for.
  void AddInterval(std::size_t type, std::uint64_t began_ns, std::int64_t duration_ns,
                   StackId stack, LabelSetId thread, Label what);
  Output& output();

  Header& header_;
  const ReadOptions& options_;
  RecordStream stream_;
  RecordQueue queue_;
  Modules modules_;
  Machine machine_;
  CallChains chains_;
  JitMemory jit_memory_;
  std::optional<Output> output_;
  Losses losses_;  // Until there is an output.
  Sample sample_;
  std::vector<Weight> weights_;  // Of that sample.
  CounterPeriods counter_periods_;
  SpanOfTime recorded_;  // Of all samples, also those outside of what is asked for.
  OffCpuTimes off_cpu_;
  LockWaits lock_waits_;
  std::uint64_t newest_ns_ = 0;  // Of all records.
  std::uint64_t records_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t first_ns_ = 0;
  std::uint64_t last_ns_ = 0;
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_READER_H_
