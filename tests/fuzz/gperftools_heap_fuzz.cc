// Whatever is read of heap, growth, contention and thread text is written as pprof with the same
// totals.

#include "tests/support/read_and_write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sonde::ReadAndWrite(sonde::Format::kGperftoolsHeap, data, size);
  return 0;
}
