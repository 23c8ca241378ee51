// UnitIndex: the functions of one compile unit by address, inlined ones included.

#include "export/symbols/unit_index.h"

#include <dwarf.h>

#include <algorithm>

namespace sonde::symbols {
namespace {

// Deeper nesting than any compiler makes is a broken file.
constexpr std::uint32_t kDeepestEntry = 512;

bool MayHoldFunctions(int tag) {
  switch (tag) {
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      return true;
    default:
      return false;
  }
}

bool IsNamedScope(int tag) {
  return tag != DW_TAG_lexical_block && tag != DW_TAG_try_block && tag != DW_TAG_catch_block;
}

std::int32_t NumberOf(Dwarf_Die* entry, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr(entry, attribute, &found) == nullptr) return 0;
  if (dwarf_formudata(&found, &value) != 0 || value > INT32_MAX) return 0;
  return static_cast<std::int32_t>(value);
}

}  // namespace

UnitIndex::UnitIndex(Dwarf_Die unit, std::uint64_t lowest_address)
    : unit_(unit), lowest_address_(lowest_address) {
  if (dwarf_getsrcfiles(&unit_, &files_, &file_count_) != 0) files_ = nullptr;
  Walk(&unit_, kNone, 0, kNone);
  SortRanges();
}

std::uint32_t UnitIndex::AddScope(Dwarf_Die* entry, std::uint32_t around) {
  if (dwarf_haschildren(entry) <= 0) return around;
  scopes_.push_back({dwarf_dieoffset(entry), around});
  return static_cast<std::uint32_t>(scopes_.size() - 1);
}

std::string UnitIndex::ScopeOf(Dwarf_Off entry) const {
  const auto found = std::lower_bound(
      declared_.begin(), declared_.end(), entry,
      [](const Declared& declared, Dwarf_Off value) { return declared.entry < value; });
  if (found == declared_.end() || found->entry != entry) return {};
  std::string text;
  for (std::uint32_t i = found->scope; i != kNone; i = scopes_[i].around) {
    Dwarf_Die die;
    if (dwarf_offdie(dwarf_cu_getdwarf(unit_.cu), scopes_[i].entry, &die) == nullptr) break;
    const char* const name = dwarf_diename(&die);
    const char* const shown = name != nullptr                       ? name
                              : dwarf_tag(&die) == DW_TAG_namespace ? "(anonymous namespace)"
                                                                    : "(anonymous class)";
    text.insert(0, std::string(shown) + "::");
  }
  return text;
}

std::uint32_t UnitIndex::AddNode(Dwarf_Die* entry, bool inlined, std::uint32_t parent) {
  Node node{
      .entry = dwarf_dieoffset(entry), .parent = inlined ? parent : kNone, .inlined = inlined};
  if (inlined) {
    node.call_line = NumberOf(entry, DW_AT_call_line);
    node.call_column = NumberOf(entry, DW_AT_call_column);
    const auto file = static_cast<std::size_t>(NumberOf(entry, DW_AT_call_file));
    if (files_ != nullptr && file < file_count_) {
      node.call_file = dwarf_filesrc(files_, file, nullptr, nullptr);
    }
  }
  nodes_.push_back(node);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void UnitIndex::Walk(Dwarf_Die* parent_entry, std::uint32_t parent, std::uint32_t depth,
                     std::uint32_t scope) {
  Dwarf_Die entry;
  if (depth > kDeepestEntry || dwarf_child(parent_entry, &entry) != 0) return;
  do {
    const int tag = dwarf_tag(&entry);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
      const bool inlined = tag == DW_TAG_inlined_subroutine && parent != kNone;
      const bool declares = tag == DW_TAG_subprogram;
      if (declares) declared_.push_back({dwarf_dieoffset(&entry), scope});
      std::uint32_t node = kNone;
      std::ptrdiff_t next = 0;
      Dwarf_Addr base = 0;
      Dwarf_Addr low = 0;
      Dwarf_Addr high = 0;
      while ((next = dwarf_ranges(&entry, next, &base, &low, &high)) > 0) {
        if (high <= low || low < lowest_address_) continue;
        if (node == kNone) node = AddNode(&entry, inlined, parent);
        ranges_.push_back({low, high, node, depth, kNone});
      }
      Walk(&entry, node == kNone ? parent : node, depth + 1,
           declares ? AddScope(&entry, scope) : scope);
    } else if (MayHoldFunctions(tag)) {
      Walk(&entry, parent, depth + 1, IsNamedScope(tag) ? AddScope(&entry, scope) : scope);
    }
  } while (dwarf_siblingof(&entry, &entry) == 0);
}

void UnitIndex::SortRanges() {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
    if (a.low != b.low) return a.low < b.low;
    if (a.high != b.high) return a.high > b.high;
    return a.depth < b.depth;
  });
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    while (!open.empty() && ranges_[open.back()].high <= ranges_[i].low) open.pop_back();
    if (!open.empty()) ranges_[i].around = open.back();
    open.push_back(i);
  }
}

std::uint32_t UnitIndex::Find(std::uint64_t address) const noexcept {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](std::uint64_t value, const Range& range) { return value < range.low; });
  if (after == ranges_.begin()) return kNone;
  auto range = static_cast<std::uint32_t>(after - ranges_.begin() - 1);
  while (range != kNone && address >= ranges_[range].high) range = ranges_[range].around;
  return range == kNone ? kNone : ranges_[range].node;
}

}  // namespace sonde::symbols
