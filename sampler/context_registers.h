// ContextRegister: the registers of interrupted code, by their DWARF number.

#ifndef SONDE_SAMPLER_CONTEXT_REGISTERS_H_
#define SONDE_SAMPLER_CONTEXT_REGISTERS_H_

#include <ucontext.h>

#include <cstdint>

#include "sampler/cfi_row.h"

namespace sonde {

inline constexpr int kContextIndex[kRegisterCount] = {
    REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

// Async-signal-safe.
inline std::uint64_t ContextRegister(const ucontext_t& context, int reg) noexcept {
  return static_cast<std::uint64_t>(context.uc_mcontext.gregs[kContextIndex[reg]]);
}

}  // namespace sonde

#endif  // SONDE_SAMPLER_CONTEXT_REGISTERS_H_
