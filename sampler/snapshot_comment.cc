// SnapshotFacts: what a snapshot says about itself, kept as a comment inside the file.

#include "sampler/snapshot_comment.h"

#include <zlib.h>

#include <charconv>
#include <memory>

namespace sonde {
namespace {

constexpr std::string_view kMark = "sonde snapshot: ";
constexpr std::size_t kLargestMessage = std::size_t{256} << 20;

// Fields of perftools.profiles.Profile.
constexpr std::uint64_t kStringTable = 6;
constexpr std::uint64_t kComment = 13;

template <typename Number>
bool ParseNumber(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// Takes a protobuf message apart, field by field.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  bool AtEnd() const noexcept { return rest_.empty(); }

  bool Varint(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  // `number` is the varint of the field, or `bytes` its content.
  bool Field(std::uint64_t& field, std::uint64_t& number, std::string_view& bytes) {
    std::uint64_t key = 0;
    if (!Varint(key)) return false;
    field = key >> 3;
    number = 0;
    bytes = {};
    switch (key & 7) {
      case 0:
        return Varint(number);
      case 1:
        return Skip(8);
      case 5:
        return Skip(4);
      case 2:
        if (!Varint(number) || number > rest_.size()) return false;
        bytes = rest_.substr(0, number);
        return Skip(number);
      default:
        return false;
    }
  }

 private:
  bool Skip(std::uint64_t count) {
    if (count > rest_.size()) return false;
    rest_.remove_prefix(count);
    return true;
  }

  std::string_view rest_;
};

Result<std::string> Inflate(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rbe"), gzclose);
  if (file == nullptr) return Error{.code = ErrorCode::kNotFound, .message = "cannot open"};
  std::string message;
  std::string part(std::size_t{64} << 10, '\0');  // Threads of the host may have small stacks.
  for (;;) {
    const int got = gzread(file.get(), part.data(), static_cast<unsigned>(part.size()));
    if (got < 0) return Error{.code = ErrorCode::kMalformed, .message = "is not readable as gzip"};
    message.append(part.data(), static_cast<std::size_t>(got));
    if (message.size() > kLargestMessage) {
      return Error{.code = ErrorCode::kLimit, .message = "is larger than 256 MiB"};
    }
    if (static_cast<std::size_t>(got) < part.size()) break;
  }
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code != Z_OK) return Error{.code = ErrorCode::kMalformed, .message = "ends too early"};
  return message;
}

}  // namespace

std::string SnapshotFacts::Text() const {
  std::string text(kMark);
  text += "role=" + role + " kind=" + kind + " pid=" + std::to_string(pid) +
          " sequence=" + std::to_string(sequence) + " start_ns=" + std::to_string(start_ns) +
          " duration_ns=" + std::to_string(duration_ns) + " samples=" + std::to_string(samples) +
          " dropped=" + std::to_string(dropped);
  return text;
}

std::optional<SnapshotFacts> SnapshotFacts::Parse(std::string_view comment) {
  if (!comment.starts_with(kMark)) return std::nullopt;
  comment.remove_prefix(kMark.size());
  SnapshotFacts facts;
  while (!comment.empty()) {
    const std::string_view word = comment.substr(0, comment.find(' '));
    comment.remove_prefix(std::min(comment.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    bool good = true;
    if (key == "role") facts.role = value;
    if (key == "kind") facts.kind = value;
    if (key == "pid") good = ParseNumber(value, facts.pid);
    if (key == "sequence") good = ParseNumber(value, facts.sequence);
    if (key == "start_ns") good = ParseNumber(value, facts.start_ns);
    if (key == "duration_ns") good = ParseNumber(value, facts.duration_ns);
    if (key == "samples") good = ParseNumber(value, facts.samples);
    if (key == "dropped") good = ParseNumber(value, facts.dropped);
    if (!good) return std::nullopt;
  }
  if (facts.role.empty() || facts.kind.empty()) return std::nullopt;
  return facts;
}

Result<std::vector<std::string>> PprofComments(std::string_view message) {
  const Error malformed{.code = ErrorCode::kMalformed, .message = "is not a pprof profile"};
  std::vector<std::string_view> strings;
  std::vector<std::uint64_t> comments;
  MessageReader reader(message);
  while (!reader.AtEnd()) {
    std::uint64_t field = 0;
    std::uint64_t number = 0;
    std::string_view bytes;
    if (!reader.Field(field, number, bytes)) return malformed;
    if (field == kStringTable) strings.push_back(bytes);
    if (field != kComment) continue;
    if (bytes.empty()) comments.push_back(number);
    for (MessageReader packed(bytes); !packed.AtEnd();) {
      if (!packed.Varint(number)) return malformed;
      comments.push_back(number);
    }
  }
  std::vector<std::string> texts;
  for (const std::uint64_t index : comments) {
    if (index >= strings.size()) return malformed;
    texts.emplace_back(strings[index]);
  }
  return texts;
}

Result<std::vector<std::string>> ReadPprofComments(const std::string& path) {
  const Result<std::string> message = Inflate(path);
  if (!message.ok()) return InFile(message.error(), path);
  Result<std::vector<std::string>> comments = PprofComments(message.value());
  if (!comments.ok()) return InFile(comments.error(), path);
  return comments;
}

}  // namespace sonde
