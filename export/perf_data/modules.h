// Modules: the files of a recording, and the names of what lies in them.

#ifndef SONDE_EXPORT_PERF_DATA_MODULES_H_
#define SONDE_EXPORT_PERF_DATA_MODULES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/perf_data/address_space.h"
#include "export/symbols/address_names.h"
#include "export/symbols/debug_files.h"
#include "export/symbols/elf_file.h"
#include "export/symbols/kallsyms.h"
#include "export/symbols/module_symbols.h"
#include "sonde/dwarf_lines.h"

namespace sonde::perf_data {

enum class ModuleKind : std::uint8_t {
  kFile,
  kKernel,        // The kernel's own code.
  kKernelModule,  // "[name]"
  kJit,           // Memory without a file that code was written into: "/tmp/perf-PID.map".
  kVdso,
  kOther,  // Guests, hypervisors: names are not looked for.
};

struct Module {
  std::string name;      // As perf shows it.
  std::string build_id;  // Lower-case hex; empty when not recorded.
  ModuleKind kind = ModuleKind::kFile;
};

// Everything is looked up when the first name is asked for. Not thread-safe.
class Modules {
 public:
  ModuleId Intern(std::string_view name, std::string_view build_id, ModuleKind kind);
  const Module& operator[](ModuleId id) const noexcept {
    return modules_[static_cast<std::uint32_t>(id)].module;
  }
  std::size_t size() const noexcept { return modules_.size(); }

  // The name, not demangled, of the function at `address`; empty when not known.
  // Equal functions have equal data pointers.
  std::string_view NameAt(const Map& map, std::uint64_t address);
  // The inlined chain there, innermost first; empty when there is no debug information.
  std::span<const SourceFrame> LinesAt(const Map& map, std::uint64_t address);
  // The file as it lies on this machine; null when it was not found.
  const symbols::ElfFile* FileOf(ModuleId id);
  // The address, as the file counts them, of the byte at `offset` of it.
  std::optional<std::uint64_t> AddressOfOffset(ModuleId id, std::uint64_t offset);

  // A name that the recording itself knows: of BPF programs, or from a JIT dump.
  void AddKernelName(std::uint64_t start, std::uint64_t size, std::string_view name);
  void AddJitName(ModuleId module, std::uint64_t start, std::uint64_t size, std::string_view name);

  // Where the recording's kernel had its first function, which tells how far this one's moved.
  void SetKernelStart(std::uint64_t recorded, std::string_view symbol);

 private:
  struct Entry {
    Module module;
    bool looked_up = false;
    std::optional<symbols::ModuleSymbols> symbols;
    std::unique_ptr<symbols::AddressNames> jit_dump;
    std::unique_ptr<symbols::AddressNames> jit_map;
    bool file_looked_up = false;
    std::optional<symbols::ElfFile> file;
    bool lines_looked_up = false;
    std::optional<DwarfLines> lines;
  };

  Entry& EntryOf(ModuleId id) { return modules_[static_cast<std::uint32_t>(id)]; }
  void LookUp(Entry& entry);
  // Where the file's code lies on this machine; empty when it was not found.
  std::string PathOf(Entry& entry);
  std::string_view KernelNameAt(std::uint64_t address);
  void LookUpKernel();

  symbols::DebugFiles files_;
  std::vector<Entry> modules_;
  std::unordered_map<std::string, ModuleId> ids_;
  symbols::AddressNames recorded_kernel_names_;
  bool kernel_looked_up_ = false;
  std::optional<symbols::Kallsyms> kernel_names_;
  std::uint64_t kernel_moved_ = 0;  // To be added to a recorded address.
  std::uint64_t recorded_start_ = 0;
  std::string start_symbol_;
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_MODULES_H_
