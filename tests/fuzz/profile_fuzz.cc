// Any bytes, of whatever format they are taken for, are read or refused.

#include <string_view>

#include "sonde/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const sonde::ReadOptions options{.limits = {.input_bytes = std::uint64_t{16} << 20},
                                   .symbolize = false};
  const sonde::Result<sonde::Profile> profile = sonde::ReadProfile(bytes, options);
  if (profile.ok()) {
    for (std::size_t type = 0; type < profile.value().sample_types().size(); ++type) {
      profile.value().Total(type);
    }
  }
  return 0;
}
