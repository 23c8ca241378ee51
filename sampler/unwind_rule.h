// UnwindRule: a CfiRow in one word, for the frames that rip, rsp and rbp are enough for.

#ifndef SONDE_SAMPLER_UNWIND_RULE_H_
#define SONDE_SAMPLER_UNWIND_RULE_H_

#include <cstdint>

#include "sampler/cfi_row.h"

namespace sonde {

class UnwindRule {
 public:
  enum Kind : std::uint8_t {
    kUnset,         // The all-zero word.
    kNone,          // No entry, or one that cannot be understood.
    kEnd,           // The outermost frame.
    kSignalFrame,   // The kernel's: registers are in the ucontext at rsp.
    kAllRegisters,  // Needs more than the three registers.
    kCfaFromRsp,    // CFA = rsp + cfa_offset.
    kCfaFromRbp,    // CFA = rbp + cfa_offset.
    kCfaAtRsp,      // CFA = word at rsp + cfa_offset.
    kCfaAtRbp,      // CFA = word at rbp + cfa_offset.
    kPlt,           // CFA = rsp + 8, and 8 more from byte 11 of the 16-byte stub on.
  };
  enum RbpKind : std::uint8_t { kRbpSame, kRbpAtCfa, kRbpAtRbp, kRbpLost };

  UnwindRule() = default;
  // What `row` of `fde` comes to.
  UnwindRule(const Fde& fde, const CfiRow& row) noexcept;
  static UnwindRule OfKind(Kind kind) noexcept { return FromBits(kind); }
  static UnwindRule FromBits(std::uint64_t bits) noexcept {
    UnwindRule rule;
    rule.bits_ = bits;
    return rule;
  }

  std::uint64_t bits() const noexcept { return bits_; }
  Kind kind() const noexcept { return static_cast<Kind>(bits_ & 0xf); }
  RbpKind rbp_kind() const noexcept { return static_cast<RbpKind>((bits_ >> 4) & 3); }
  // The return address lies this far below the CFA.
  std::uint64_t return_distance() const noexcept { return ((bits_ >> 8) & 0xff) * 8; }
  std::int64_t cfa_offset() const noexcept { return static_cast<std::int64_t>(bits_ << 24) >> 40; }
  std::int64_t rbp_offset() const noexcept { return static_cast<std::int64_t>(bits_) >> 40; }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_UNWIND_RULE_H_
