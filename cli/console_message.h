// ConsoleMessage: what recurs in the messages of a console server.

#ifndef SONDE_CLI_CONSOLE_MESSAGE_H_
#define SONDE_CLI_CONSOLE_MESSAGE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "cli/task_row.h"
#include "export/protobuf_reader.h"
#include "sonde/result.h"

namespace sonde::cli {

// Calls take(reader) for each field of `bytes`; kMalformed when they are no message.
template <typename Take>
Status ForEachField(std::string_view bytes, Take&& take) {
  ProtobufReader reader(bytes);
  while (reader.Next()) take(reader);
  if (reader.ok()) return {};
  return Error{.code = ErrorCode::kMalformed,
               .message = "not a message of a console server",
               .byte_offset = reader.offset()};
}

// A Timestamp or a Duration, in nanoseconds: 0 for a negative one, and at most a third of what the
// type holds (97 years), so that three of them can be added and subtracted.
std::int64_t ReadNs(std::string_view bytes);
std::uint64_t ReadId(std::string_view bytes);
// "file:line", without the line when it is 0.
std::string ReadLocation(std::string_view bytes);
// Name and value of a Field.
std::pair<std::string, std::string> ReadField(std::string_view bytes);
// "name=value unit".
std::string ReadAttribute(std::string_view bytes);
// An entry of a map<uint64, message>.
std::pair<std::uint64_t, std::string_view> ReadEntry(std::string_view bytes);
// Stats of a task replace what was known; a field that is missing is 0.
void ReadTaskStats(std::string_view bytes, TaskRow& task);

}  // namespace sonde::cli

#endif  // SONDE_CLI_CONSOLE_MESSAGE_H_
