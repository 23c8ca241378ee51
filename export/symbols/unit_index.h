// UnitIndex: the functions of one compile unit by address, inlined ones included.

#ifndef SONDE_EXPORT_SYMBOLS_UNIT_INDEX_H_
#define SONDE_EXPORT_SYMBOLS_UNIT_INDEX_H_

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sonde::symbols {

// Walks the unit's entries once and keeps the address ranges of its functions,
// sorted. Not thread-safe.
class UnitIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  // A function or an inlined call.
  struct Node {
    Dwarf_Off entry = 0;
    std::uint32_t parent = kNone;  // The function around it; kNone for a physical one.
    bool inlined = false;
    std::int32_t call_line = 0;  // Where `parent` makes the call; 0 when not known.
    std::int32_t call_column = 0;
    const char* call_file = nullptr;  // Null when not known. Owned by the Dwarf.
  };

  // `unit` is the entry of a compile unit. Ranges below `lowest_address` belong to
  // functions that the linker threw away. A unit that breaks the format is
  // indexed as far as it can be read.
  UnitIndex(Dwarf_Die unit, std::uint64_t lowest_address);

  // The innermost function at `address`, or kNone.
  std::uint32_t Find(std::uint64_t address) const noexcept;
  // "app::(anonymous namespace)::Parser::", where the function that `entry` declares
  // stands; empty for the outermost scope and for entries of other units.
  std::string ScopeOf(Dwarf_Off entry) const;
  const Node& node(std::uint32_t index) const noexcept { return nodes_[index]; }
  std::size_t size() const noexcept { return nodes_.size(); }
  Dwarf_Die& unit() noexcept { return unit_; }

 private:
  struct Range {
    std::uint64_t low;
    std::uint64_t high;
    std::uint32_t node;
    std::uint32_t depth;
    std::uint32_t around;  // The narrowest range before this one that reaches over its start.
  };

  // A namespace, class or function that others stand in.
  struct Scope {
    Dwarf_Off entry;
    std::uint32_t around;
  };
  struct Declared {
    Dwarf_Off entry;
    std::uint32_t scope;
  };

  void Walk(Dwarf_Die* parent_entry, std::uint32_t parent, std::uint32_t depth,
            std::uint32_t scope);
  std::uint32_t AddScope(Dwarf_Die* entry, std::uint32_t around);
  std::uint32_t AddNode(Dwarf_Die* entry, bool inlined, std::uint32_t parent);
  void SortRanges();

  Dwarf_Die unit_;
  std::uint64_t lowest_address_;
  Dwarf_Files* files_ = nullptr;
  std::size_t file_count_ = 0;
  std::vector<Node> nodes_;
  std::vector<Range> ranges_;
  std::vector<Scope> scopes_;
  std::vector<Declared> declared_;  // Functions, by entry.
};

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_UNIT_INDEX_H_
