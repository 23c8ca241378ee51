// ElfFile: an ELF file that is open for reading, and what its headers say.

#ifndef SONDE_EXPORT_SYMBOLS_ELF_FILE_H_
#define SONDE_EXPORT_SYMBOLS_ELF_FILE_H_

#include <elfutils/libdw.h>
#include <gelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/input_bytes.h"
#include "sonde/result.h"

namespace sonde::symbols {

// A part of the file that is mapped into memory to run.
struct LoadSegment {
  std::uint64_t offset = 0;   // In the file.
  std::uint64_t size = 0;     // In the file.
  std::uint64_t address = 0;  // As the file counts addresses.
  bool executable = false;
};

struct SectionPlace {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

// What .gnu_debuglink says: a file with the debug information and its checksum.
struct DebugLink {
  std::string name;
  std::uint32_t crc = 0;
};

// Owns the bytes and the libelf handle. Not thread-safe.
class ElfFile {
 public:
  // Fails with kNotFound when there is no such regular file, kMalformed when it is not ELF.
  // What a file no longer has because it became shorter meanwhile reads as zeros.
  static Result<ElfFile> Open(const std::string& path);

  ElfFile(ElfFile&& other) noexcept;
  ElfFile& operator=(ElfFile&& other) noexcept;
  ~ElfFile();

  Elf* elf() const noexcept { return elf_; }
  // kMalformed, with the place, where the headers of segments or sections lie past the end of the
  // file: what is behind it was cut off.
  Status CheckHeaders() const;
  // As InputBytes::CheckWhole.
  Status CheckWhole() const { return bytes_->CheckWhole(); }
  const std::string& path() const noexcept { return path_; }
  // Lower-case hex; empty when the file has none.
  const std::string& build_id() const noexcept { return build_id_; }
  const std::vector<LoadSegment>& segments() const noexcept { return segments_; }
  bool has_dwarf() const noexcept { return has_dwarf_; }
  // Has a .symtab, rather than only the symbols that dynamic linking needs.
  bool has_symbol_table() const noexcept { return has_symbol_table_; }

  std::optional<DebugLink> debug_link() const;
  // Where a section is in memory, as the file counts addresses.
  std::optional<SectionPlace> FindPlace(std::string_view name) const;
  // The bytes of a section, uncompressed; empty when there is none of that name.
  std::string_view SectionBytes(std::string_view name) const;

 private:
  ElfFile(std::string path, std::unique_ptr<const InputBytes> bytes, Elf* elf);
  void ReadHeaders();
  Elf_Scn* FindSection(std::string_view name) const;

  std::string path_;
  std::unique_ptr<const InputBytes> bytes_;
  Elf* elf_ = nullptr;
  std::string build_id_;
  std::vector<LoadSegment> segments_;
  bool has_dwarf_ = false;
  bool has_symbol_table_ = false;
};

// The address of the byte at `offset`, if a segment covers it.
std::optional<std::uint64_t> AddressOfOffset(const std::vector<LoadSegment>& segments,
                                             std::uint64_t offset) noexcept;

// Lower-case hex digits of `bytes`.
std::string HexOf(std::string_view bytes);

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_ELF_FILE_H_
