// Artifact: how the JSON documents of evidence are written, named and read back.

#include "sonde/artifact.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <vector>

#include "sonde/byte_sink.h"

namespace sonde {
namespace {

constexpr int kPercentDecimals = 6;
constexpr std::size_t kDeepestJson = 200;

Error InputError(ErrorCode code, std::string message, const std::string& path) {
  return {.code = code, .message = std::move(message), .file = path, .stage = "input"};
}

// Builds the document and refuses what a lenient parser would let through: a
// key given twice, numbers beyond double, and nesting without end.
class StrictBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  using json = nlohmann::json;

  bool null() override { return Add(json()); }
  bool boolean(bool value) override { return Add(json(value)); }
  bool number_integer(number_integer_t value) override { return Add(json(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Add(json(value)); }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!std::isfinite(value)) return Fail("a number is out of range: " + text);
    return Add(json(value));
  }
  bool string(string_t& value) override { return Add(json(std::move(value))); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override { return Open(json::object()); }
  bool start_array(std::size_t /*elements*/) override { return Open(json::array()); }
  bool end_object() override { return Shut(); }
  bool end_array() override { return Shut(); }
  bool key(string_t& name) override {
    if (open_.back()->contains(name)) return Fail("the key \"" + name + "\" stands twice");
    keys_.back() = name;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*exception*/) override {
    if (problem_.empty()) problem_ = "not valid JSON";
    position_ = position;
    return false;
  }

  json& root() { return root_; }
  const std::string& problem() const { return problem_; }
  std::size_t position() const { return position_; }

 private:
  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  json* Place(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    return &((*open_.back())[keys_.back()] = std::move(value));
  }
  bool Add(json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(json value) {
    if (open_.size() >= kDeepestJson) return Fail("nested too deeply");
    open_.push_back(Place(std::move(value)));
    keys_.emplace_back();
    return true;
  }
  bool Shut() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  json root_;
  std::vector<json*> open_;
  std::vector<std::string> keys_;
  std::string problem_;
  std::size_t position_ = 0;
};

}  // namespace

std::string ArtifactText(const nlohmann::json& value) {
  return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

Status WriteText(const std::string& path, std::string_view text, std::uint64_t max_bytes) {
  if (text.size() > max_bytes) {
    return Error{.code = ErrorCode::kLimit,
                 .message = "the output is larger than allowed",
                 .file = path,
                 .stage = "artifact",
                 .details = {{"max_output_bytes", static_cast<std::int64_t>(max_bytes)},
                             {"actual_bytes", static_cast<std::int64_t>(text.size())}}};
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failure;
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (failure) {
    return Error{.code = ErrorCode::kOutput,
                 .message = "cannot make the folder: " + failure.message(),
                 .file = path};
  }
  Result<std::unique_ptr<ByteSink>> sink = OpenPath(path);
  if (!sink.ok()) return sink.error();
  if (Status written = sink.value()->Write(text); !written.ok()) return written;
  return sink.value()->Close();
}

Status WriteArtifact(const std::string& path, const nlohmann::json& value,
                     std::uint64_t max_bytes) {
  return WriteText(path, ArtifactText(value), max_bytes);
}

Result<std::string> ReadRegularFile(const std::string& path, std::uint64_t max_bytes) {
  // Non-blocking, so that a FIFO is refused rather than waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return InputError(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalid,
                      std::string("cannot open: ") + std::strerror(errno), path);
  }
  struct stat status {};
  std::string bytes;
  Status outcome;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    outcome = InputError(ErrorCode::kInvalid, "not a regular file", path);
  } else if (static_cast<std::uint64_t>(status.st_size) > max_bytes) {
    outcome = Error{.code = ErrorCode::kLimit,
                    .message = "the input is larger than allowed",
                    .file = path,
                    .stage = "input",
                    .details = {{"max_input_bytes", static_cast<std::int64_t>(max_bytes)},
                                {"actual_bytes", static_cast<std::int64_t>(status.st_size)}}};
  } else {
    bytes.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        outcome = InputError(ErrorCode::kInvalid,
                             std::string("cannot read: ") + std::strerror(errno), path);
        break;
      }
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    bytes.resize(done);
  }
  ::close(descriptor);
  if (!outcome.ok()) return outcome.error();
  return bytes;
}

Result<nlohmann::json> ParseArtifact(std::string_view text, std::string_view stage) {
  StrictBuilder builder;
  if (nlohmann::json::sax_parse(text, &builder) && builder.problem().empty()) {
    return std::move(builder.root());
  }
  return Error{.code = ErrorCode::kInvalid,
               .message = builder.problem().empty() ? "not valid JSON" : builder.problem(),
               .byte_offset = builder.position(),
               .stage = std::string(stage)};
}

Result<nlohmann::json> ReadArtifact(const std::string& path, std::uint64_t max_bytes) {
  const Result<std::string> text = ReadRegularFile(path, max_bytes);
  if (!text.ok()) return text.error();
  Result<nlohmann::json> value = ParseArtifact(text.value(), "artifact");
  if (!value.ok()) return InFile(value.error(), path);
  return value;
}

std::string Sha256(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string ArtifactId(std::string_view prefix, std::initializer_list<std::string_view> parts) {
  std::string joined;
  bool first = true;
  for (const std::string_view part : parts) {
    if (!first) joined += '\0';
    joined += part;
    first = false;
  }
  return std::string(prefix) + '-' + Sha256(joined).substr(0, 16);
}

double Rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  // So large a number has no decimals.
  if (!std::isfinite(value * scale)) return value;
  const double rounded = std::round(value * scale) / scale;
  return rounded == 0.0 ? 0.0 : rounded;  // No negative zero.
}

double RoundedChance(double p_value) {
  constexpr double kSmall = 1e-6;
  if (p_value >= kSmall || p_value <= 0) return Rounded(p_value, 9);
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.begin(), text.end(), p_value, std::chars_format::scientific, 3);
  double rounded = p_value;
  std::from_chars(text.begin(), end.ptr, rounded);
  return rounded;
}

double Percent(double part, double whole) {
  return whole == 0.0 ? 0.0 : Rounded(part * 100.0 / whole, kPercentDecimals);
}

}  // namespace sonde
