// OpenWholeElf: an ELF file of which nothing was cut off.

#ifndef SONDE_EVIDENCE_WHOLE_ELF_H_
#define SONDE_EVIDENCE_WHOLE_ELF_H_

#include <string>

#include "export/symbols/elf_file.h"
#include "sonde/result.h"

namespace sonde {

// Errors name the file: those of ElfFile::Open and ElfFile::CheckHeaders, kMalformed at the stage
// "elf". Any thread.
Result<symbols::ElfFile> OpenWholeElf(const std::string& path);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_WHOLE_ELF_H_
