// Secrets: tells keys, tokens, passwords and people's addresses by their shape.

#ifndef SONDE_AGENTLOG_SECRET_H_
#define SONDE_AGENTLOG_SECRET_H_

#include <cstddef>
#include <string_view>

namespace sonde::agentlog {

// A key, a token or a password by its shape (a vendor's, in any letter case, or too random for a
// name), or somebody's address. **Any thread.**
bool LooksSecret(std::string_view word) noexcept;

// Where a key of a known vendor stands in `text`; `size` is 0 when there is none.
struct KeySpan {
  std::size_t begin = 0;
  std::size_t size = 0;
};
// In any letter case. **Any thread.**
KeySpan FindVendorKey(std::string_view text) noexcept;

// A secret key of AWS stands in `text`: 40 letters of base 64, slashes among them, that no one
// would write as a name or a path. To be asked before a slash cuts it. **Any thread.**
bool HoldsBase64Key(std::string_view text) noexcept;

// "ada@corp.example", but not "icon@2x.png", "@scope" or "tool@v1.2". **Any thread.**
bool HoldsAddress(std::string_view word) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SECRET_H_
