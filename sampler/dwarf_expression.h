// EvaluateExpression: runs the small stack programs that unwind tables may contain.

#ifndef SONDE_SAMPLER_DWARF_EXPRESSION_H_
#define SONDE_SAMPLER_DWARF_EXPRESSION_H_

#include <cstdint>

#include "sampler/cfi_row.h"
#include "sampler/stack_reader.h"

namespace sonde {

// Registers of one frame. `known` has a bit for each that still holds a true value.
struct RegisterSet {
  std::uint64_t value[kRegisterCount];
  std::uint32_t known = 0;

  bool Knows(std::uint64_t reg) const noexcept {
    return reg < kRegisterCount && ((known >> reg) & 1) != 0;
  }
};

// Evaluates the block whose length stands at `block`, which reaches no further than `limit`.
// `initial` is on the stack when `push_initial`. False when it reads memory that is no
// stack, or a register that is lost, or holds an unknown operation. Async-signal-safe.
bool EvaluateExpression(std::uint64_t block, std::uint64_t limit, const RegisterSet& registers,
                        bool push_initial, std::uint64_t initial, StackReader& stack,
                        std::uint64_t& result) noexcept;

}  // namespace sonde

#endif  // SONDE_SAMPLER_DWARF_EXPRESSION_H_
