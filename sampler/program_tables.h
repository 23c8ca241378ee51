// ProgramTables: where the program itself lies, and an index of its unwind tables where the linker
// made none.

#ifndef SONDE_SAMPLER_PROGRAM_TABLES_H_
#define SONDE_SAMPLER_PROGRAM_TABLES_H_

#include <cstdint>

#include "sampler/eh_frame.h"

namespace sonde {

struct ProgramTables {
  std::uint64_t start = 0;  // Of the ELF header in memory.
  std::uint64_t limit = 0;
  TableRange tables;  // Made by us; no header when the program has one, or no tables.

  bool Holds(std::uint64_t address) const noexcept { return address >= start && address < limit; }
};

// Looks at the running program, and at its file for the tables of one that was linked with -static:
// neither the loader nor its own headers know those. The index lives as long as the process.
// Once. Not async-signal-safe.
ProgramTables FindProgramTables() noexcept;

}  // namespace sonde

#endif  // SONDE_SAMPLER_PROGRAM_TABLES_H_
