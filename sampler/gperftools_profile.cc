// GperftoolsProfile: the CPU profile format of gperftools, written.

#include "sampler/gperftools_profile.h"

#include <fstream>
#include <sstream>
#include <string_view>

namespace sonde {
namespace {

void Put(std::string& out, std::uint64_t word) {
  out.append(reinterpret_cast<const char*>(&word), sizeof(word));
}

}  // namespace

void GperftoolsProfile::Add(const Interval& interval) {
  if (interval.period_ns != 0) period_ns_ = interval.period_ns;
  for (const IntervalSample& sample : interval.samples) {
    std::vector<std::uint64_t> stack;
    stack.reserve(sample.frames.size());
    for (const RawFrame& frame : sample.frames) stack.push_back(frame.address);
    if (stack.empty()) continue;  // The format has no sample without a pc.
    stacks_[std::move(stack)] += sample.weight;
    samples_ += sample.weight;
  }
}

Status GperftoolsProfile::Write(ByteSink& sink) const {
  std::string bytes;
  // Header: 0, words that follow, version, period in microseconds, padding.
  for (const std::uint64_t word :
       {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{0},
        static_cast<std::uint64_t>(period_ns_ / 1000), std::uint64_t{0}}) {
    Put(bytes, word);
  }
  for (const auto& [stack, weight] : stacks_) {
    Put(bytes, weight);
    Put(bytes, stack.size());
    for (const std::uint64_t address : stack) Put(bytes, address);
  }
  for (const std::uint64_t word : {0UL, 1UL, 0UL}) Put(bytes, word);
  std::ifstream maps("/proc/self/maps");
  std::stringstream text;
  text << maps.rdbuf();
  bytes += text.str();
  if (Status status = sink.Write(bytes); !status.ok()) return status;
  return sink.Close();
}

}  // namespace sonde
