// SymbolName: one name for a function, whatever the compiler and the recorder appended to it.

#ifndef SONDE_EVIDENCE_SYMBOL_NAME_H_
#define SONDE_EVIDENCE_SYMBOL_NAME_H_

#include <string>
#include <string_view>

namespace sonde {

// Without a trailing +0x offset, version (@@GLIBC_2.34), @plt, " [clone ...]", the suffixes
// of copies that compilers make (.isra.0, .constprop.0, .part.0, .cold, .llvm.123,
// .lto_priv.0, .localalias), in any number and order, and a Rust hash. Template arguments
// and parameter lists stay. A name that would become empty stays as it is.
std::string_view NormalizedSymbol(std::string_view symbol);

// Whether the name says that nobody knows: "[unknown]", "unknown", "??", "0x0", "0", "".
bool IsUnknownSymbol(std::string_view symbol);
bool IsUnknownDso(std::string_view dso);

}  // namespace sonde

#endif  // SONDE_EVIDENCE_SYMBOL_NAME_H_
