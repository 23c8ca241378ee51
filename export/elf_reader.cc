// ElfReader: reads the parts of one ELF file.

#include "export/elf_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace sonde {
namespace {

constexpr std::uint64_t kLargestNote = std::uint64_t{1} << 20;

Error Malformed(std::string message, std::uint64_t offset) {
  return {.code = ErrorCode::kMalformed, .message = std::move(message), .byte_offset = offset};
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

// The build id among the notes of one segment or section; empty when there is none.
std::string BuildIdAmong(std::string_view notes) {
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header;
    std::memcpy(&header, notes.data(), sizeof(header));
    notes.remove_prefix(sizeof(header));
    const std::uint64_t name_size = padded(header.n_namesz);
    if (name_size + padded(header.n_descsz) > notes.size()) {
      if (name_size + header.n_descsz != notes.size()) return {};  // The last may lack its padding.
    }
    const std::string_view description = notes.substr(name_size, header.n_descsz);
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(0, header.n_namesz) == std::string_view("GNU", 4)) {
      return Hex(description);
    }
    notes.remove_prefix(std::min<std::uint64_t>(notes.size(), name_size + padded(header.n_descsz)));
  }
  return {};
}

// Whether perf shows `a` for a function that is called both: the strong name before the weak one,
// the global one before the local, the one with fewer underscores in front, the longer.
bool IsBetterName(const Elf64_Sym& a, std::string_view name_a, const Elf64_Sym& b,
                  std::string_view name_b) {
  const auto is = [](const Elf64_Sym& symbol, unsigned binding) {
    return ELF64_ST_BIND(symbol.st_info) == binding;
  };
  if (is(a, STB_WEAK) != is(b, STB_WEAK)) return is(b, STB_WEAK);
  if (is(a, STB_GLOBAL) != is(b, STB_GLOBAL)) return is(a, STB_GLOBAL);
  const std::size_t underscores_a = name_a.find_first_not_of('_');
  const std::size_t underscores_b = name_b.find_first_not_of('_');
  if (underscores_a != underscores_b) return underscores_a < underscores_b;
  return name_a.size() > name_b.size();
}

}  // namespace

Status ElfReader::Start() {
  std::array<unsigned char, sizeof(Elf64_Ehdr)> raw{};
  if (!bytes_.Read(0, EI_NIDENT, reinterpret_cast<char*>(raw.data())).ok() ||
      std::memcmp(raw.data(), ELFMAG, SELFMAG) != 0) {
    return Malformed("is not an ELF file", 0);
  }
  if (raw[EI_CLASS] != ELFCLASS64 || raw[EI_DATA] != ELFDATA2LSB) {
    return Error{.code = ErrorCode::kUnsupported,
                 .message = "is an ELF file, but not 64-bit little-endian"};
  }
  Status status = bytes_.Read(0, raw.size(), reinterpret_cast<char*>(raw.data()));
  if (!status.ok()) return status;
  Elf64_Ehdr header;
  std::memcpy(&header, raw.data(), sizeof(header));
  if ((header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr)) ||
      (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr))) {
    return Malformed("has headers of an unknown size", 0);
  }
  auto programs = bytes_.ReadTable<Elf64_Phdr>(header.e_phoff, header.e_phnum);
  if (!programs.ok()) return programs.error();
  std::uint64_t section_count = header.e_shnum;
  if (section_count == 0 && header.e_shoff != 0) {  // Too many for the field.
    auto first = bytes_.ReadTable<Elf64_Shdr>(header.e_shoff, 1);
    if (!first.ok()) return first.error();
    section_count = first.value()[0].sh_size;
  }
  auto sections = bytes_.ReadTable<Elf64_Shdr>(header.e_shoff, section_count);
  if (!sections.ok()) return sections.error();
  sections_ = std::move(sections).value();

  for (const Elf64_Phdr& program : programs.value()) {
    if (program.p_type == PT_LOAD) {
      found_.segments_.push_back({program.p_offset, program.p_vaddr, program.p_filesz});
    }
    if (program.p_type == PT_NOTE) TakeBuildId(program.p_offset, program.p_filesz);
  }
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type == SHT_NOTE) TakeBuildId(section.sh_offset, section.sh_size);
  }
  return {};
}

