// Whatever is read as pprof is written so that it reads back with the same totals, which do not
// depend on labels; and taking messages apart loses no byte.

#include "export/pprof/split.h"
#include "tests/support/read_and_write.h"

namespace {

void Demand(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  sonde::ReadAndWrite(sonde::Format::kPprof, data, size);

  sonde::ReadOptions options{.format = sonde::Format::kPprof,
                             .limits = {.input_bytes = std::uint64_t{16} << 20}};
  const sonde::Result<sonde::Profile> whole = sonde::ReadProfile(bytes, options);
  options.keep_labels = false;
  const sonde::Result<sonde::Profile> stacks = sonde::ReadProfile(bytes, options);
  // What is wrong with a label shows only where labels are read.
  Demand(stacks.ok() || !whole.ok());
  if (whole.ok()) {
    Demand(whole.value().records() == stacks.value().records());
    for (std::size_t type = 0; type < whole.value().sample_types().size(); ++type) {
      Demand(whole.value().Total(type) == stacks.value().Total(type));
    }
  }

  std::size_t at = 0;
  for (const std::string_view part : sonde::pprof::SplitMessages(bytes)) {
    Demand(part.data() == bytes.data() + at);
    at += part.size();
  }
  Demand(at == size);
  return 0;
}
