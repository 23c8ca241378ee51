// DwarfLines: which functions, inlined ones included, an address of an ELF file belongs to.

#ifndef SONDE_DWARF_LINES_H_
#define SONDE_DWARF_LINES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde {

// One function at an address. The views live as long as the DwarfLines they came from.
struct SourceFrame {
  std::string_view function;      // Demangled. Empty when not known.
  std::string_view linkage_name;  // Mangled. Empty when the same as `function` or not known.
  std::string_view file;          // Source file, with its folder where that is recorded.
  std::int64_t line = 0;          // Where `function` was at that address; 0 when not known.
  std::int64_t column = 0;        // 0 when not known.
  std::int64_t start_line = 0;    // Where `function` is declared; 0 when not known.
};

// Reads the DWARF of one ELF file. The ranges of each compile unit are indexed
// once, when the first address inside it is asked for, so that further
// addresses cost a binary search. Memory grows with the units that were asked
// about. Split DWARF (.dwo files) is not followed. Not thread-safe.
class DwarfLines {
 public:
  // Opens `path`. Where the file itself has no DWARF, its separate debug file is
  // taken: `debug` if it is given, or by build id below /usr/lib/debug, or by debug link when the
  // checksum agrees.
  // Fails with kNotFound when there is no such file, kMalformed when it is not
  // ELF, kUnsupported when no DWARF is to be had, kInvalid when it became shorter meanwhile.
  static Result<DwarfLines> Open(const std::string& path, const std::string& debug = {});

  DwarfLines(DwarfLines&&) noexcept;
  DwarfLines& operator=(DwarfLines&&) noexcept;
  ~DwarfLines();

  // The functions at `address`, the innermost inlined one first and the physical
  // one last. `address` is as the file counts them (what its symbol table says),
  // not where it was loaded. For a return address ask for the one before it.
  // Empty when the address is not covered. Valid until the next call.
  std::span<const SourceFrame> Find(std::uint64_t address);

  // The address of the byte that lies at `offset` in the file, if it is loaded at all.
  std::optional<std::uint64_t> AddressOfOffset(std::uint64_t offset) const noexcept;

  // The file that the DWARF was read from: `path`, or its separate debug file.
  const std::string& debug_file() const noexcept;
  // Compile units whose entries were walked so far, which is what looking addresses up costs.
  std::size_t indexed_units() const noexcept;
  // Of `path`, in lower-case hex; empty when it has none.
  const std::string& build_id() const noexcept;

 private:
  class State;
  explicit DwarfLines(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sonde

#endif  // SONDE_DWARF_LINES_H_
