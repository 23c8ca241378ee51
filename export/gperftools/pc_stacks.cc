// PcStacks: stacks of raw program counters, held until the memory map behind them is known.

#include "export/gperftools/pc_stacks.h"

namespace sonde::gperftools {

std::size_t PcStacks::Add(std::span<const std::uint64_t> leaf_first) {
  for (std::size_t i = 0; i < leaf_first.size(); ++i) {
    const bool is_return =
        kind_ == ReturnAddresses::kAll || (kind_ == ReturnAddresses::kCallers && i > 0);
    addresses_.push_back(leaf_first[i] - (is_return && leaf_first[i] != 0 ? 1 : 0));
  }
  ends_.push_back(addresses_.size());
  return ends_.size() - 1;
}

StackId PcStacks::Build(std::size_t number, const MemoryMap& map, ProfileBuilder& builder) {
  StackId stack = kEmptyStack;
  const std::size_t leaf = ends_[number] - depth(number);
  for (std::size_t i = ends_[number]; i-- > leaf;) {
    if (i == leaf + 1 && dropped_caller_ != 0 && addresses_[i] == dropped_caller_) continue;
    stack = builder.Extend(stack, LocationOf(addresses_[i], map, builder));
  }
  return stack;
}

LocationId PcStacks::LocationOf(std::uint64_t address, const MemoryMap& map,
                                ProfileBuilder& builder) {
  const auto known = locations_.find(address);
  if (known != locations_.end()) return known->second;

  Location location;
  location.mapping = map.Find(address);
  location.address = address;
  std::vector<Line> lines;
  auto named = names_.find(address);
  // Some tools name the return address, some the call before it.
  if (named == names_.end() && kind_ != ReturnAddresses::kNone) named = names_.find(address + 1);
  if (named != names_.end()) {
    for (const std::string& function : named->second.functions) {
      lines.push_back({builder.AddFunction({.name = builder.Intern(function),
                                            .file = builder.Intern(named->second.file)}),
                       named->second.line, 0});
    }
    if (location.mapping != kNoMapping) builder.mapping(location.mapping).has_functions = true;
    // Addresses of a runtime that numbers its functions are no addresses.
    if (kind_ == ReturnAddresses::kNone) location.address = 0;
  }
  location.lines = lines;
  const LocationId id = builder.AddLocation(location);
  locations_.emplace(address, id);
  return id;
}

}  // namespace sonde::gperftools
