// AddFunctionOf: a frame of debug information as a function of a profile.

#ifndef SONDE_EXPORT_SYMBOLS_SOURCE_FUNCTION_H_
#define SONDE_EXPORT_SYMBOLS_SOURCE_FUNCTION_H_

#include <string_view>

#include "sonde/dwarf_lines.h"
#include "sonde/profile_builder.h"

namespace sonde::symbols {

// `symbol` is what the linker calls the function; empty when that is not known. The name is the
// one that a symbol table alone would give: without arguments, with the symbol beside it where it
// is another. Any thread.
FunctionId AddFunctionOf(const SourceFrame& frame, std::string_view symbol,
                         ProfileBuilder& builder);

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_SOURCE_FUNCTION_H_
