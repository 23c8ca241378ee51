// TimerValue: what a signal of ours carries to the handler.

#ifndef SONDE_SAMPLER_TIMER_VALUE_H_
#define SONDE_SAMPLER_TIMER_VALUE_H_

#include <cstdint>

namespace sonde {

// 12 bits tell our signals from others, 2 say what sent it, 14 are the slot of the thread or the
// weight of a catch-all tick, 32 its generation: a signal of a timer that was
// deleted since carries one that no longer counts.
class TimerValue {
 public:
  enum Kind : std::uint8_t { kThread, kCatchAll, kWall };

  TimerValue(Kind kind, std::uint32_t operand, std::uint32_t generation) noexcept
      : bits_(kMark | std::uint64_t{kind} << 50 | std::uint64_t{operand & 0x3fff} << 36 |
              generation) {}
  explicit TimerValue(void* pointer) noexcept : bits_(reinterpret_cast<std::uint64_t>(pointer)) {}

  bool operator==(const TimerValue&) const noexcept = default;

  bool IsOurs() const noexcept { return (bits_ & kMarkMask) == kMark; }
  Kind kind() const noexcept { return static_cast<Kind>((bits_ >> 50) & 3); }
  std::uint32_t operand() const noexcept {
    return static_cast<std::uint32_t>(bits_ >> 36) & 0x3fff;
  }
  std::uint32_t generation() const noexcept { return static_cast<std::uint32_t>(bits_); }
  void* pointer() const noexcept { return reinterpret_cast<void*>(bits_); }

 private:
  // No address of a user's object starts like this.
  static constexpr std::uint64_t kMark = std::uint64_t{0xa5d} << 52;
  static constexpr std::uint64_t kMarkMask = std::uint64_t{0xfff} << 52;
  std::uint64_t bits_;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_TIMER_VALUE_H_
