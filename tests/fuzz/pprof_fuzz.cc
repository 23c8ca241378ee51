// Whatever is read as pprof is written so that it reads back with the same totals.

#include "tests/support/read_and_write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sonde::ReadAndWrite(sonde::Format::kPprof, data, size);
  return 0;
}
