// ThreadLabels: the labels that say of which thread a sample is.

#include "export/perf_data/thread_labels.h"

#include <vector>

namespace sonde::perf_data {

LabelSetId ThreadLabels::Of(std::uint32_t pid, std::uint32_t tid, std::uint32_t cpu) {
  if (!options_.keep_labels) return kNoLabels;
  if (!options_.keep_cpu) cpu = kNoCpu;
  const std::uint64_t version = machine_.CommVersionOf(tid);
  const auto [found, is_new] = known_.try_emplace(tid);
  Known& thread = found->second;
  if (!is_new && thread.pid == pid && thread.cpu == cpu && thread.comm_version == version) {
    return thread.labels;
  }
  std::vector<Label> labels{builder_.TextLabel("comm", machine_.CommOf(pid, tid))};
  if (options_.keep_ids) {
    labels.push_back(builder_.NumberLabel("pid", static_cast<std::int32_t>(pid)));
    labels.push_back(builder_.NumberLabel("tid", static_cast<std::int32_t>(tid)));
  }
  if (cpu != kNoCpu) labels.push_back(builder_.NumberLabel("cpu", cpu));
  thread = {pid, cpu, version, builder_.AddLabels(labels)};
  return thread.labels;
}

}  // namespace sonde::perf_data
