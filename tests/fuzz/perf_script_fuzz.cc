// Any text is read as perf script's or refused, by one thread as by two, and what was read is kept.

#include <cstdlib>
#include <string_view>

#include "export/perf_script/perf_script.h"
#include "sonde/flamegraph_style.h"
#include "tests/support/text_of.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const sonde::Result<sonde::Profile> whole = sonde::ReadPerfScript(text, {});
  const sonde::Result<sonde::Profile> parts = sonde::ReadPerfScript(text, {}, 0);
  if (whole.ok() != parts.ok()) std::abort();
  if (!whole.ok()) return 0;
  if (sonde::FoldedOf(whole.value()) != sonde::FoldedOf(parts.value())) std::abort();

  const sonde::Profile folded = sonde::FoldLikeFlamegraph(
      whole.value(), 0, {.tid = true, .kernel = true, .jit = true, .addrs = true});
  if (folded.Total(0) != whole.value().Total(0)) std::abort();
  return 0;
}
