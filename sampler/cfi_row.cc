// CfiRow: see cfi_row.h. Runs in the handler.

#include "sampler/cfi_row.h"

#include "sampler/byte_reader.h"

namespace sonde {
namespace {

// DW_CFA_*. The first three carry an operand in their low six bits.
enum Opcode : std::uint8_t {
  kAdvanceLoc = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0,
  kNop = 0x00,
  kSetLoc = 0x01,
  kAdvanceLoc1 = 0x02,
  kAdvanceLoc2 = 0x03,
  kAdvanceLoc4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kSetUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSf = 0x11,
  kDefCfaSf = 0x12,
  kDefCfaOffsetSf = 0x13,
  kValOffset = 0x14,
  kValOffsetSf = 0x15,
  kValExpression = 0x16,
  kGnuArgsSize = 0x2e,
  kGnuNegativeOffsetExtended = 0x2f,
};

constexpr int kRememberedRows = 4;  // Compilers nest one deep.

class RowProgram {
 public:
  RowProgram(const Fde& fde, std::uint64_t pc, CfiRow& row) : fde_(fde), pc_(pc), row_(row) {}

  bool Run() {
    const Cie& cie = fde_.cie;
    location_ = fde_.pc_begin;
    if (!Execute(ByteReader(cie.program, cie.program_end), /*moves=*/false)) return false;
    initial_ = row_;
    return Execute(ByteReader(fde_.program, fde_.program_end), /*moves=*/true);
  }

 private:
  void Set(std::uint64_t reg, RegisterRule rule, std::int64_t value) {
    if (reg >= kRegisterCount) return;  // Vector registers: nothing depends on them.
    row_.rules[reg] = rule;
    row_.values[reg] = static_cast<std::int32_t>(value);
    if (row_.values[reg] != value) unfit_ = true;
  }

  // An offset as the CIE scales it. One that overflows is no offset.
  std::int64_t Scaled(std::int64_t factor) {
    std::int64_t offset = 0;
    if (__builtin_mul_overflow(factor, fde_.cie.data_alignment, &offset)) unfit_ = true;
    return offset;
  }
  std::int64_t Scaled(std::uint64_t factor) { return Scaled(static_cast<std::int64_t>(factor)); }

  void Restore(std::uint64_t reg) {
    if (reg >= kRegisterCount) return;
    row_.rules[reg] = initial_.rules[reg];
    row_.values[reg] = initial_.values[reg];
  }

  void DefineCfa(std::uint64_t reg, std::int64_t offset) {
    row_.cfa_is_expression = false;
    row_.cfa_register = static_cast<std::uint8_t>(reg);
    if (reg >= kRegisterCount) row_.cfa_register = kRegisterCount;
    row_.cfa_offset = offset;
  }

  // Skips a block; where its length stands.
  static std::uint64_t Block(ByteReader& in) {
    const std::uint64_t at = in.at();
    in.Skip(in.Uleb128());
    return at;
  }

  // True when the row of pc_ is complete.
  bool Advance(std::uint64_t delta) {
    location_ += delta * fde_.cie.code_alignment;
    return location_ > pc_;
  }

