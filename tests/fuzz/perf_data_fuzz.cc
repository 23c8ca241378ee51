// Any bytes are read as a recording or refused. No files of this machine are looked at.

#include <cstdlib>
#include <string_view>

#include "export/perf_data/perf_data.h"
#include "tests/support/text_of.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  sonde::ReadOptions options;
  options.symbolize = false;
  options.limits.input_bytes = std::uint64_t{16} << 20;
  const sonde::Result<sonde::Profile> profile = sonde::ReadPerfData(bytes, options);
  if (!profile.ok()) return 0;
  if (sonde::PprofOf(profile.value()).empty()) std::abort();
  return 0;
}
