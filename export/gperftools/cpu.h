// ReadCpuProfile: a Profile from what gperftools' CPU profiler writes.
// Format: https://github.com/gperftools/gperftools/blob/master/docs/cpuprofile-fileformat.adoc

#ifndef SONDE_EXPORT_GPERFTOOLS_CPU_H_
#define SONDE_EXPORT_GPERFTOOLS_CPU_H_

#include <optional>
#include <string_view>

#include "sonde/formats.h"

namespace sonde {

// How the numbers of a CPU profile are laid out, told from its header.
struct WordLayout {
  std::size_t bytes;  // 4 or 8.
  bool big_endian;
};
std::optional<WordLayout> CpuProfileLayout(std::string_view bytes) noexcept;

// 32 and 64 bit words of either byte order, also of Java programs. A file that
// breaks off is read as far as it goes and the break is a loss ("no trailer").
Result<Profile> ReadCpuProfile(std::string_view bytes, const ReadOptions& options);

// Any gperftools profile behind a table of symbols ("--- symbol").
Result<Profile> ReadSymbolizedProfile(std::string_view bytes, const ReadOptions& options);

}  // namespace sonde

#endif  // SONDE_EXPORT_GPERFTOOLS_CPU_H_
