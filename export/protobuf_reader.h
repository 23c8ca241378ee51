// ProtobufReader: walks the fields of one message in the protocol buffers wire format.

#ifndef SONDE_EXPORT_PROTOBUF_READER_H_
#define SONDE_EXPORT_PROTOBUF_READER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sonde {

// Call Next until it is false, then ok() tells the end of the message from a
// fault. Views the bytes. Not thread-safe.
class ProtobufReader {
 public:
  enum Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  explicit ProtobufReader(std::string_view message) noexcept
      : begin_(message.data()), at_(begin_), field_start_(begin_), end_(begin_ + message.size()) {}

  // Moves to the next field.
  bool Next() noexcept {
    field_start_ = at_;
    bytes_ = {};
    if (at_ == end_ || !ok_) return false;
    std::uint64_t tag = 0;
    if (!ReadVarint(tag) || (tag >> 3) == 0 || (tag >> 3) > kLargestField) return Fail();
    field_ = static_cast<std::uint32_t>(tag >> 3);
    wire_ = static_cast<Wire>(tag & 7);
    switch (wire_) {
      case kVarint:
        return ReadVarint(number_) || Fail();
      case kFixed64:
        return ReadFixed(8) || Fail();
      case kFixed32:
        return ReadFixed(4) || Fail();
      case kBytes: {
        std::uint64_t length = 0;
        if (!ReadVarint(length) || length > static_cast<std::uint64_t>(end_ - at_)) return Fail();
        bytes_ = {at_, static_cast<std::size_t>(length)};
        number_ = 0;
        at_ += length;
        return true;
      }
    }
    return Fail();
  }

  std::uint32_t field() const noexcept { return field_; }
  Wire wire() const noexcept { return wire_; }
  // The value of a varint or fixed field, 0 for any other.
  std::uint64_t number() const noexcept { return number_; }
  std::int64_t integer() const noexcept { return static_cast<std::int64_t>(number_); }
  // The value of a string, bytes, message or packed field, empty for any other.
  std::string_view bytes() const noexcept { return bytes_; }

  bool ok() const noexcept { return ok_; }
  // Where the field that Next moved to, or failed on, starts in the message.
  std::size_t offset() const noexcept { return static_cast<std::size_t>(field_start_ - begin_); }

  // Calls `take(number)` for each element of a repeated integer field, packed or
  // not. False when the packed bytes do not end with an element.
  template <typename Take>
  bool ForEachNumber(Take&& take) const noexcept {
    if (wire_ != kBytes) {
      take(number_);
      return wire_ == kVarint;
    }
    return ForEachPacked(bytes_, take);
  }
  // The same for the bytes of a packed field.
  template <typename Take>
  static bool ForEachPacked(std::string_view bytes, Take&& take) noexcept {
    ProtobufReader packed(bytes);
    while (packed.at_ != packed.end_) {
      std::uint64_t value = 0;
      if (!packed.ReadVarint(value)) return false;
      take(value);
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kLargestField = (1U << 29) - 1;

  bool Fail() noexcept {
    ok_ = false;
    return false;
  }

  bool ReadVarint(std::uint64_t& value) noexcept {
    if (at_ == end_) return false;
    std::uint64_t result = static_cast<unsigned char>(*at_++);
    if (result >= 0x80) {
      result &= 0x7f;
      for (unsigned shift = 7;; shift += 7) {
        if (at_ == end_ || shift > 63) return false;
        const auto byte = static_cast<unsigned char>(*at_++);
        result |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) break;
      }
    }
    value = result;
    return true;
  }

  bool ReadFixed(int size) noexcept {
    if (end_ - at_ < size) return false;
    number_ = 0;
    for (int i = 0; i < size; ++i) {
      number_ |= std::uint64_t{static_cast<unsigned char>(at_[i])} << (8 * i);
    }
    at_ += size;
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* field_start_;
  const char* end_;
  std::uint64_t number_ = 0;
  std::string_view bytes_;
  std::uint32_t field_ = 0;
  Wire wire_ = kVarint;
  bool ok_ = true;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_PROTOBUF_READER_H_
