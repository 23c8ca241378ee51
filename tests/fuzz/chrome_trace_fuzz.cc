// Whatever is read of Chrome traces is written as pprof with the same totals.

#include "tests/support/read_and_write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sonde::ReadAndWrite(sonde::Format::kChromeTrace, data, size);
  return 0;
}
