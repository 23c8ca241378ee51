// Whatever is read as folded stacks is written so that it reads back to the same text.

#include <cstdlib>
#include <string_view>

#include "sonde/formats.h"
#include "tests/support/text_of.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sonde::ReadOptions options{.format = sonde::Format::kFolded,
                                   .limits = {.input_bytes = std::uint64_t{16} << 20}};
  const sonde::Result<sonde::Profile> profile = sonde::ReadProfile(text, options);
  if (!profile.ok()) return 0;
  const std::string folded = sonde::FoldedOf(profile.value());
  if (folded.empty()) return 0;
  const sonde::Result<sonde::Profile> again = sonde::ReadProfile(folded, options);
  if (!again.ok() || sonde::FoldedOf(again.value()) != folded) std::abort();
  return 0;
}
