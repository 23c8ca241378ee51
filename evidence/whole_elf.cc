// OpenWholeElf: an ELF file of which nothing was cut off.

#include "evidence/whole_elf.h"

#include <utility>

namespace sonde {

Result<symbols::ElfFile> OpenWholeElf(const std::string& path) {
  Result<symbols::ElfFile> file = symbols::ElfFile::Open(path);
  Status status = file.ok() ? file.value().CheckHeaders() : Status(file.error());
  if (status.ok()) return file;
  Error error = InFile(status.error(), path);
  if (error.code == ErrorCode::kMalformed) error.stage = "elf";
  return error;
}

}  // namespace sonde
