// FindFiberRoot: see fiber_root.h.

#include "sampler/fiber_root.h"

#include <ucontext.h>

namespace sonde {

// The C library does not say, but makecontext puts it on top of the stack that it prepares.
std::uint64_t FindFiberRoot() noexcept {
  alignas(16) std::uint64_t stack[128] = {};
  ucontext_t context;
  if (getcontext(&context) != 0) return 0;
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = sizeof(stack);
  context.uc_link = nullptr;
  makecontext(
      &context, [] {}, 0);
  const auto top = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
  const auto base = reinterpret_cast<std::uint64_t>(stack);
  if (top < base || top + 8 > base + sizeof(stack)) return 0;
  return *reinterpret_cast<const std::uint64_t*>(top);
}

}  // namespace sonde
