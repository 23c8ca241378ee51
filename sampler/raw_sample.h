// RawSample: what the handler writes into the ring, and the collector reads from it.

#ifndef SONDE_SAMPLER_RAW_SAMPLE_H_
#define SONDE_SAMPLER_RAW_SAMPLE_H_

#include <cstdint>

namespace sonde {

enum class Truncation : std::uint8_t { kNone, kDepth, kNoModule, kNoRule, kBadRead, kOrder };
inline constexpr int kTruncations = 6;

enum class SampleSource : std::uint8_t { kThreadTimer, kCatchAll, kWall };

// What a thread was doing when wall-clock time was sampled.
enum class ThreadState : std::uint8_t {
  kUnknown,  // Samples of CPU time: it ran.
  kRunning,  // On a core, or ready for one.
  kWaiting,
};

// An address of 47 bits below the index of its module in the ModuleRegistry.
class PackedFrame {
 public:
  PackedFrame() = default;
  PackedFrame(std::uint64_t address, std::uint32_t module) noexcept
      : bits_((address & kAddressMask) | std::uint64_t{module} << 48) {}

  std::uint64_t address() const noexcept { return bits_ & kAddressMask; }
  std::uint32_t module() const noexcept { return static_cast<std::uint32_t>(bits_ >> 48); }
  std::uint64_t bits() const noexcept { return bits_; }
  static PackedFrame FromBits(std::uint64_t bits) noexcept {
    PackedFrame frame;
    frame.bits_ = bits;
    return frame;
  }

 private:
  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 48) - 1;
  std::uint64_t bits_ = 0;
};

inline constexpr std::uint32_t kDeepestStack = 256;

// What a deferred sample begins with; the words of the stack follow, from rsp on.
struct CopiedStack {
  static constexpr std::uint32_t kModules = 16;
  std::uint64_t registers[17];           // By their DWARF number, rip last.
  std::uint16_t modules[kModules] = {};  // Those that any word points into: index + 1.
};
inline constexpr std::uint32_t kCopiedHeadWords = sizeof(CopiedStack) / 8;

// The fixed part of a sample; `depth` frames follow it, or `copied_words` of a stack.
struct RawSample {
  std::uint32_t tid = 0;
  std::uint32_t label_set = 0;
  std::uint64_t task_id = 0;
  std::uint32_t weight = 0;  // In sampling periods.
  std::uint16_t depth = 0;
  Truncation truncation = Truncation::kNone;
  SampleSource source = SampleSource::kThreadTimer;
  std::uint32_t copied_words = 0;             // Instead of frames, when deferred: see CopiedStack.
  ThreadState state = ThreadState::kUnknown;  // Not the handler's to know: set by WallSampler.
  std::uint8_t reserved[3] = {};
  std::uint64_t name[2] = {};  // The kernel's name of a thread that has no slot.
};
static_assert(sizeof(RawSample) % 8 == 0, "the ring carries words");

}  // namespace sonde

#endif  // SONDE_SAMPLER_RAW_SAMPLE_H_
