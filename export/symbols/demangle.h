// Demangle: the name of a symbol as a person writes it.

#ifndef SONDE_EXPORT_SYMBOLS_DEMANGLE_H_
#define SONDE_EXPORT_SYMBOLS_DEMANGLE_H_

#include <string>
#include <string_view>

#include "sonde/name_style.h"

namespace sonde::symbols {

// Starts as the symbols of C++ and Rust do. Any thread.
bool IsMangled(std::string_view symbol) noexcept;

// The C++ or Rust name that `symbol` stands for, with its arguments, or an empty
// string when it is not mangled. Names longer than 16 KiB are left as they are.
// Any thread.
std::string Demangle(std::string_view symbol);

// The same without arguments and return types, as perf shows it:
// "std::sort<int*>" rather than "void std::sort<int*>(int*, int*)". Any thread.
std::string DemangleWithoutArguments(std::string_view symbol);

// "clock_gettime" of "clock_gettime@@GLIBC_2.17". Any thread.
std::string_view WithoutVersion(std::string_view symbol) noexcept;

// What to call the function behind a symbol of an object file. A symbol version is left out,
// for it says nothing about what the function does; "@plt" of a stub stays. Any thread.
std::string ShownName(std::string_view symbol, NameStyle style);

// The Rust name that `symbol` stands for, also when it was demangled as C++
// before ("core::fmt::write::h0123456789abcdef"), or an empty string. Any thread.
std::string DemangleRust(std::string_view symbol);

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_DEMANGLE_H_
