// Any bytes are an ELF file with functions that can be found again, or an error.

#include <cstdint>
#include <cstdlib>

#include "sonde/elf_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sonde::Result<sonde::ElfSymbols> symbols = sonde::ElfSymbols::FromImage(
      {reinterpret_cast<const char*>(data), size}, {.build_id = {}, .debug_root = {}});
  if (!symbols.ok()) return 0;
  for (std::size_t i = 0; i < symbols.value().size(); ++i) {
    const sonde::ElfSymbol symbol = symbols.value().symbol(i);
    if (i > 0 && symbols.value().symbol(i - 1).address >= symbol.address) std::abort();
    const auto found = symbols.value().Find(symbol.address);
    if (symbol.size != 0 && (!found || found->address != symbol.address)) std::abort();
    sonde::Demangle(symbol.name);
  }
  symbols.value().AddressOfOffset(size);
  return 0;
}
