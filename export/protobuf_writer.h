// ProtobufWriter: appends fields in the protocol buffers wire format to a string.

#ifndef SONDE_EXPORT_PROTOBUF_WRITER_H_
#define SONDE_EXPORT_PROTOBUF_WRITER_H_

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sonde {

// As proto3 has it, the *Field functions leave out a value that is the default
// of its type; Always* write it all the same (members of a oneof, elements of a
// repeated field). Not thread-safe.
class ProtobufWriter {
 public:
  // `out` outlives the writer.
  explicit ProtobufWriter(std::string& out) noexcept : out_(out) {}

  void UintField(std::uint32_t field, std::uint64_t value) {
    if (value != 0) AlwaysUint(field, value);
  }
  // int32, int64 and enums: negative numbers take ten bytes.
  void IntField(std::uint32_t field, std::int64_t value) {
    UintField(field, static_cast<std::uint64_t>(value));
  }
  void BoolField(std::uint32_t field, bool value) { UintField(field, value ? 1 : 0); }
  void DoubleField(std::uint32_t field, double value) {
    if (std::bit_cast<std::uint64_t>(value) != 0)
      AlwaysFixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  // string and bytes.
  void BytesField(std::uint32_t field, std::string_view bytes) {
    if (!bytes.empty()) AlwaysBytes(field, bytes);
  }

  void AlwaysUint(std::uint32_t field, std::uint64_t value) {
    Tag(field, kVarint);
    Varint(value);
  }
  void AlwaysFixed64(std::uint32_t field, std::uint64_t value) {
    Tag(field, kFixed64);
    std::array<char, sizeof(value)> bytes{};
    for (char& byte : bytes) {
      byte = static_cast<char>(value & 0xff);
      value >>= 8;
    }
    out_.append(bytes.data(), bytes.size());
  }
  void AlwaysBytes(std::uint32_t field, std::string_view bytes) {
    Tag(field, kLengthDelimited);
    Varint(bytes.size());
    out_ += bytes;
  }

  // A nested message, also an empty one: `body()` writes its fields with this writer.
  template <typename Body>
  void Message(std::uint32_t field, Body&& body) {
    Tag(field, kLengthDelimited);
    const std::size_t start = out_.size();
    out_.push_back('\0');  // The length of a message under 128 bytes; longer ones are moved.
    body();
    CloseLength(start);
  }
  // A packed repeated field: `body()` calls Varint for each element. Nothing when it calls none.
  template <typename Body>
  void Packed(std::uint32_t field, Body&& body) {
    const std::size_t before = out_.size();
    Tag(field, kLengthDelimited);
    const std::size_t start = out_.size();
    out_.push_back('\0');
    body();
    if (out_.size() == start + 1) {
      out_.resize(before);
    } else {
      CloseLength(start);
    }
  }

  void Varint(std::uint64_t value) {
    if (value < 0x80) {
      out_.push_back(static_cast<char>(value));
      return;
    }
    std::array<char, 10> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init): written below.
    std::size_t used = 0;
    for (; value >= 0x80; value >>= 7) bytes[used++] = static_cast<char>(value | 0x80);
    bytes[used++] = static_cast<char>(value);
    out_.append(bytes.data(), used);
  }

 private:
  static constexpr std::uint32_t kVarint = 0;
  static constexpr std::uint32_t kFixed64 = 1;
  static constexpr std::uint32_t kLengthDelimited = 2;

  void Tag(std::uint32_t field, std::uint32_t wire) { Varint(field << 3 | wire); }

  void CloseLength(std::size_t start) {
    std::uint64_t length = out_.size() - start - 1;
    std::array<char, 10> bytes{};
    std::size_t used = 0;
    do {
      bytes[used++] = static_cast<char>((length & 0x7f) | (length >= 0x80 ? 0x80 : 0));
      length >>= 7;
    } while (length != 0);
    out_.replace(start, 1, bytes.data(), used);
  }

  std::string& out_;
};

}  // namespace sonde

#endif  // SONDE_EXPORT_PROTOBUF_WRITER_H_
