// Whatever is read as pprof is written so that it reads back with the same totals.

#include <cstdlib>
#include <string_view>

#include "sonde/formats.h"
#include "tests/support/text_of.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const sonde::ReadOptions options{.format = sonde::Format::kPprof,
                                   .limits = {.input_bytes = std::uint64_t{16} << 20}};
  const sonde::Result<sonde::Profile> profile = sonde::ReadProfile(bytes, options);
  if (!profile.ok()) return 0;
  const sonde::Result<sonde::Profile> again =
      sonde::ReadProfile(sonde::PprofOf(profile.value()), {.format = sonde::Format::kPprof});
  if (!again.ok()) std::abort();
  for (std::size_t type = 0; type < profile.value().sample_types().size(); ++type) {
    if (again.value().Total(type) != profile.value().Total(type)) std::abort();
  }
  return 0;
}
