// PcStacks: stacks of raw program counters, held until the memory map behind them is known.

#ifndef SONDE_EXPORT_GPERFTOOLS_PC_STACKS_H_
#define SONDE_EXPORT_GPERFTOOLS_PC_STACKS_H_

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/gperftools/memory_map.h"
#include "export/limit_guard.h"
#include "sonde/profile_builder.h"

namespace sonde::gperftools {

// What is known of an address before any symbol table is asked.
struct NamedAddress {
  std::vector<std::string> functions{};  // The innermost inlined one first.
  std::string file{};
  std::int64_t line = 0;
};

using AddressNames = std::unordered_map<std::uint64_t, NamedAddress>;

// Which of a stack's addresses are return addresses: 1 is taken off them, so that
// they lie in the call.
enum class ReturnAddresses : std::uint8_t {
  kNone,     // A runtime's own numbers of its functions.
  kCallers,  // The leaf was interrupted.
  kAll,      // The leaf called the profiler.
};

// Not thread-safe.
class PcStacks {
 public:
  explicit PcStacks(ReturnAddresses kind) : kind_(kind) {}

  // The program counters leaf first, as such profiles have them. Returns its number.
  std::size_t Add(std::span<const std::uint64_t> leaf_first);
  // The profile's own symbols.
  AddressNames& names() noexcept { return names_; }

  // Leaves `address` out where it is the caller of a leaf.
  void DropCaller(std::uint64_t address) noexcept { dropped_caller_ = address; }

  // The stack of a number in the builder, its mappings added before.
  StackId Build(std::size_t number, const MemoryMap& map, ProfileBuilder& builder);

  std::size_t depth(std::size_t number) const noexcept {
    return ends_[number] - (number == 0 ? 0 : ends_[number - 1]);
  }

 private:
  LocationId LocationOf(std::uint64_t address, const MemoryMap& map, ProfileBuilder& builder);

  ReturnAddresses kind_;
  std::uint64_t dropped_caller_ = 0;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::size_t> ends_;  // In addresses_, by number.
  AddressNames names_;
  std::unordered_map<std::uint64_t, LocationId> locations_;
};

}  // namespace sonde::gperftools

#endif  // SONDE_EXPORT_GPERFTOOLS_PC_STACKS_H_
