// DwarfLines: which functions, inlined ones included, an address of an ELF file belongs to.

#include "sonde/dwarf_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "export/symbols/debug_files.h"
#include "export/symbols/demangle.h"
#include "export/symbols/elf_file.h"
#include "export/symbols/unit_index.h"
#include "sonde/string_table.h"

namespace sonde {
namespace {

using symbols::ElfFile;
using symbols::UnitIndex;

struct Name {
  std::string_view shown;
  std::string_view linkage;
  std::int64_t start_line = 0;
};

const char* TextOf(Dwarf_Die* entry, unsigned attribute) {
  Dwarf_Attribute found;
  if (dwarf_attr_integrate(entry, attribute, &found) == nullptr) return nullptr;
  return dwarf_formstring(&found);
}

std::int64_t NumberOf(Dwarf_Die* entry, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(entry, attribute, &found) == nullptr) return 0;
  if (dwarf_formudata(&found, &value) != 0 || value > INT32_MAX) return 0;
  return static_cast<std::int64_t>(value);
}

// The entry that an instance of a function refers to in the end; 0 when that is in another file.
Dwarf_Off DeclarationOf(Dwarf_Die entry, Dwarf* dwarf) {
  constexpr int kMostSteps = 8;
  for (int i = 0; i < kMostSteps; ++i) {
    Dwarf_Attribute found;
    Dwarf_Die next;
    if (dwarf_attr(&entry, DW_AT_abstract_origin, &found) == nullptr &&
        dwarf_attr(&entry, DW_AT_specification, &found) == nullptr) {
      break;
    }
    if (dwarf_formref_die(&found, &next) == nullptr) break;
    entry = next;
  }
  return dwarf_cu_getdwarf(entry.cu) == dwarf ? dwarf_dieoffset(&entry) : 0;
}

std::string_view ViewOf(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

std::uint64_t LowestCode(const ElfFile& file) {
  std::uint64_t lowest = UINT64_MAX;
  for (const symbols::LoadSegment& segment : file.segments()) {
    if (segment.executable) lowest = std::min(lowest, segment.address);
  }
  return lowest == UINT64_MAX ? 0 : lowest;
}

}  // namespace

class DwarfLines::State {
 public:
  State(ElfFile binary, std::optional<ElfFile> debug)
      : binary_(std::move(binary)), debug_(std::move(debug)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { dwarf_end(dwarf_); }

  bool Begin();
  std::span<const SourceFrame> Find(std::uint64_t address);
  const ElfFile& binary() const { return binary_; }
  const ElfFile& debug() const { return debug_.has_value() ? *debug_ : binary_; }
  std::size_t indexed_units() const { return units_.size(); }

 private:
  struct UnitRange {
    std::uint64_t low;
    std::uint64_t high;
    Dwarf_Off unit;
  };
  struct Unit {
    Unit(Dwarf_Die entry, std::uint64_t lowest_address)
        : index(entry, lowest_address), names(index.size()) {}
    UnitIndex index;
    std::vector<std::optional<Name>> names;  // By node.
  };

  void IndexUnits();
  Unit* UnitAt(std::uint64_t address);
  const Name& NameOf(Unit& unit, std::uint32_t node);
  std::string_view Keep(std::string_view text) { return texts_.text(texts_.Intern(text)); }

  ElfFile binary_;
  std::optional<ElfFile> debug_;
  Dwarf* dwarf_ = nullptr;
  std::uint64_t lowest_address_ = 0;    // Of the code; 0 when the file does not say.
  std::vector<UnitRange> unit_ranges_;  // Sorted by `low`.
  std::unordered_map<Dwarf_Off, std::unique_ptr<Unit>> units_;
  StringTable texts_;
  std::vector<SourceFrame> frames_;
};

bool DwarfLines::State::Begin() {
  dwarf_ = dwarf_begin_elf(debug().elf(), DWARF_C_READ, nullptr);
  if (dwarf_ == nullptr) return false;
  lowest_address_ = LowestCode(binary_);
  IndexUnits();
  return true;
}

// .debug_aranges would do for gcc's output, but clang does not write it.
void DwarfLines::State::IndexUnits() {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die entry;
  std::uint8_t type = 0;
  while (dwarf_get_units(dwarf_, unit, &unit, nullptr, &type, &entry, nullptr) == 0) {
    if (type != DW_UT_compile) continue;
    std::ptrdiff_t next = 0;
    Dwarf_Addr base = 0;
    Dwarf_Addr low = 0;
    Dwarf_Addr high = 0;
    while ((next = dwarf_ranges(&entry, next, &base, &low, &high)) > 0) {
      if (high > low && low >= lowest_address_)
        unit_ranges_.push_back({low, high, dwarf_dieoffset(&entry)});
    }
  }
  std::sort(unit_ranges_.begin(), unit_ranges_.end(), [](const UnitRange& a, const UnitRange& b) {
    return a.low != b.low ? a.low < b.low : a.unit < b.unit;
  });
}

DwarfLines::State::Unit* DwarfLines::State::UnitAt(std::uint64_t address) {
  const auto after = std::upper_bound(
      unit_ranges_.begin(), unit_ranges_.end(), address,
      [](std::uint64_t value, const UnitRange& range) { return value < range.low; });
  if (after == unit_ranges_.begin() || address >= (after - 1)->high) return nullptr;
  std::unique_ptr<Unit>& unit = units_[(after - 1)->unit];
  if (unit == nullptr) {
    Dwarf_Die entry;
    if (dwarf_offdie(dwarf_, (after - 1)->unit, &entry) == nullptr) return nullptr;
    unit = std::make_unique<Unit>(entry, lowest_address_);
  }
  return unit.get();
}

const Name& DwarfLines::State::NameOf(Unit& unit, std::uint32_t node) {
  std::optional<Name>& name = unit.names[node];
  if (name.has_value()) return *name;
  name.emplace();
  Dwarf_Die entry;
  if (dwarf_offdie(dwarf_, unit.index.node(node).entry, &entry) == nullptr) return *name;
  const char* linkage = TextOf(&entry, DW_AT_linkage_name);
  if (linkage == nullptr) linkage = TextOf(&entry, DW_AT_MIPS_linkage_name);
  const std::string demangled = symbols::Demangle(ViewOf(linkage));
  if (!demangled.empty()) {
    name->shown = Keep(demangled);
    name->linkage = Keep(ViewOf(linkage));
  } else if (linkage != nullptr) {
    name->shown = Keep(ViewOf(linkage));
  } else if (const char* const plain = TextOf(&entry, DW_AT_name); plain != nullptr) {
    // Functions that the linker need not know of have no other name.
    name->shown = Keep(unit.index.ScopeOf(DeclarationOf(entry, dwarf_)) + plain);
  }
  name->start_line = NumberOf(&entry, DW_AT_decl_line);
  return *name;
}

std::span<const SourceFrame> DwarfLines::State::Find(std::uint64_t address) {
  frames_.clear();
  Unit* const unit = UnitAt(address);
  if (unit == nullptr) return {};

  SourceFrame place;
  if (Dwarf_Line* const row = dwarf_getsrc_die(&unit->index.unit(), address); row != nullptr) {
    place.file = ViewOf(dwarf_linesrc(row, nullptr, nullptr));
    int number = 0;
    if (dwarf_lineno(row, &number) == 0) place.line = number;
    if (dwarf_linecol(row, &number) == 0) place.column = number;
  }

  // Each inlined call tells where its caller stood.
  for (std::uint32_t i = unit->index.Find(address); i != UnitIndex::kNone;) {
    const UnitIndex::Node& node = unit->index.node(i);
    const Name& name = NameOf(*unit, i);
    place.function = name.shown;
    place.linkage_name = name.linkage;
    place.start_line = name.start_line;
    frames_.push_back(place);
    place.file = ViewOf(node.call_file);
    place.line = node.call_line;
    place.column = node.call_column;
    i = node.parent;
  }
  if (frames_.empty() && place.line != 0) frames_.push_back(place);
  return frames_;
}

Result<DwarfLines> DwarfLines::Open(const std::string& path, const std::string& debug_file) {
  Result<ElfFile> binary = ElfFile::Open(path);
  if (!binary.ok()) return binary.error();
  std::optional<ElfFile> debug;
  if (!binary.value().has_dwarf()) {
    const bool is_given = !debug_file.empty() && debug_file != path;
    const std::optional<std::string> found =
        is_given ? debug_file : symbols::DebugFiles().FindDebugFile(binary.value());
    if (found.has_value()) {
      Result<ElfFile> opened = ElfFile::Open(*found);
      if (opened.ok() && opened.value().has_dwarf()) debug = std::move(opened).value();
    }
    if (!debug.has_value()) {
      return Error{.code = ErrorCode::kUnsupported,
                   .message = "no debug information in the file or beside it",
                   .file = path};
    }
  }
  auto state = std::make_unique<State>(std::move(binary).value(), std::move(debug));
  if (!state->Begin()) {
    return Error{.code = ErrorCode::kMalformed,
                 .message = std::string("debug information cannot be read: ") + dwarf_errmsg(-1),
                 .file = path};
  }
  if (Status whole = state->debug().CheckWhole(); !whole.ok()) return InFile(whole.error(), path);
  return DwarfLines(std::move(state));
}

DwarfLines::DwarfLines(std::unique_ptr<State> state) : state_(std::move(state)) {}
DwarfLines::DwarfLines(DwarfLines&&) noexcept = default;
DwarfLines& DwarfLines::operator=(DwarfLines&&) noexcept = default;
DwarfLines::~DwarfLines() = default;

std::span<const SourceFrame> DwarfLines::Find(std::uint64_t address) {
  return state_->Find(address);
}

std::optional<std::uint64_t> DwarfLines::AddressOfOffset(std::uint64_t offset) const noexcept {
  return symbols::AddressOfOffset(state_->binary().segments(), offset);
}

const std::string& DwarfLines::debug_file() const noexcept { return state_->debug().path(); }
std::size_t DwarfLines::indexed_units() const noexcept { return state_->indexed_units(); }
const std::string& DwarfLines::build_id() const noexcept { return state_->binary().build_id(); }

}  // namespace sonde
