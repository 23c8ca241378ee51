// ElfSymbols: the functions of one ELF file, by address.

#ifndef SONDE_ELF_SYMBOLS_H_
#define SONDE_ELF_SYMBOLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// A function of the file. The name views the ElfSymbols that it came from.
struct ElfSymbol {
  std::string_view name;      // As the linker knows it: mangled.
  std::uint64_t address = 0;  // In the file's own terms: runtime address minus load bias.
  std::uint64_t size = 0;     // In bytes; up to the next function when the file does not say.
};

struct ElfOptions {
  // Lower-case hex. When not empty, a file with another build id is refused.
  std::string build_id;
  // Where separate symbol files lie, as <folder>/.build-id/ab/cdef.debug; empty looks nowhere.
  std::string debug_root = "/usr/lib/debug";
};

// Reads a 64-bit little-endian ELF file: .symtab, else that of the separate
// debug file with the same build id, else .dynsym. Nothing stays open or mapped
// afterwards, so a file that is replaced or cut short later does no harm. No
// DWARF is read. Immutable: any number of threads may read one.
class ElfSymbols {
 public:
  // Fails with kNotFound when there is no such file, kInvalid when it is not a
  // regular file or has another build id than asked for, kMalformed when it is
  // not ELF or a table runs past the end, kUnsupported for 32-bit or big-endian
  // files, kLimit when a table is larger than 1 GiB.
  static Result<ElfSymbols> Open(const std::string& path, const ElfOptions& options = {});
  // An ELF image in memory, such as the vdso. `image` need not outlive the call.
  static Result<ElfSymbols> FromImage(std::string_view image, const ElfOptions& options = {});

  // The function that holds `address`: the innermost one where they nest, the
  // global name where several share it.
  std::optional<ElfSymbol> Find(std::uint64_t address) const noexcept;

  // The address in the file's own terms of the byte at `file_offset`, if it is loaded.
  std::optional<std::uint64_t> AddressOfOffset(std::uint64_t file_offset) const noexcept;

  // Lower-case hex; empty when the file has none.
  const std::string& build_id() const noexcept { return build_id_; }
  std::size_t size() const noexcept { return entries_.size(); }
  // In order of address.
  ElfSymbol symbol(std::size_t index) const noexcept;

 private:
  friend class ElfReader;
  struct Entry {
    std::uint64_t address;
    std::uint32_t size;   // Up to the next symbol when the file does not say.
    std::uint32_t name;   // Offset in names_.
    std::uint32_t outer;  // The nearest earlier entry that reaches over this one's start, or kNone.
  };
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  struct Segment {
    std::uint64_t offset;
    std::uint64_t address;
    std::uint64_t size;  // In the file.
  };

  // The nearest of the first `end` entries that holds `address`, or kNone.
  std::uint32_t Enclosing(std::size_t end, std::uint64_t address) const noexcept;

  std::string build_id_;
  std::string names_;           // Each ends with a zero byte.
  std::vector<Entry> entries_;  // By address; one for each.
  std::vector<Segment> segments_;
};

// The build id of the file at `path` as lower-case hex, empty when it has none. Fails like Open.
Result<std::string> ReadBuildId(const std::string& path);

// "_ZN5sonde4WorkEi" -> "sonde::Work(int)". Names that are not mangled, or too
// long to take apart safely, come back as they are. Any thread.
std::string Demangle(std::string_view name);

}  // namespace sonde

#endif  // SONDE_ELF_SYMBOLS_H_
