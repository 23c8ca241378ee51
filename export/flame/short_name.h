// ShortName: a function's name in the room that a frame has for it.

#ifndef SONDE_EXPORT_FLAME_SHORT_NAME_H_
#define SONDE_EXPORT_FLAME_SHORT_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace sonde {

// A name taken apart: views into it.
struct NameParts {
  std::string_view result;                   // "void " of "void run<int>(int)".
  std::vector<std::string_view> qualifiers;  // Each with its separator: "net/", "std::".
  std::string_view own;                      // "run": without template arguments.
  std::string_view arguments;                // "<int>", or empty.
  std::string_view parameters;               // "(int) const" or ".isra.0", or empty.
};

// C++, Rust, Java, Go and JavaScript names and paths; anything else, such as a
// command with spaces, is all `own`.
NameParts TakeApart(std::string_view name);

// `clean` in at most `characters` characters. What says least goes first:
// marks as _[k] and .isra.0, parameters, template arguments, the result type, outer namespaces; the
// end of the function's own name goes last. An ellipsis stands for what was left out. Empty when
// fewer than three characters are there. flame.js has the same rule.
std::string ShortName(std::string_view clean, std::size_t characters);

}  // namespace sonde

#endif  // SONDE_EXPORT_FLAME_SHORT_NAME_H_
