// ShortText, FieldText: text kept inside a record, cut where it does not fit.

#ifndef SONDE_CONSOLE_SHORT_TEXT_H_
#define SONDE_CONSOLE_SHORT_TEXT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <variant>

#include "sonde/task.h"

namespace sonde {

inline constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

// The longest beginning of `text` of at most `bytes` that does not end inside a character.
inline std::string_view CutText(std::string_view text, std::size_t bytes) noexcept {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// At most kBytes - 1 bytes. Not thread-safe.
template <std::size_t kBytes>
class ShortText {
 public:
  static_assert(kBytes > kEllipsis.size() && kBytes <= 256);

  void Assign(std::string_view text) noexcept {
    size_ = 0;
    if (text.size() < kBytes) {
      Append(text);
    } else {
      Append(CutText(text, kBytes - 1 - kEllipsis.size()));
      Append(kEllipsis);
    }
  }
  std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  void Append(std::string_view text) noexcept {
    if (text.empty()) return;
    std::memcpy(bytes_.data() + size_, text.data(), text.size());
    size_ = static_cast<std::uint8_t>(size_ + text.size());
  }
  std::uint8_t size_ = 0;
  std::array<char, kBytes - 1> bytes_;
};

// Named values, one behind the other: kind, size and bytes of the name, then the number or the
// size and bytes of the text. Not thread-safe.
template <std::size_t kBytes>
class FieldText {
 public:
  void Assign(std::initializer_list<Field> fields) noexcept {
    size_ = 0;
    for (const Field& field : fields) {
      if (!Append(field)) return;
    }
  }

  // Calls fn(const Field&) for each.
  template <typename Fn>
  void ForEach(Fn&& fn) const {
    std::size_t at = 0;
    while (at < size_) {
      const auto kind = static_cast<std::size_t>(bytes_[at++]);
      const std::string_view name = ReadText(at);
      if (kind == 0) {
        fn(Field(name, ReadText(at)));
        continue;
      }
      std::uint64_t number = 0;
      std::memcpy(&number, bytes_.data() + at, sizeof(number));
      at += sizeof(number);
      if (kind == 1) fn(Field(name, number));
      if (kind == 2) fn(Field(name, static_cast<std::int64_t>(number)));
      if (kind == 3) fn(Field(name, number != 0));
    }
  }

 private:
  static constexpr std::size_t kLongest = 120;  // Of a name; text may fill the rest.

  std::string_view ReadText(std::size_t& at) const noexcept {
    std::uint16_t size = 0;
    std::memcpy(&size, bytes_.data() + at, sizeof(size));
    const std::string_view text(bytes_.data() + at + sizeof(size), size);
    at += sizeof(size) + size;
    return text;
  }
  void Put(const void* from, std::size_t size) noexcept {
    if (size == 0) return;
    std::memcpy(bytes_.data() + size_, from, size);
    size_ = static_cast<std::uint16_t>(size_ + size);
  }
  void PutText(std::string_view text, std::string_view tail = {}) noexcept {
    const auto size = static_cast<std::uint16_t>(text.size() + tail.size());
    Put(&size, sizeof(size));
    Put(text.data(), text.size());
    Put(tail.data(), tail.size());
  }

  // False when nothing more fits.
  bool Append(const Field& field) noexcept {
    const std::string_view name = CutText(field.name, kLongest);
    const std::size_t left = kBytes - size_;
    const std::size_t head = 1 + sizeof(std::uint16_t) + name.size();
    const auto kind = static_cast<char>(field.value.index());
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      if (left < head + sizeof(std::uint16_t) + kEllipsis.size()) return false;
      const std::size_t room = left - head - sizeof(std::uint16_t);
      Put(&kind, 1);
      PutText(name);
      const bool fits = text->size() <= room;
      PutText(fits ? *text : CutText(*text, room - kEllipsis.size()),
              fits ? std::string_view() : kEllipsis);
      return true;
    }
    if (left < head + sizeof(std::uint64_t)) return false;
    std::uint64_t number = 0;
    if (const auto* value = std::get_if<std::uint64_t>(&field.value)) number = *value;
    if (const auto* value = std::get_if<std::int64_t>(&field.value)) {
      number = static_cast<std::uint64_t>(*value);
    }
    if (const auto* value = std::get_if<bool>(&field.value)) number = *value ? 1 : 0;
    Put(&kind, 1);
    PutText(name);
    Put(&number, sizeof(number));
    return true;
  }

  std::uint16_t size_ = 0;
  std::array<char, kBytes> bytes_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_SHORT_TEXT_H_
