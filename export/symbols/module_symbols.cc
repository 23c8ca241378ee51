// ModuleSymbols: the functions of a mapped file, from all the places that may name them.

#include "export/symbols/module_symbols.h"

#include <elf.h>
#include <lzma.h>
#include <sys/auxv.h>

#include <array>
#include <cstring>
#include <utility>

namespace sonde::symbols {
namespace {

// Far more than any distribution leaves in a file.
constexpr std::size_t kMostMiniDebugInfo = std::size_t{256} << 20;
constexpr std::uint64_t kLzmaMemory = std::uint64_t{128} << 20;
// The kernel maps one or two pages of it.
constexpr std::size_t kVdsoBytes = 8'192;

std::optional<std::string> DecompressXz(std::string_view compressed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kLzmaMemory, 0) != LZMA_OK) return std::nullopt;
  std::string output;
  std::array<std::uint8_t, 65'536> block{};
  stream.next_in = reinterpret_cast<const std::uint8_t*>(compressed.data());
  stream.avail_in = compressed.size();
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK && output.size() < kMostMiniDebugInfo) {
    stream.next_out = block.data();
    stream.avail_out = block.size();
    result = lzma_code(&stream, LZMA_FINISH);
    output.append(reinterpret_cast<const char*>(block.data()), block.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (result != LZMA_STREAM_END) return std::nullopt;
  return output;
}

// From its section headers, which come last.
std::size_t SizeOfVdso(const char* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  const std::size_t size = header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
  return size <= kVdsoBytes ? size : 0;
}

}  // namespace

ModuleSymbols::ModuleSymbols(const DebugFiles& files, std::string_view path,
                             std::string_view build_id) {
  std::optional<std::string> found = files.FindBinary(path, build_id);
  if (!found.has_value()) return;
  path_ = std::move(*found);
  Result<ElfFile> file = ElfFile::Open(path_);
  if (!file.ok()) return;
  if (!file.value().has_symbol_table()) {
    if (const std::optional<std::string> debug = files.FindDebugFile(file.value())) {
      Result<ElfSymbols> table = ElfSymbols::Open(*debug);
      if (table.ok()) tables_.push_back(std::move(table).value());
    }
    AddMiniDebugInfo(file.value().SectionBytes(".gnu_debugdata"));
  }
  AddStubs(file.value());
  Result<ElfSymbols> own = ElfSymbols::Open(path_, {.build_id = {}, .debug_root = {}});
  if (own.ok()) tables_.push_back(std::move(own).value());
}

ModuleSymbols ModuleSymbols::OfVdso(std::string_view build_id) {
  ModuleSymbols symbols;
  const auto* const image = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
  if (image == nullptr) return symbols;
  Result<ElfSymbols> table = ElfSymbols::FromImage({image, SizeOfVdso(image)});
  if (!table.ok()) return symbols;
  if (!build_id.empty() && table.value().build_id() != build_id) return symbols;
  symbols.tables_.push_back(std::move(table).value());
  return symbols;
}

void ModuleSymbols::AddMiniDebugInfo(std::string_view compressed) {
  if (compressed.empty()) return;
  const std::optional<std::string> image = DecompressXz(compressed);
  if (!image.has_value()) return;
  Result<ElfSymbols> table = ElfSymbols::FromImage(*image);
  if (table.ok()) tables_.push_back(std::move(table).value());
}

// The stubs stand in the order of the relocations that fill in where they jump to.
// With branch tracking they have a section of their own, else an entry comes first
// that finds the function.
void ModuleSymbols::AddStubs(const ElfFile& file) {
  constexpr std::uint64_t kStubBytes = 16;
  const std::optional<SectionPlace> tracked = file.FindPlace(".plt.sec");
  const std::optional<SectionPlace> place = tracked.has_value() ? tracked : file.FindPlace(".plt");
  if (!place.has_value()) return;
  std::uint64_t address = place->address + (tracked.has_value() ? 0 : kStubBytes);
  const std::string_view relocations = file.SectionBytes(".rela.plt");
  const std::string_view symbols = file.SectionBytes(".dynsym");
  const std::string_view names = file.SectionBytes(".dynstr");
  for (std::size_t at = 0; at + sizeof(Elf64_Rela) <= relocations.size();
       at += sizeof(Elf64_Rela), address += kStubBytes) {
    if (address + kStubBytes > place->address + place->size) return;
    Elf64_Rela relocation;
    std::memcpy(&relocation, relocations.data() + at, sizeof(relocation));
    const std::size_t symbol_at = ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym);
    if (symbol_at + sizeof(Elf64_Sym) > symbols.size()) continue;
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols.data() + symbol_at, sizeof(symbol));
    if (symbol.st_name >= names.size()) continue;
    const std::string_view rest = names.substr(symbol.st_name);
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (!name.empty()) stubs_.Add(address, kStubBytes, std::string(name) + "@plt");
  }
}

std::optional<std::uint64_t> ModuleSymbols::AddressOfOffset(std::uint64_t offset) const {
  if (tables_.empty()) return std::nullopt;
  return tables_.back().AddressOfOffset(offset);
}

std::string_view ModuleSymbols::Find(std::uint64_t offset) const {
  const std::optional<std::uint64_t> address = AddressOfOffset(offset);
  if (!address.has_value()) return {};
  for (const ElfSymbols& table : tables_) {
    const std::optional<ElfSymbol> symbol = table.Find(*address);
    if (symbol.has_value()) return symbol->name;
  }
  return stubs_.Find(*address);
}

}  // namespace sonde::symbols
