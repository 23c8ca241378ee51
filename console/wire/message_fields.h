// MessageFields: what recurs in the messages of the Instrument service.

#ifndef SONDE_CONSOLE_WIRE_MESSAGE_FIELDS_H_
#define SONDE_CONSOLE_WIRE_MESSAGE_FIELDS_H_

#include <cstdint>
#include <string_view>

#include "console/task_slots.h"
#include "console/wall_clock.h"
#include "export/protobuf_writer.h"

namespace sonde {

// Each writes one message as `field` of the one that is being written.

void WriteId(ProtobufWriter& out, std::uint32_t field, std::uint64_t id);
// A Timestamp, in Unix nanoseconds, or a Duration; clients take no negative ones.
void WriteTime(ProtobufWriter& out, std::uint32_t field, std::int64_t ns);
// A Timestamp from SteadyNs(); nothing for 0.
void WriteOptionalTime(ProtobufWriter& out, std::uint32_t field, const WallClock& clock,
                       std::int64_t steady_ns);
// A Field with a text; nothing when it is empty.
void WriteText(ProtobufWriter& out, std::uint32_t field, std::uint64_t metadata,
               std::string_view name, std::string_view text);
void WriteNumber(ProtobufWriter& out, std::uint32_t field, std::uint64_t metadata,
                 std::string_view name, std::uint64_t number);
void WriteField(ProtobufWriter& out, std::uint32_t field_number, std::uint64_t metadata,
                const Field& field);
// A Location, left out rather than empty: an empty file name is more than the client's detail view
// can take.
void WritePlace(ProtobufWriter& out, std::uint32_t field, const SourceLocation& place);

}  // namespace sonde

#endif  // SONDE_CONSOLE_WIRE_MESSAGE_FIELDS_H_
