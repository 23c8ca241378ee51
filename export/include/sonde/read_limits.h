// ReadLimits: how much of an input a reader is willing to take.

#ifndef SONDE_READ_LIMITS_H_
#define SONDE_READ_LIMITS_H_

#include <cstdint>

namespace sonde {

// The limits of one reading; exceeding one fails with kLimit.
struct ReadLimits {
  std::uint64_t input_bytes = std::uint64_t{64} << 30;
  // Of an input that is compressed: what comes out, which is held in memory.
  std::uint64_t unwrapped_bytes = std::uint64_t{4} << 30;
  std::uint64_t records = UINT64_MAX;
  std::uint64_t line_bytes = std::uint64_t{64} << 20;
  std::uint64_t stack_depth = 65'536;
  std::uint64_t unique_frames = UINT64_MAX;
  std::uint64_t unique_stacks = UINT64_MAX;
  // Lines and stacks over their limit are a loss rather than an error.
  bool skip_oversized = false;
};

}  // namespace sonde

#endif  // SONDE_READ_LIMITS_H_
