// DeferredUnwinder: walks the stacks that a handler copied, through libunwind.

#ifndef SONDE_SAMPLER_DEFERRED_UNWINDER_H_
#define SONDE_SAMPLER_DEFERRED_UNWINDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "sampler/libunwind_abi.h"
#include "sampler/module_registry.h"
#include "sampler/raw_sample.h"
#include "sampler/unwinder.h"
#include "sonde/result.h"

namespace sonde {

// Reads nothing but the copied stack, and copies of the modules' unwind tables that it takes when
// it meets them. A module unloaded before its first sample is
// walked ends the stack. Not thread-safe.
class DeferredUnwinder {
 public:
  // Finds libunwind-x86_64.so.8. kUnsupported when it is not installed or too old.
  static Result<std::unique_ptr<DeferredUnwinder>> Open(ModuleRegistry& modules);
  ~DeferredUnwinder();

  // `words` are a CopiedStack and what follows it.
  UnwoundStack Unwind(std::span<const std::uint64_t> words, PackedFrame* frames,
                      std::uint32_t capacity);

 private:
  struct Tables {
    std::uint64_t start = 0;
    std::vector<std::uint8_t> bytes;
    std::uint64_t header = 0;
  };

  explicit DeferredUnwinder(ModuleRegistry& modules) : modules_(modules) {}

  static int FindProcInfo(libunwind::AddressSpace space, libunwind::Word ip,
                          libunwind::ProcInfo* info, int need_unwind_info, void* self);
  static int AccessMemory(libunwind::AddressSpace space, libunwind::Word address,
                          libunwind::Word* word, int write, void* self);
  static int AccessRegister(libunwind::AddressSpace space, int reg, libunwind::Word* word,
                            int write, void* self);

  std::uint32_t ModuleOf(std::uint64_t pc) const;
  const Tables* TablesOf(std::uint32_t module);
  void NoteModule(std::uint32_t module);

  ModuleRegistry& modules_;
  libunwind::Functions library_{};
  libunwind::AddressSpace space_ = nullptr;
  std::unordered_map<std::uint32_t, Tables> tables_;
  std::unordered_map<std::uint64_t, std::uint32_t> module_at_;  // By its first address.

  // Of the walk that goes on.
  CopiedStack copied_;
  std::span<const std::uint64_t> stack_;
  const Tables* current_ = nullptr;
  bool read_failed_ = false;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_DEFERRED_UNWINDER_H_
