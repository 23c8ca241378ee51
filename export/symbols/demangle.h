// Demangle: the name of a symbol as a person writes it.

#ifndef SONDE_EXPORT_SYMBOLS_DEMANGLE_H_
#define SONDE_EXPORT_SYMBOLS_DEMANGLE_H_

#include <string>
#include <string_view>

namespace sonde::symbols {

// The C++ or Rust name that `symbol` stands for, with its arguments, or an empty
// string when it is not mangled. Names longer than 16 KiB are left as they are.
// Any thread.
std::string Demangle(std::string_view symbol);

// The same, or `symbol` itself when it is not mangled. Also takes the hash off
// Rust names that were demangled as C++ ("core::fmt::write::h0123456789abcdef").
std::string ShownName(std::string_view symbol);

}  // namespace sonde::symbols

#endif  // SONDE_EXPORT_SYMBOLS_DEMANGLE_H_
