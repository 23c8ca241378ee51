// ModuleSymbols: the functions of a mapped file, from all the places that may name them.

#ifndef SONDE_EXPORT_SYMBOLS_MODULE_SYMBOLS_H_
#define SONDE_EXPORT_SYMBOLS_MODULE_SYMBOLS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/symbols/address_names.h"
#include "export/symbols/debug_files.h"
#include "sonde/elf_symbols.h"

namespace sonde::symbols {

// The file's own table, the stubs of its procedure linkage table, the table that of its debug file,
// and the compressed one that some distributions leave in stripped files (MiniDebugInfo). Views
// live as long as the object. Not thread-safe.
class ModuleSymbols {
 public:
  // Looks the file up by name and build id. Without a match no name is known.
  ModuleSymbols(const DebugFiles& files, std::string_view path, std::string_view build_id);
  // This process's own vdso, if `build_id` is its.
  static ModuleSymbols OfVdso(std::string_view build_id);

  // The function that holds the byte at `offset` of the file; empty when none is known.
  std::string_view Find(std::uint64_t offset) const;
  std::optional<std::uint64_t> AddressOfOffset(std::uint64_t offset) const;
  // Where the code was found; empty when it was not.
  const std::string& path() const noexcept { return path_; }

 private:
  ModuleSymbols() = default;
  void AddMiniDebugInfo(std::string_view compressed);
  void AddStubs(const ElfFile& file);

  std::string path_;
  std::vector<ElfSymbols> tables_;  // The fullest first; the last one knows the segments.
  AddressNames stubs_;              // "malloc@plt": the jumps to functions of other files.
};

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_MODULE_SYMBOLS_H_
