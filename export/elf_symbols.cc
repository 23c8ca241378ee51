// ElfSymbols: the functions of one ELF file, by address.

#include "sonde/elf_symbols.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "export/elf_bytes.h"
#include "export/elf_reader.h"

namespace sonde {
namespace {

constexpr std::size_t kLongestMangledName = 16 << 10;

// Adds the symbols of the separate debug file, if there is one.
void ReadDebugFile(const std::string& root, const std::string& build_id, ElfSymbols& into) {
  if (root.empty() || build_id.size() < 4) return;
  const std::string path =
      root + "/.build-id/" + build_id.substr(0, 2) + '/' + build_id.substr(2) + ".debug";
  const Result<ElfBytes> bytes = ElfBytes::Open(path);
  if (!bytes.ok()) return;
  ElfReader reader(bytes.value());
  if (!reader.Start().ok() || reader.build_id() != build_id) return;
  static_cast<void>(reader.ReadSymbols(SHT_SYMTAB, into));  // A bad debug file is as good as none.
}

Result<ElfSymbols> ReadAll(const ElfBytes& bytes, const ElfOptions& options) {
  ElfReader reader(bytes);
  if (Status status = reader.Start(); !status.ok()) return status.error();
  if (!options.build_id.empty() && reader.build_id() != options.build_id) {
    return Error{
        .code = ErrorCode::kInvalid,
        .message = "has build id '" + reader.build_id() + "', not '" + options.build_id + "'"};
  }
  ElfSymbols& found = reader.found();
  if (reader.HasTable(SHT_SYMTAB)) {
    if (Status status = reader.ReadSymbols(SHT_SYMTAB, found); !status.ok()) return status.error();
  } else {
    ReadDebugFile(options.debug_root, reader.build_id(), found);
  }
  if (found.size() == 0) {
    if (Status status = reader.ReadSymbols(SHT_DYNSYM, found); !status.ok()) return status.error();
  }
  return std::move(reader).Take();
}

}  // namespace

Result<ElfSymbols> ElfSymbols::Open(const std::string& path, const ElfOptions& options) {
  const Result<ElfBytes> bytes = ElfBytes::Open(path);
  if (!bytes.ok()) return InFile(bytes.error(), path);
  Result<ElfSymbols> symbols = ReadAll(bytes.value(), options);
  if (!symbols.ok()) return InFile(symbols.error(), path);
  return symbols;
}

Result<ElfSymbols> ElfSymbols::FromImage(std::string_view image, const ElfOptions& options) {
  return ReadAll(ElfBytes(image), options);
}

ElfSymbol ElfSymbols::symbol(std::size_t index) const noexcept {
  const Entry& entry = entries_[index];
  return {names_.c_str() + entry.name, entry.address, entry.size};
}

std::uint32_t ElfSymbols::Enclosing(std::size_t end, std::uint64_t address) const noexcept {
  std::uint32_t index = end == 0 ? kNone : static_cast<std::uint32_t>(end - 1);
  while (index != kNone && address - entries_[index].address >= entries_[index].size) {
    index = entries_[index].outer;
  }
  return index;
}

std::optional<ElfSymbol> ElfSymbols::Find(std::uint64_t address) const noexcept {
  const auto after = std::ranges::upper_bound(entries_, address, {}, &Entry::address);
  const std::uint32_t index =
      Enclosing(static_cast<std::size_t>(after - entries_.begin()), address);
  return index == kNone ? std::nullopt : std::optional(symbol(index));
}

std::optional<std::uint64_t> ElfSymbols::AddressOfOffset(std::uint64_t file_offset) const noexcept {
  for (const Segment& segment : segments_) {
    if (file_offset >= segment.offset && file_offset - segment.offset < segment.size) {
      return file_offset - segment.offset + segment.address;
    }
  }
  return std::nullopt;
}

Result<std::string> ReadBuildId(const std::string& path) {
  const Result<ElfBytes> bytes = ElfBytes::Open(path);
  if (!bytes.ok()) return InFile(bytes.error(), path);
  ElfReader reader(bytes.value());
  if (Status status = reader.Start(); !status.ok()) return InFile(status.error(), path);
  return reader.build_id();
}

std::string Demangle(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > kLongestMangledName) return std::string(name);
  const std::string terminated(name);
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), std::free);
  return text == nullptr || status != 0 ? terminated : std::string(text.get());
}

}  // namespace sonde
