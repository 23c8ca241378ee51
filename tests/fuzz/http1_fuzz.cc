// Whatever a peer of HTTP/1.1 sends, the answer, if any, begins as one.

#include <cstdlib>

#include "tests/fuzz/connection_feed.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string answer = sonde::FeedConnection(sonde::MakeHttp1Connection, {}, input);
  if (!answer.empty() && !answer.starts_with("HTTP/1.1 ")) std::abort();
  return 0;
}
