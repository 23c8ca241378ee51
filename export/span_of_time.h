// SpanOfTime: from when to when a recording has samples, by its own clock.

#ifndef SONDE_EXPORT_SPAN_OF_TIME_H_
#define SONDE_EXPORT_SPAN_OF_TIME_H_

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "sonde/profile_builder.h"

namespace sonde {

// Not thread-safe.
class SpanOfTime {
 public:
  void Add(std::int64_t time_ns) noexcept {
    first_ns_ = std::min(first_ns_, time_ns);
    last_ns_ = std::max(last_ns_, time_ns);
  }
  void Add(const SpanOfTime& other) noexcept {
    first_ns_ = std::min(first_ns_, other.first_ns_);
    last_ns_ = std::max(last_ns_, other.last_ns_);
  }

  // As a comment, where a profile has no sample of the time that was asked for: what could be.
  void TellIn(ProfileBuilder& builder) const {
    constexpr std::int64_t kSecondNs = 1'000'000'000;
    if (first_ns_ > last_ns_) return;
    std::array<char, 128> text{};
    std::snprintf(
        text.data(), text.size(),
        "samples were taken from %" PRId64 ".%09" PRId64 " to %" PRId64 ".%09" PRId64 " s",
        first_ns_ / kSecondNs, first_ns_ % kSecondNs, last_ns_ / kSecondNs, last_ns_ % kSecondNs);
    builder.AddComment(text.data());
  }

 private:
  std::int64_t first_ns_ = INT64_MAX;
  std::int64_t last_ns_ = INT64_MIN;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_SPAN_OF_TIME_H_
