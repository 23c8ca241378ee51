// Any bytes are a recording of the console: messages in order of time, or a reason.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "console/recording.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto read = sonde::ParseRecording({reinterpret_cast<const char*>(data), size});
  if (!read.ok()) {
    if (read.error().message.empty()) std::abort();
    return 0;
  }
  std::uint64_t time_ns = 0;
  std::size_t bytes = 0;
  for (const sonde::RecordedMessage& message : read.value()) {
    if (message.time_ns < time_ns) std::abort();
    time_ns = message.time_ns;
    bytes += message.bytes.size();
  }
  if (bytes > size) std::abort();
  return 0;
}
