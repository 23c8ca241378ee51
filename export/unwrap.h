// Unwrap: takes the compression off an input.

#ifndef SONDE_EXPORT_UNWRAP_H_
#define SONDE_EXPORT_UNWRAP_H_

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "sonde/read_limits.h"
#include "sonde/result.h"

namespace sonde {

// Bytes that are either the caller's or held here.
struct Unwrapped {
  struct Free {
    void operator()(char* memory) const noexcept { std::free(memory); }
  };
  std::string_view bytes;
  std::unique_ptr<char, Free> held;

  Unwrapped() = default;
  Unwrapped(Unwrapped&&) = delete;  // `bytes` may view `held`.
};

// Whether an input that begins like that, in 64 KiB, is worth unwrapping.
using GoesOn = std::function<bool(std::string_view head)>;

// Removes gzip (all members) and zstd (all frames), all layers in one go: memory grows with what
// comes out of the innermost, and not further than `goes_on` (may be empty) and the limits allow.
// Where it does not go on the head is all that comes out. Fails with kMalformed, naming the layer
// that is broken, with kLimit, naming the limit, when any layer holds too much, and with kTimeout
// once `stop` asks for it.
Status Unwrap(std::string_view bytes, const ReadLimits& limits, Unwrapped& out,
              const GoesOn& goes_on = {}, const std::stop_token& stop = {});

}  // namespace sonde

#endif  // SONDE_EXPORT_UNWRAP_H_
