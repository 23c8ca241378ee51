// ThreadLabels: the labels that say of which thread a sample is.

#ifndef SONDE_EXPORT_PERF_DATA_THREAD_LABELS_H_
#define SONDE_EXPORT_PERF_DATA_THREAD_LABELS_H_

#include <cstdint>
#include <unordered_map>

#include "export/perf_data/machine.h"
#include "sonde/formats.h"
#include "sonde/profile_builder.h"

namespace sonde::perf_data {

// As far as the options keep them: "comm", "pid", "tid" and "cpu". Not thread-safe.
class ThreadLabels {
 public:
  // All outlive the object.
  ThreadLabels(ProfileBuilder& builder, const Machine& machine, const ReadOptions& options)
      : builder_(builder), machine_(machine), options_(options) {}

  // By the name that the thread has now. No label tells a CPU that is kNoCpu.
  LabelSetId Of(std::uint32_t pid, std::uint32_t tid, std::uint32_t cpu);

 private:
  struct Known {
    std::uint32_t pid = 0;
    std::uint32_t cpu = 0;
    std::uint64_t comm_version = 0;
    LabelSetId labels = kNoLabels;
  };

  ProfileBuilder& builder_;
  const Machine& machine_;
  const ReadOptions& options_;
  std::unordered_map<std::uint32_t, Known> known_;  // By thread.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_THREAD_LABELS_H_
