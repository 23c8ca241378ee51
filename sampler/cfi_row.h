// CfiRow: how to find the caller's registers from one instruction of a function.

#ifndef SONDE_SAMPLER_CFI_ROW_H_
#define SONDE_SAMPLER_CFI_ROW_H_

#include <cstdint>

#include "sampler/eh_frame.h"

namespace sonde {

// DWARF numbers of the x86-64 registers.
enum DwarfRegister : std::uint8_t {
  kRax,
  kRdx,
  kRcx,
  kRbx,
  kRsi,
  kRdi,
  kRbp,
  kRsp,
  kR8,
  kR9,
  kR10,
  kR11,
  kR12,
  kR13,
  kR14,
  kR15,
  kReturnAddress,
  kRegisterCount,
};

enum class RegisterRule : std::uint8_t {
  kSame,  // Also "not mentioned".
  kUndefined,
  kAtCfa,         // Saved at CFA + value.
  kIsCfa,         // Is CFA + value.
  kInRegister,    // In the register `value`.
  kAtExpression,  // Saved where the expression says.
  kIsExpression,  // What the expression says.
};

struct CfiRow {
  // The canonical frame address (CFA): the stack pointer before the call that led here.
  bool cfa_is_expression = false;
  std::uint8_t cfa_register = kRegisterCount;  // kRegisterCount: none that can be known.
  std::int64_t cfa_offset = 0;                 // Or the address of the expression's length.
  RegisterRule rules[kRegisterCount] = {};
  // An offset, a register, or where an expression's length is, as a distance from Fde::program.
  std::int32_t values[kRegisterCount] = {};
};

// Runs the programs of `fde` up to `pc`. False when they hold something that
// cannot be understood. Async-signal-safe.
bool ComputeRow(const Fde& fde, std::uint64_t pc, CfiRow& row) noexcept;

}  // namespace sonde

#endif  // SONDE_SAMPLER_CFI_ROW_H_
