// ElfInspection: what a program or library can tell about its own code.

#ifndef SONDE_ELF_INSPECTION_H_
#define SONDE_ELF_INSPECTION_H_

#include <nlohmann/json.hpp>
#include <string>

#include "sonde/result.h"

namespace sonde {

// The artifact: build_id, architecture and elf_type by their ELF names, is_pie, is_stripped,
// has_debug_info (plain, compressed, or in the file it links to), debug_link with its
// checksum, and where a separate debug file was looked for: path, exists, and whether it
// belongs to this build. Reads only what is on this machine.
//
// kNotFound, kInvalid for anything but a regular file, kMalformed when it is not ELF, or cut off
// before its headers end.
Result<nlohmann::json> InspectElf(const std::string& path);

}  // namespace sonde

#endif  // SONDE_ELF_INSPECTION_H_
