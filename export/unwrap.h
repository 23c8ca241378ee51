// Unwrap: takes the compression off an input.

#ifndef SONDE_EXPORT_UNWRAP_H_
#define SONDE_EXPORT_UNWRAP_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde {

// Bytes that are either the caller's or held here.
struct Unwrapped {
  std::string_view bytes;
  std::string held;

  Unwrapped() = default;
  Unwrapped(Unwrapped&&) = delete;  // `bytes` may view `held`.
};

// Removes gzip (all members) and zstd (all frames), layer by layer. Fails with
// kMalformed, naming the layer that is broken, and with kLimit when more than
// `largest` bytes come out.
Status Unwrap(std::string_view bytes, std::uint64_t largest, Unwrapped& out);

}  // namespace sonde

#endif  // SONDE_EXPORT_UNWRAP_H_
