// ModuleRegistry: every file that code was seen running from, kept when the file is unloaded.

#ifndef SONDE_SAMPLER_MODULE_REGISTRY_H_
#define SONDE_SAMPLER_MODULE_REGISTRY_H_

#include <atomic>
#include <cstdint>

#include "sampler/eh_frame.h"
#include "sampler/program_tables.h"

struct dl_find_object;  // The loader's.

namespace sonde {

// One executable segment of one file at one address. Never changes once found.
struct LoadedModule {
  // As the loader describes it.
  std::uint64_t map_start = 0;
  std::uint64_t map_limit = 0;
  std::uint64_t link_map = 0;
  TableRange tables;

  std::uint64_t code_start = 0;
  std::uint64_t code_limit = 0;
  std::uint64_t file_offset = 0;  // Of code_start.
  std::uint64_t bias = 0;

  // Tells this file from another one that is loaded to the same place later.
  std::uint64_t fingerprint[2] = {};
  std::uint64_t build_id_address = 0;  // 0 = the file has none.
  std::uint32_t build_id_size = 0;
  std::uint8_t build_id[32] = {};

  char path[1024] = {};  // What the loader calls it; empty for the program itself.

  bool Holds(std::uint64_t pc) const noexcept { return pc >= code_start && pc < code_limit; }
};

// Append only: an index stands for the same module for ever. Filled by handlers on
// first sight, without a lock. Static storage only.
class ModuleRegistry {
 public:
  static constexpr std::uint32_t kCapacity = 4096;
  static constexpr std::uint32_t kNone = 0xffff;

  // Finds the loader's own lock-free look-up, which a call through the PLT would have to bind
  // inside a handler, and takes what the loader does not know of a static program. Call before
  // the first Find; again is harmless.
  // Not async-signal-safe.
  void Prepare(const ProgramTables& program) noexcept;

  // The index of the module whose code holds `pc`, or kNone: also when the registry is full.
  // Async-signal-safe.
  std::uint32_t Find(std::uint64_t pc) noexcept;

  // The same for a word that may be anything, such as the address of code that another thread is
  // unloading right now; Find is for code that the calling thread stands in. Costs system calls.
  // Async-signal-safe.
  std::uint32_t FindAnything(std::uint64_t word) noexcept;

  // True while the module's file is still where it was. Any thread.
  bool IsStillLoaded(std::uint32_t index) const noexcept;

  // Any thread, any index that Find returned. Async-signal-safe.
  const LoadedModule& At(std::uint32_t index) const noexcept { return modules_[index]; }

 private:
  static constexpr std::uint32_t kSlots = 2 * kCapacity;

  // What the loader says of the module that holds a pc.
  struct Place {
    std::uint64_t map_start;
    std::uint64_t map_limit;
    std::uint64_t link_map;
    std::uint64_t header;

    bool IsOf(const LoadedModule& module) const noexcept;
  };

  template <typename Memory>
  std::uint32_t FindIn(std::uint64_t pc) noexcept;
  template <typename Memory>
  std::uint32_t Insert(const Place& place, std::uint64_t pc, std::uint32_t slot) noexcept;

  int (*find_object_)(void*, dl_find_object*) = nullptr;
  ProgramTables program_;
  std::atomic<std::uint32_t> count_{0};
  std::atomic<std::uint16_t> slots_[kSlots] = {};  // Index + 1, or 0.
  LoadedModule modules_[kCapacity];
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_MODULE_REGISTRY_H_
