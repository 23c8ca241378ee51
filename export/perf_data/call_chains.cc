// CallChains: the call chain of each sample, from all that the sample recorded of it.

#include "export/perf_data/call_chains.h"

#include "export/perf_data/frames.h"

namespace sonde::perf_data {
namespace {

bool UsesLastBranches(const Event& event) {
  return event.has(kSampleBranchStack) && (event.branch_sample_type & kBranchCallStack) != 0;
}

std::uint64_t ContextOf(CpuMode mode) {
  switch (mode) {
    case CpuMode::kKernel:
      return kContextKernel;
    case CpuMode::kHypervisor:
      return kContextHypervisor;
    case CpuMode::kGuestKernel:
      return kContextGuestKernel;
    case CpuMode::kGuestUser:
      return kContextGuestUser;
    default:
      return kContextUser;
  }
}

}  // namespace

std::span<const std::uint64_t> CallChains::Of(const Event& event, std::uint16_t misc,
                                              const Sample& sample, const Process& process) {
  chain_.clear();
  const auto mode = static_cast<CpuMode>(misc & kMiscCpuMode);
  const bool has_registers = sample.registers_abi != 0 && event.has(kSampleStackUser);
  const bool starts_with_context =
      !sample.callchain.empty() && sample.callchain.front() >= kFirstContext;
  if (!starts_with_context) chain_.push_back(ContextOf(mode));
  if (sample.callchain.empty() && !(has_registers && mode == CpuMode::kUser)) {
    chain_.push_back(sample.ip);
  }
  bool is_exact = true;  // Interrupted there, rather than called from there.
  for (const std::uint64_t word : sample.callchain) {
    if (word >= kFirstContext) {
      chain_.push_back(word);
      is_exact = true;
      continue;
    }
    chain_.push_back(is_exact || word == 0 ? word : word - 1);
    is_exact = false;
  }

  if (UsesLastBranches(event)) {
    // Where calls were made, the newest first: no addresses behind them.
    chain_.push_back(kContextUser);
    chain_.insert(chain_.end(), sample.branch_from.begin(), sample.branch_from.end());
  }
  if (has_registers && unwinds_) {
    chain_.push_back(kContextUser);
    if (!unwinder_.Unwind(event, sample, process, chain_)) {
      chain_.push_back(kTruncated);
      ++truncated_;
    }
  }
  return chain_;
}

}  // namespace sonde::perf_data
