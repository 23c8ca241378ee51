// MessageFields: what recurs in the messages of the Instrument service.

#include "console/wire/message_fields.h"

#include <algorithm>
#include <string>
#include <variant>

#include "console/wire/utf8.h"

namespace sonde {

void WriteId(ProtobufWriter& out, std::uint32_t field, std::uint64_t id) {
  out.Message(field, [&] { out.UintField(1, id); });
}

void WriteTime(ProtobufWriter& out, std::uint32_t field, std::int64_t ns) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns));
  out.Message(field, [&] {
    out.UintField(1, value / 1'000'000'000);
    out.UintField(2, value % 1'000'000'000);
  });
}

void WriteOptionalTime(ProtobufWriter& out, std::uint32_t field, const WallClock& clock,
                       std::int64_t steady_ns) {
  if (steady_ns != 0) WriteTime(out, field, clock.UnixNs(steady_ns));
}

void WriteText(ProtobufWriter& out, std::uint32_t field, std::uint64_t metadata,
               std::string_view name, std::string_view text) {
  if (text.empty()) return;
  out.Message(field, [&] {
    out.AlwaysBytes(1, name);
    out.AlwaysBytes(4, ValidUtf8(text));
    WriteId(out, 8, metadata);
  });
}

void WriteNumber(ProtobufWriter& out, std::uint32_t field, std::uint64_t metadata,
                 std::string_view name, std::uint64_t number) {
  out.Message(field, [&] {
    out.AlwaysBytes(1, name);
    out.AlwaysUint(5, number);
    WriteId(out, 8, metadata);
  });
}

void WriteField(ProtobufWriter& out, std::uint32_t field_number, std::uint64_t metadata,
                const Field& field) {
  const std::string name = ValidUtf8(field.name);
  if (const auto* text = std::get_if<std::string_view>(&field.value)) {
    WriteText(out, field_number, metadata, name, *text);
  } else if (const auto* number = std::get_if<std::uint64_t>(&field.value)) {
    WriteNumber(out, field_number, metadata, name, *number);
  } else {
    out.Message(field_number, [&] {
      out.AlwaysBytes(1, name);
      if (const auto* signed_number = std::get_if<std::int64_t>(&field.value)) {
        const auto bits = static_cast<std::uint64_t>(*signed_number);
        out.AlwaysUint(6, bits << 1 ^ static_cast<std::uint64_t>(*signed_number >> 63));
      } else {
        out.AlwaysUint(7, std::get<bool>(field.value) ? 1 : 0);
      }
      WriteId(out, 8, metadata);
    });
  }
}

void WritePlace(ProtobufWriter& out, std::uint32_t field, const SourceLocation& place) {
  if (place.file == nullptr || place.file[0] == '\0') return;
  out.Message(field, [&] {
    out.AlwaysBytes(1, ValidUtf8(place.file));
    out.AlwaysUint(3, place.line);
    out.AlwaysUint(4, place.column);
  });
}

}  // namespace sonde
