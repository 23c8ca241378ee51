// ElfReader: reads the parts of one ELF file.

#ifndef SONDE_EXPORT_ELF_READER_H_
#define SONDE_EXPORT_ELF_READER_H_

#include <elf.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "export/elf_bytes.h"
#include "sonde/elf_symbols.h"

namespace sonde {

// Start comes first. Not thread-safe.
class ElfReader {
 public:
  // `bytes` outlives the reader.
  explicit ElfReader(const ElfBytes& bytes) : bytes_(bytes) {}

  // Reads the headers and the build id. Fails with kMalformed for what is not ELF or breaks off,
  // kUnsupported for 32-bit and big-endian files.
  Status Start();

  const std::string& build_id() const noexcept { return found_.build_id_; }
  // Whether there is a symbol table of that type: SHT_SYMTAB or SHT_DYNSYM.
  bool HasTable(std::uint32_t type) const;
  // Fills `into` from the symbol table of that type. Fails with kMalformed for one that is broken.
  Status ReadSymbols(std::uint32_t type, ElfSymbols& into) const;

  // The build id and the segments, and symbols once they were read into it.
  ElfSymbols& found() noexcept { return found_; }
  ElfSymbols Take() && { return std::move(found_); }

 private:
  void TakeBuildId(std::uint64_t offset, std::uint64_t size);
  bool IsCode(const Elf64_Sym& symbol) const;
  std::uint64_t ExtentOf(const Elf64_Sym& symbol, std::uint64_t next) const;
  void Fill(std::vector<Elf64_Sym> symbols, std::string_view names, ElfSymbols& into) const;

  const ElfBytes& bytes_;
  std::vector<Elf64_Shdr> sections_;
  ElfSymbols found_;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_ELF_READER_H_
