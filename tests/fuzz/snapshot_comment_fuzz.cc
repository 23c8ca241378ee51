// Any bytes are a message with comments, or an error; facts are read back as they are written.

#include <cstdint>
#include <cstdlib>

#include "sampler/snapshot_comment.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto comments = sonde::PprofComments({reinterpret_cast<const char*>(data), size});
  if (!comments.ok()) return 0;
  for (const std::string& comment : comments.value()) {
    const auto facts = sonde::SnapshotFacts::Parse(comment);
    if (facts && sonde::SnapshotFacts::Parse(facts->Text()) != facts) std::abort();
  }
  return 0;
}
