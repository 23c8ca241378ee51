// Recording: the messages that a console server sent, with their times, in a file.

#include "console/recording.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "console/task_registry.h"

namespace sonde {
namespace {

constexpr std::string_view kFirstLine = "sonde console recording 1\n";
constexpr std::size_t kHead = 1 + 8 + 4;
constexpr std::uint64_t kLargestMessage = std::uint64_t{16} << 20;

void AppendLittleEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

Status RecordingWriter::Add(RecordKind kind, std::string_view message) {
  std::string bytes;
  const std::int64_t now = SteadyNs();
  if (first_ns_ == 0) {
    first_ns_ = now;
    bytes += kFirstLine;
  }
  bytes.push_back(static_cast<char>(kind));
  AppendLittleEndian(bytes, static_cast<std::uint64_t>(now - first_ns_), 8);
  AppendLittleEndian(bytes, message.size(), 4);
  bytes += message;
  return out_.Write(bytes);
}

Result<std::vector<RecordedMessage>> ParseRecording(std::string_view bytes) {
  if (!bytes.starts_with(kFirstLine)) {
    return Error{.code = ErrorCode::kUnsupported, .message = "not a console recording"};
  }
  std::vector<RecordedMessage> messages;
  std::size_t at = kFirstLine.size();
  while (bytes.size() - at >= kHead) {
    const auto kind = static_cast<RecordKind>(bytes[at]);
    const std::uint64_t time_ns = LittleEndian(bytes.substr(at + 1, 8));
    const std::uint64_t size = LittleEndian(bytes.substr(at + 9, 4));
    const bool is_known = kind == RecordKind::kUpdate || kind == RecordKind::kDetails;
    const bool is_ordered = messages.empty() || time_ns >= messages.back().time_ns;
    if (!is_known || !is_ordered || size > kLargestMessage) {
      return Error{.code = ErrorCode::kMalformed,
                   .message =
                       "a recorded message has an unknown kind, an earlier time than the "
                       "one before, or is too large",
                   .byte_offset = at};
    }
    if (bytes.size() - at - kHead < size) break;
    messages.push_back({kind, time_ns, std::string(bytes.substr(at + kHead, size))});
    at += kHead + size;
  }
  return messages;
}

Result<std::vector<RecordedMessage>> ReadRecording(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Error{.code = ErrorCode::kNotFound, .message = std::strerror(errno), .file = path};
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto messages = ParseRecording(bytes);
  if (!messages.ok()) return InFile(messages.error(), path);
  return messages;
}

}  // namespace sonde