bool ElfReader::HasTable(std::uint32_t type) const {
  return std::ranges::any_of(
      sections_, [&](const Elf64_Shdr& s) { return s.sh_type == type && s.sh_size != 0; });
}

Status ElfReader::ReadSymbols(std::uint32_t type, ElfSymbols& into) const {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != type || section.sh_size == 0) continue;
    if (section.sh_entsize != sizeof(Elf64_Sym) || section.sh_link >= sections_.size()) {
      return Malformed("has a symbol table of an unknown form", section.sh_offset);
    }
    auto symbols =
        bytes_.ReadTable<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
    if (!symbols.ok()) return symbols.error();
    const Elf64_Shdr& strings = sections_[section.sh_link];
    if (strings.sh_type != SHT_STRTAB) {
      return Malformed("has a symbol table without names", section.sh_offset);
    }
    auto names = bytes_.ReadTable<char>(strings.sh_offset, strings.sh_size);
    if (!names.ok()) return names.error();
    Fill(std::move(symbols).value(), {names.value().data(), names.value().size()}, into);
    return {};
  }
  return {};
}

void ElfReader::TakeBuildId(std::uint64_t offset, std::uint64_t size) {
  if (!found_.build_id_.empty() || size > kLargestNote) return;
  auto notes = bytes_.ReadTable<char>(offset, size);
  if (notes.ok()) found_.build_id_ = BuildIdAmong({notes.value().data(), notes.value().size()});
}

// A function, or an untyped label in code (assembly, linker stubs).
bool ElfReader::IsCode(const Elf64_Sym& symbol) const {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= sections_.size()) return false;
  if (type == STT_FUNC || type == STT_GNU_IFUNC) return true;
  return type == STT_NOTYPE && (sections_[symbol.st_shndx].sh_flags & SHF_EXECINSTR) != 0;
}

// A symbol without a size ends at the next one, or with its section.
std::uint64_t ElfReader::ExtentOf(const Elf64_Sym& symbol, std::uint64_t next) const {
  const Elf64_Shdr& section = sections_[symbol.st_shndx];
  const std::uint64_t offset = symbol.st_value - section.sh_addr;
  std::uint64_t size = symbol.st_size;
  if (size == 0) {
    size = next - symbol.st_value;
    if (offset < section.sh_size) size = std::min(size, section.sh_size - offset);
  }
  size = std::min<std::uint64_t>(size, UINT32_MAX);
  return std::min(size, UINT64_MAX - symbol.st_value);
}

void ElfReader::Fill(std::vector<Elf64_Sym> symbols, std::string_view names,
                     ElfSymbols& into) const {
  const auto name_of = [&](const Elf64_Sym& symbol) {
    if (symbol.st_name >= names.size()) return std::string_view();
    const std::string_view rest = names.substr(symbol.st_name);
    return rest.substr(0, rest.find('\0'));
  };
  std::erase_if(symbols, [&](const Elf64_Sym& symbol) {
    if (!IsCode(symbol)) return true;
    const std::string_view name = name_of(symbol);
    return name.empty() || name.front() == '$';  // "$x" marks data in code on ARM.
  });
  // Of those at one address the first is kept, of equally good names the first of the table.
  std::ranges::stable_sort(symbols, [&](const Elf64_Sym& a, const Elf64_Sym& b) {
    if (a.st_value != b.st_value) return a.st_value < b.st_value;
    const bool sized_a = a.st_size != 0;
    const bool sized_b = b.st_size != 0;
    if (sized_a != sized_b) return sized_a;
    return IsBetterName(a, name_of(a), b, name_of(b));
  });
  const auto same = [](const Elf64_Sym& a, const Elf64_Sym& b) { return a.st_value == b.st_value; };
  symbols.erase(std::unique(symbols.begin(), symbols.end(), same), symbols.end());

  into.entries_.reserve(symbols.size());
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Elf64_Sym& symbol = symbols[i];
    const std::uint64_t next = i + 1 < symbols.size() ? symbols[i + 1].st_value : UINT64_MAX;
    const std::uint64_t size = ExtentOf(symbol, next);
    into.entries_.push_back({symbol.st_value, static_cast<std::uint32_t>(size),
                             static_cast<std::uint32_t>(into.names_.size()),
                             into.Enclosing(into.entries_.size(), symbol.st_value)});
    into.names_ += name_of(symbol);
    into.names_ += '\0';
  }
}

}  // namespace sonde
