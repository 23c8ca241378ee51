// ByteReader: takes values out of unwind tables; past the end it fails and yields zeros.

#ifndef SONDE_SAMPLER_BYTE_READER_H_
#define SONDE_SAMPLER_BYTE_READER_H_

#include <cstddef>
#include <cstdint>

namespace sonde {

// How a pointer is written in unwind tables (DW_EH_PE_*).
enum PointerEncoding : std::uint8_t {
  kPointerAbsolute = 0x00,
  kPointerUleb128 = 0x01,
  kPointerUdata2 = 0x02,
  kPointerUdata4 = 0x03,
  kPointerUdata8 = 0x04,
  kPointerSleb128 = 0x09,
  kPointerSdata2 = 0x0a,
  kPointerSdata4 = 0x0b,
  kPointerSdata8 = 0x0c,
  kPointerFormMask = 0x0f,
  kPointerPcRelative = 0x10,
  kPointerBaseMask = 0x70,
  kPointerIndirect = 0x80,
  kPointerOmitted = 0xff,
};

// Async-signal-safe.
class ByteReader {
 public:
  ByteReader(std::uint64_t begin, std::uint64_t end) noexcept
      : at_(begin), end_(end), failed_(begin > end) {}

  template <typename T>
  T Fixed() noexcept {
    T value{};
    if (failed_ || end_ - at_ < sizeof(T)) {
      failed_ = true;
      return value;
    }
    __builtin_memcpy(&value, reinterpret_cast<const void*>(at_), sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::uint64_t Uleb128() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      const std::uint8_t byte = Fixed<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }

  std::int64_t Sleb128() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70;) {
      const std::uint8_t byte = Fixed<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) == 0) {
        if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
        return static_cast<std::int64_t>(value);
      }
    }
    failed_ = true;
    return 0;
  }

  // Fails on a base other than none and the place of the pointer itself.
  std::uint64_t Pointer(std::uint8_t encoding) noexcept {
    if (encoding == kPointerOmitted) return 0;
    const std::uint64_t place = at_;
    std::uint64_t value = 0;
    switch (encoding & kPointerFormMask) {
      case kPointerAbsolute:
      case kPointerUdata8:
      case kPointerSdata8:
        value = Fixed<std::uint64_t>();
        break;
      case kPointerUleb128:
        value = Uleb128();
        break;
      case kPointerUdata2:
        value = Fixed<std::uint16_t>();
        break;
      case kPointerUdata4:
        value = Fixed<std::uint32_t>();
        break;
      case kPointerSleb128:
        value = static_cast<std::uint64_t>(Sleb128());
        break;
      case kPointerSdata2:
        value = static_cast<std::uint64_t>(std::int64_t{Fixed<std::int16_t>()});
        break;
      case kPointerSdata4:
        value = static_cast<std::uint64_t>(std::int64_t{Fixed<std::int32_t>()});
        break;
      default:
        failed_ = true;
    }
    if ((encoding & kPointerBaseMask) == kPointerPcRelative) {
      value += place;
    } else if ((encoding & kPointerBaseMask) != 0) {
      failed_ = true;
    }
    return value;
  }

  void Skip(std::uint64_t bytes) noexcept {
    if (failed_ || bytes > end_ - at_) {
      failed_ = true;
      return;
    }
    at_ += bytes;
  }

  std::uint64_t at() const noexcept { return at_; }
  std::uint64_t end() const noexcept { return end_; }
  bool failed() const noexcept { return failed_; }
  bool done() const noexcept { return failed_ || at_ >= end_; }

 private:
  std::uint64_t at_;
  std::uint64_t end_;
  bool failed_;
};

}  // namespace sonde

#endif  // SONDE_SAMPLER_BYTE_READER_H_
