// DebugFiles: where the code and the debug information of a recorded file lie on this machine.

#ifndef SONDE_EXPORT_SYMBOLS_DEBUG_FILES_H_
#define SONDE_EXPORT_SYMBOLS_DEBUG_FILES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "export/symbols/elf_file.h"

namespace sonde::symbols {

// The folders to search. Any thread.
class DebugFiles {
 public:
  // perf's store (`$HOME/.debug`) and the system's (`/usr/lib/debug`).
  DebugFiles();
  DebugFiles(std::string perf_store, std::vector<std::string> debug_roots)
      : perf_store_(std::move(perf_store)), debug_roots_(std::move(debug_roots)) {}

  // The file that was recorded as `path`: in perf's store by its build id, or at
  // `path` when its build id agrees or none was recorded. Nothing when there is
  // none, for another build has other addresses.
  std::optional<std::string> FindBinary(std::string_view path, std::string_view build_id) const;

  // A file with the debug information or the full symbol table that `binary` was
  // stripped of: by build id, else by debug link when the checksum agrees.
  std::optional<std::string> FindDebugFile(const ElfFile& binary) const;

  // The symbols of the kernel with that build id, as perf stored them.
  std::optional<std::string> FindKallsyms(std::string_view build_id) const;

 private:
  std::string perf_store_;
  std::vector<std::string> debug_roots_;
};

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_DEBUG_FILES_H_
