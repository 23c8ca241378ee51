// Cursor: reads numbers and texts off a stretch of bytes of either byte order.

#ifndef SONDE_EXPORT_PERF_DATA_CURSOR_H_
#define SONDE_EXPORT_PERF_DATA_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sonde::perf_data {

// Reading past the end gives zeros and empty texts, and ok() is false from then on.
class Cursor {
 public:
  Cursor(std::string_view bytes, bool swapped) : rest_(bytes), swapped_(swapped) {}

  bool ok() const noexcept { return ok_; }
  bool swapped() const noexcept { return swapped_; }
  std::size_t left() const noexcept { return rest_.size(); }
  std::string_view rest() const noexcept { return rest_; }

  std::uint8_t U8() { return Number<std::uint8_t>(); }
  std::uint16_t U16() { return Number<std::uint16_t>(); }
  std::uint32_t U32() { return Number<std::uint32_t>(); }
  std::uint64_t U64() { return Number<std::uint64_t>(); }

  std::string_view Bytes(std::uint64_t size) {
    if (size > rest_.size()) {
      Fail();
      return {};
    }
    const std::string_view bytes = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return bytes;
  }
  void Skip(std::uint64_t size) { Bytes(size); }

  // Up to a zero byte or the end, and behind the zero byte.
  std::string_view Text() {
    const std::size_t end = rest_.find('\0');
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return text;
  }

 private:
  template <typename T>
  T Number() {
    T number = 0;
    if (rest_.size() < sizeof(T)) {
      Fail();
      return 0;
    }
    std::memcpy(&number, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return swapped_ ? Swap(number) : number;
  }
  static std::uint8_t Swap(std::uint8_t number) { return number; }
  static std::uint16_t Swap(std::uint16_t number) { return __builtin_bswap16(number); }
  static std::uint32_t Swap(std::uint32_t number) { return __builtin_bswap32(number); }
  static std::uint64_t Swap(std::uint64_t number) { return __builtin_bswap64(number); }

  void Fail() {
    ok_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool swapped_;
  bool ok_ = true;
};

// Up to a zero byte or the end: texts that are padded to a length.
inline std::string_view UpToZero(std::string_view text) { return text.substr(0, text.find('\0')); }

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_CURSOR_H_
