// AddSymbol: a function of an ELF file as a function of a profile.

#ifndef SONDE_SAMPLER_SYMBOL_FUNCTION_H_
#define SONDE_SAMPLER_SYMBOL_FUNCTION_H_

#include <string>

#include "sonde/elf_symbols.h"
#include "sonde/profile_builder.h"

namespace sonde {

// The demangled name, with the linker's beside it where they differ.
inline FunctionId AddSymbol(const ElfSymbol& symbol, ProfileBuilder& builder) {
  const std::string name = Demangle(symbol.name);
  const StringId shown = builder.Intern(name);
  const StringId linker = name == symbol.name ? StringId{} : builder.Intern(symbol.name);
  return builder.AddFunction({.name = shown, .system_name = linker});
}

}  // namespace sonde

#endif  // SONDE_SAMPLER_SYMBOL_FUNCTION_H_
