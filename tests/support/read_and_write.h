// ReadAndWrite: what the fuzz targets of all readers do with their input.

#ifndef SONDE_TESTS_SUPPORT_READ_AND_WRITE_H_
#define SONDE_TESTS_SUPPORT_READ_AND_WRITE_H_

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sonde/formats.h"
#include "tests/support/text_of.h"

namespace sonde {

// Reads `data` as `format`; what can be read must come back from pprof with the same totals.
inline void ReadAndWrite(Format format, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ReadOptions options{
      .format = format, .limits = {.input_bytes = std::uint64_t{16} << 20}, .symbolize = false};
  const Result<Profile> profile = ReadProfile(bytes, options);
  if (!profile.ok()) return;
  const Result<Profile> again = ReadProfile(PprofOf(profile.value()), {.format = Format::kPprof});
  if (!again.ok()) std::abort();
  for (std::size_t type = 0; type < profile.value().sample_types().size(); ++type) {
    if (again.value().Total(type) != profile.value().Total(type)) std::abort();
  }
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_READ_AND_WRITE_H_
