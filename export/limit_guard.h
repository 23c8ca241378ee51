// LimitGuard: holds a reading to its ReadLimits, and ends it when it is called off.

#ifndef SONDE_EXPORT_LIMIT_GUARD_H_
#define SONDE_EXPORT_LIMIT_GUARD_H_

#include <cstdint>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "sonde/profile_builder.h"
#include "sonde/read_limits.h"
#include "sonde/result.h"

namespace sonde {

// The error for `actual` of something where `limit` are allowed; `key` names the
// limit for machines, like "max_records".
Error OverLimit(std::string_view what, std::string_view key, std::uint64_t limit,
                std::uint64_t actual);

// The error of a reading that ReadOptions::stop ended.
Error ReadingCalledOff();

// Each check costs next to nothing while its limit is far away. Not thread-safe.
class LimitGuard {
 public:
  // `limits` and `builder` outlive the guard.
  LimitGuard(const ReadLimits& limits, const ProfileBuilder& builder, std::stop_token stop)
      : limits_(limits), builder_(builder), stop_(std::move(stop)) {}

  // Before each record of the input, good or bad.
  Status CountRecord() {
    if (++records_ > limits_.records) {
      return OverLimit("records", "max_records", limits_.records, records_);
    }
    return Look();
  }
  // After new frames were added to the builder: distinct frames are its locations.
  Status CheckFrames() const {
    if (builder_.location_count() > limits_.unique_frames) {
      return OverLimit("distinct frames", "max_unique_frames", limits_.unique_frames,
                       builder_.location_count());
    }
    return {};
  }
  Status CheckDepth(std::uint64_t depth) const {
    if (depth > limits_.stack_depth) {
      return OverLimit("frames on a stack", "max_stack_depth", limits_.stack_depth, depth);
    }
    return {};
  }
  // For the stack of each sample.
  Status CountStack(StackId stack) {
    if (limits_.unique_stacks == UINT64_MAX) return Look();
    return CountLimitedStack(stack);
  }

  std::uint64_t records() const noexcept { return records_; }

 private:
  static constexpr std::uint64_t kStepsBetweenLooks = 1 << 14;

  // Whether the reading is still wanted; asked now and then.
  Status Look() {
    if (++steps_ % kStepsBetweenLooks == 0 && stop_.stop_requested()) return ReadingCalledOff();
    return {};
  }
  Status CountLimitedStack(StackId stack);

  const ReadLimits& limits_;
  const ProfileBuilder& builder_;
  std::stop_token stop_;
  std::uint64_t steps_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t stacks_ = 0;
  std::vector<bool> seen_;  // By StackId.
};

}  // namespace sonde

#endif  // SONDE_EXPORT_LIMIT_GUARD_H_
