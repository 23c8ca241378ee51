// IntervalSum: adds up intervals that follow each other.

#ifndef SONDE_CONSOLE_INTERVAL_SUM_H_
#define SONDE_CONSOLE_INTERVAL_SUM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sampler/interval.h"

namespace sonde {

// Equal samples become one. What there is no room or memory for is dropped, and counted in the
// sum's stats: taken = written + dropped, and the CPU time is among what was lost. Not thread-safe.
class IntervalSum {
 public:
  IntervalSum() = default;
  // Its table refers to it.
  IntervalSum(const IntervalSum&) = delete;
  IntervalSum& operator=(const IntervalSum&) = delete;

  // The first one says where the sum begins. Takes from `room` what new samples need, in frames
  // and some for each sample itself.
  void Add(const Interval& interval, std::size_t& room) noexcept;
  // What was added since the last Take; gives its room back.
  Interval Take(std::size_t& room);

 private:
  using LabelSet = std::vector<std::pair<std::string, std::string>>;

  // The samples of the sum, by all that makes two of them equal.
  struct Hash {
    const IntervalSum* sum;
    std::size_t operator()(std::uint32_t index) const noexcept;
  };
  struct Equal {
    const IntervalSum* sum;
    bool operator()(std::uint32_t a, std::uint32_t b) const noexcept;
  };

  void Begin(const Interval& interval);
  std::vector<std::uint32_t> ModuleIndices(const Interval& interval);
  void TakeNames(const Interval& interval);
  // False when there is no room for it; then all is as before.
  bool Keep(const Interval& interval, const IntervalSample& sample,
            const std::vector<std::uint32_t>& modules, std::size_t& room) noexcept;
  std::uint32_t ThreadIndex(const ThreadName& thread);
  std::uint32_t LabelIndex(const LabelSet& labels);
  void ForgetLastThread();
  void ForgetLastLabels();
  static std::size_t RoomFor(const IntervalSample& sample);
  void Drop(const IntervalSample& sample);

  Interval sum_;
  bool is_empty_ = true;
  std::size_t used_ = 0;
  std::unordered_map<std::int32_t, std::uint32_t> threads_;
  std::map<LabelSet, std::uint32_t> label_sets_;
  std::unordered_set<std::uint32_t, Hash, Equal> samples_{0, Hash{this}, Equal{this}};
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_INTERVAL_SUM_H_
