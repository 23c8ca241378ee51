// TextIdentity: 128 bits that stand for a text.

#ifndef SONDE_EXPORT_TEXT_IDENTITY_H_
#define SONDE_EXPORT_TEXT_IDENTITY_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "sonde/hash_index.h"

namespace sonde {

// Two lanes of 64 bits that know nothing of each other. That any two of a thousand million texts
// have the same identity is less likely than 1 in 10^20, so equal identities are taken for equal
// texts where looking at the text again costs a wait for memory.
struct TextIdentity {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  friend bool operator==(const TextIdentity&, const TextIdentity&) = default;
};

inline TextIdentity IdentityOf(std::string_view text) noexcept {
  const char* at = text.data();
  std::size_t left = text.size();
  TextIdentity id{left, ~std::uint64_t{left}};
  std::uint64_t words[2];
  const auto mix = [&] {
    id.first = MixHash(words[0] ^ id.first, words[1]);
    // The other way round, and by other constants.
    id.second =
        MixHash(words[1] + 0x8ebc'6af0'9c88'c6e3U, (words[0] ^ 0x589d'cb4d'77e1'f0a5U) + id.second);
  };
  for (; left > 16; left -= 16, at += 16) {
    std::memcpy(words, at, 16);
    mix();
  }
  words[0] = words[1] = 0;
  if (left > 0) std::memcpy(words, at, left);
  mix();
  return id;
}

}  // namespace sonde

#endif  // SONDE_EXPORT_TEXT_IDENTITY_H_
