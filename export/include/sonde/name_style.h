// NameStyle: how much of a C++ or Rust name is shown.

#ifndef SONDE_NAME_STYLE_H_
#define SONDE_NAME_STYLE_H_

#include <cstdint>

#include "sonde/profile.h"

namespace sonde {

enum class NameStyle : std::uint8_t {
  kSymbols,    // "_ZN3app4WorkIiE3runEi", as the linker knows it.
  kTemplates,  // "app::Work<int>::run"
  kFull,       // "app::Work<int>::run(int)"
};

// The same profile with its functions named anew, from the symbols that it has beside the names
// or for names. Functions of which the symbol is not known keep their names. Any thread.
Profile WithNames(const Profile& profile, NameStyle style);

}  // namespace sonde

#endif  // SONDE_NAME_STYLE_H_
