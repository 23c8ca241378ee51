#include "sonde/sampler.h"
#include "sonde/thread_context.h"
namespace sonde {
__attribute__((weak)) std::uint64_t ExchangeCurrentTask(std::uint64_t id) noexcept {
  static thread_local std::uint64_t t;
  auto o = t;
  t = id;
  return o;
}
__attribute__((weak)) void ExcludeCurrentThread() {}
}  // namespace sonde