  bool Execute(ByteReader in, bool moves) {
    const Cie& cie = fde_.cie;
    while (!in.done()) {
      const auto opcode = in.Fixed<std::uint8_t>();
      const std::uint8_t low = opcode & 0x3f;
      bool complete = false;
      switch (opcode & 0xc0) {
        case kAdvanceLoc:
          complete = Advance(low);
          if (complete && moves) return !unfit_;
          continue;
        case kOffset:
          Set(low, RegisterRule::kAtCfa, Scaled(in.Uleb128()));
          continue;
        case kRestore:
          Restore(low);
          continue;
        default:
          break;
      }
      switch (opcode) {
        case kNop:
          break;
        case kSetLoc:
          location_ = in.Pointer(cie.pointer_encoding);
          complete = location_ > pc_;
          break;
        case kAdvanceLoc1:
          complete = Advance(in.Fixed<std::uint8_t>());
          break;
        case kAdvanceLoc2:
          complete = Advance(in.Fixed<std::uint16_t>());
          break;
        case kAdvanceLoc4:
          complete = Advance(in.Fixed<std::uint32_t>());
          break;
        case kOffsetExtended: {
          const std::uint64_t reg = in.Uleb128();
          Set(reg, RegisterRule::kAtCfa, Scaled(in.Uleb128()));
          break;
        }
        case kOffsetExtendedSf: {
          const std::uint64_t reg = in.Uleb128();
          Set(reg, RegisterRule::kAtCfa, Scaled(in.Sleb128()));
          break;
        }
        case kGnuNegativeOffsetExtended: {
          const std::uint64_t reg = in.Uleb128();
          Set(reg, RegisterRule::kAtCfa, Scaled(~in.Uleb128() + 1));
          break;
        }
        case kValOffset: {
          const std::uint64_t reg = in.Uleb128();
          Set(reg, RegisterRule::kIsCfa, Scaled(in.Uleb128()));
          break;
        }
        case kValOffsetSf: {
          const std::uint64_t reg = in.Uleb128();
          Set(reg, RegisterRule::kIsCfa, Scaled(in.Sleb128()));
          break;
        }
        case kRestoreExtended:
          Restore(in.Uleb128());
          break;
        case kSetUndefined:
          Set(in.Uleb128(), RegisterRule::kUndefined, 0);
          break;
        case kSameValue:
          Set(in.Uleb128(), RegisterRule::kSame, 0);
          break;
        case kRegister: {
          const std::uint64_t reg = in.Uleb128();
          const std::uint64_t holder = in.Uleb128();
          Set(reg, holder < kRegisterCount ? RegisterRule::kInRegister : RegisterRule::kUndefined,
              static_cast<std::int64_t>(holder & 0xff));
          break;
        }
        case kExpression: {
          const std::uint64_t reg = in.Uleb128();
          Set(reg, RegisterRule::kAtExpression,
              static_cast<std::int64_t>(Block(in) - fde_.program));
          break;
        }
        case kValExpression: {
          const std::uint64_t reg = in.Uleb128();
          Set(reg, RegisterRule::kIsExpression,
              static_cast<std::int64_t>(Block(in) - fde_.program));
          break;
        }
        case kRememberState:
          if (remembered_ == kRememberedRows) return false;
          stack_[remembered_++] = row_;
          break;
        case kRestoreState:
          if (remembered_ == 0) return false;
          row_ = stack_[--remembered_];
          break;
        case kDefCfa: {
          const std::uint64_t reg = in.Uleb128();
          DefineCfa(reg, static_cast<std::int64_t>(in.Uleb128()));
          break;
        }
        case kDefCfaSf: {
          const std::uint64_t reg = in.Uleb128();
          DefineCfa(reg, Scaled(in.Sleb128()));
          break;
        }
        case kDefCfaRegister:
          if (row_.cfa_is_expression) return false;  // It has no offset to keep.
          DefineCfa(in.Uleb128(), row_.cfa_offset);
          break;
        case kDefCfaOffset:
          if (row_.cfa_is_expression) return false;  // It has no register to keep.
          row_.cfa_offset = static_cast<std::int64_t>(in.Uleb128());
          break;
        case kDefCfaOffsetSf:
          if (row_.cfa_is_expression) return false;
          row_.cfa_offset = Scaled(in.Sleb128());
          break;
        case kDefCfaExpression:
          row_.cfa_is_expression = true;
          row_.cfa_offset = static_cast<std::int64_t>(Block(in));
          break;
        case kGnuArgsSize:
          in.Uleb128();
          break;
        default:
          return false;
      }
      if (complete && moves) return !unfit_ && !in.failed();
    }
    return !in.failed() && !unfit_;
  }

  const Fde& fde_;
  const std::uint64_t pc_;
  CfiRow& row_;
  CfiRow initial_;
  CfiRow stack_[kRememberedRows];
  int remembered_ = 0;
  std::uint64_t location_ = 0;
  bool unfit_ = false;  // A value does not fit; the row would lie.
};

}  // namespace

bool ComputeRow(const Fde& fde, std::uint64_t pc, CfiRow& row) noexcept {
  row = CfiRow{};
  return RowProgram(fde, pc, row).Run();
}

}  // namespace sonde
