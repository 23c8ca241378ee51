// Symbolize: finds the functions, lines and inlined frames behind a profile's addresses.

#ifndef SONDE_SYMBOLIZE_H_
#define SONDE_SYMBOLIZE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde {

struct SymbolizeOptions {
  // Files to take before those that the profile names: where the build id
  // agrees or, when the profile tells none, the file name. A file with nothing but debug
  // information serves for the one that was stripped of it.
  std::vector<std::string> binaries{};
  // Without, names alone are looked for, in symbol tables, and only where there are none.
  bool source_lines = true;
};

struct Symbolized {
  Profile profile;
  std::uint64_t addresses = 0;  // Locations with an address in a mapped file.
  std::uint64_t found = 0;      // Of these, those that have a source line now.
  // Files whose debug information is not to be had, each with the reason.
  std::vector<std::string> missing{};
  // Those of SymbolizeOptions::binaries that no mapping asked for, each with the reason.
  std::vector<std::string> unused{};
};

// Reads the DWARF of each mapped file, found by its build id (at its path, in perf's store,
// below /usr/lib/debug). What cannot be found keeps the names that it has; where it has
// none, the symbol table is asked. Names are without arguments, as in recordings, and the function
// that was called, rather than inlined, keeps the name that it has. Samples and their values stay
// the same. Never fails for a file that is missing. Any thread.
Symbolized Symbolize(const Profile& profile, const SymbolizeOptions& options = {});

}  // namespace sonde

#endif  // SONDE_SYMBOLIZE_H_
