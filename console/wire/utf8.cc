// ValidUtf8: text as a protobuf string or JSON may hold it.

#include "console/wire/utf8.h"

#include <cstddef>
#include <cstdint>

namespace sonde {
namespace {

// The size of the well-formed character that `text` begins with; 0 when there is none.
std::size_t CharacterSize(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = lead & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x1'0000);
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return is_overlong || is_surrogate || code > 0x10'ffff ? 0 : size;
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = CharacterSize(text);
    if (size == 0) {
      valid.push_back('?');
      text.remove_prefix(1);
    } else {
      valid += text.substr(0, size);
      text.remove_prefix(size);
    }
  }
  return valid;
}

}  // namespace sonde
