// UnwindRule: see unwind_rule.h. Runs in the handler.

#include "sampler/unwind_rule.h"

#include "sampler/byte_reader.h"

namespace sonde {
namespace {

constexpr std::uint8_t kOpBregRbp = 0x70 + kRbp;
constexpr std::uint8_t kOpBregRsp = 0x70 + kRsp;
constexpr std::uint8_t kOpDeref = 0x06;

// rsp + 8 + ((rip & 15) >= 11) * 8: what linkers write for the stubs of the lazy binder.
constexpr std::uint8_t kPltExpression[] = {0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a,
                                           0x3b, 0x2a, 0x33, 0x24, 0x22};

bool Fits24(std::int64_t value) { return value >= -(1 << 23) && value < (1 << 23); }

UnwindRule::Kind CfaKindOfExpression(std::uint64_t block, std::uint64_t limit,
                                     std::int64_t& offset) {
  ByteReader in(block, limit);
  const std::uint64_t size = in.Uleb128();
  if (in.failed() || size > limit - in.at()) return UnwindRule::kNone;
  const std::uint64_t end = in.at() + size;
  if (size == sizeof(kPltExpression)) {
    ByteReader bytes = in;
    bool equal = true;
    for (const std::uint8_t byte : kPltExpression) equal &= bytes.Fixed<std::uint8_t>() == byte;
    if (equal) return UnwindRule::kPlt;
  }
  ByteReader program(in.at(), end);
  const auto base = program.Fixed<std::uint8_t>();
  if (base == kOpBregRbp || base == kOpBregRsp) {
    offset = program.Sleb128();
    if (program.Fixed<std::uint8_t>() == kOpDeref && !program.failed() && program.at() == end) {
      return base == kOpBregRbp ? UnwindRule::kCfaAtRbp : UnwindRule::kCfaAtRsp;
    }
  }
  return UnwindRule::kAllRegisters;
}

// True for an expression that is rbp + offset.
bool IsRbpRelative(std::uint64_t block, std::uint64_t limit, std::int64_t& offset) {
  ByteReader in(block, limit);
  const std::uint64_t size = in.Uleb128();
  if (in.failed() || size > limit - in.at()) return false;
  const std::uint64_t end = in.at() + size;
  if (in.Fixed<std::uint8_t>() != kOpBregRbp) return false;
  offset = in.Sleb128();
  return !in.failed() && in.at() == end;
}

// The caller's stack pointer has a rule of its own in longjmp and the like alone.
bool StackPointerIsCfa(const CfiRow& row) {
  return row.rules[kRsp] == RegisterRule::kSame ||
         (row.rules[kRsp] == RegisterRule::kIsCfa && row.values[kRsp] == 0);
}

}  // namespace

UnwindRule::UnwindRule(const Fde& fde, const CfiRow& row) noexcept {
  if (fde.cie.is_signal_frame) {
    bits_ = kSignalFrame;
    return;
  }
  const std::uint64_t return_register = fde.cie.return_register;
  if (return_register != kReturnAddress) {
    bits_ = kNone;
    return;
  }
  if (row.rules[kReturnAddress] == RegisterRule::kUndefined) {
    bits_ = kEnd;
    return;
  }
  const std::int64_t return_offset = row.values[kReturnAddress];
  if (row.rules[kReturnAddress] != RegisterRule::kAtCfa || return_offset >= 0 ||
      return_offset < -8 * 255 || return_offset % 8 != 0 || !StackPointerIsCfa(row)) {
    bits_ = kAllRegisters;
    return;
  }

  Kind kind = kAllRegisters;
  std::int64_t cfa_offset = row.cfa_offset;
  if (row.cfa_is_expression) {
    cfa_offset = 0;
    kind = CfaKindOfExpression(static_cast<std::uint64_t>(row.cfa_offset), fde.limit, cfa_offset);
  } else if (row.cfa_register == kRsp) {
    kind = kCfaFromRsp;
  } else if (row.cfa_register == kRbp) {
    kind = kCfaFromRbp;
  }

  RbpKind rbp_kind = kRbpLost;
  std::int64_t rbp_offset = 0;
  switch (row.rules[kRbp]) {
    case RegisterRule::kSame:
      rbp_kind = kRbpSame;
      break;
    case RegisterRule::kAtCfa:
      rbp_kind = kRbpAtCfa;
      rbp_offset = row.values[kRbp];
      break;
    case RegisterRule::kAtExpression:
      if (IsRbpRelative(fde.program + static_cast<std::uint64_t>(std::int64_t{row.values[kRbp]}),
                        fde.limit, rbp_offset)) {
        rbp_kind = kRbpAtRbp;
      } else {
        kind = kAllRegisters;
      }
      break;
    case RegisterRule::kUndefined:
      break;
    default:
      kind = kAllRegisters;
  }
  if (kind <= kAllRegisters || !Fits24(cfa_offset) || !Fits24(rbp_offset)) {
    bits_ = kind == kNone ? kNone : kAllRegisters;
    return;
  }
  bits_ = std::uint64_t{kind} | std::uint64_t{rbp_kind} << 4 |
          static_cast<std::uint64_t>(-return_offset / 8) << 8 |
          (static_cast<std::uint64_t>(cfa_offset) & 0xff'ffff) << 16 |
          static_cast<std::uint64_t>(rbp_offset) << 40;
}

}  // namespace sonde
