// Whatever a peer of HTTP/2 sends behind the preface, our settings come first.

#include <cstdlib>

#include "tests/fuzz/connection_feed.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  constexpr std::size_t kFrameType = 3;
  constexpr char kSettings = 4;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string answer =
      sonde::FeedConnection(sonde::MakeHttp2Connection, std::string(kPreface), input);
  if (answer.size() > kFrameType && answer[kFrameType] != kSettings) std::abort();
  return 0;
}
