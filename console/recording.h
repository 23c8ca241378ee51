// Recording: the messages that a console server sent, with their times, in a file.

#ifndef SONDE_CONSOLE_RECORDING_H_
#define SONDE_CONSOLE_RECORDING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/byte_sink.h"
#include "sonde/result.h"

namespace sonde {

enum class RecordKind : std::uint8_t {
  kUpdate = 1,   // An Update of the Instrument service.
  kDetails = 2,  // A TaskDetails.
};

// One line that names the format, then for each message its kind (one byte), the nanoseconds since
// the first one (eight bytes, little-endian), its size (four bytes) and its bytes.
class RecordingWriter {
 public:
  // `out` outlives the writer and is closed by the caller.
  explicit RecordingWriter(ByteSink& out) : out_(out) {}
  // Stamped with the present time. Not thread-safe.
  Status Add(RecordKind kind, std::string_view message);

 private:
  ByteSink& out_;
  std::int64_t first_ns_ = 0;
};

struct RecordedMessage {
  RecordKind kind{};
  std::uint64_t time_ns = 0;  // Since the first message.
  std::string bytes;
};

// All messages of a file, in order of time. Errors: kNotFound, kUnsupported for another format,
// kMalformed for messages out of order or too large. A last message that is cut off is left out.
Result<std::vector<RecordedMessage>> ReadRecording(const std::string& path);
Result<std::vector<RecordedMessage>> ParseRecording(std::string_view bytes);

}  // namespace sonde

#endif  // SONDE_CONSOLE_RECORDING_H_
