// InputBytes: the whole content of an input that a path names.

#include "export/input_bytes.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "export/limit_guard.h"

namespace sonde {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

Error CannotRead(int error_number) {
  return {.code = error_number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalid,
          .message = std::string("cannot read: ") + std::strerror(error_number)};
}

Result<std::string> ReadToEnd(int descriptor, std::uint64_t limit) {
  std::string text;
  std::size_t used = 0;
  while (true) {
    if (text.size() - used < kReadBytes) text.resize(std::max(text.size() * 2, kReadBytes));
    const ssize_t got = ::read(descriptor, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > limit) return InputTooLarge(limit, used);
  }
  text.resize(used);
  return text;
}

}  // namespace

Error InputTooLarge(std::uint64_t limit, std::uint64_t actual) {
  Error error = OverLimit("bytes of input", "max_input_bytes", limit, actual);
  error.stage = "input";
  return error;
}

Result<InputBytes> InputBytes::Read(int descriptor, std::uint64_t most_bytes) {
  Result<std::string> text = ReadToEnd(descriptor, most_bytes);
  if (!text.ok()) return text.error();
  return InputBytes(std::move(text).value());
}

Result<InputBytes> InputBytes::MapOrRead(int descriptor, std::uint64_t size,
                                         std::uint64_t most_bytes, MappedFile::Use use) {
  if (size > most_bytes) return InputTooLarge(most_bytes, size);
  if (size == 0) return InputBytes(std::string());
  std::optional<MappedFile> mapped =
      MappedFile::Map(descriptor, static_cast<std::size_t>(size), use);
  if (mapped.has_value()) return InputBytes(std::move(*mapped));
  // Some file systems cannot map.
  return Read(descriptor, most_bytes);
}

Result<InputBytes> InputBytes::OpenWriteable(const std::string& path, std::uint64_t most_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return CannotRead(errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return CannotRead(errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{.code = ErrorCode::kInvalid, .message = "not a regular file"};
  }
  return MapOrRead(file.number(), static_cast<std::uint64_t>(status.st_size), most_bytes,
                   MappedFile::Use::kWriteable);
}

Result<InputBytes> InputBytes::Open(const std::string& path, std::uint64_t most_bytes) {
  if (path == "-") return Read(STDIN_FILENO, most_bytes);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return CannotRead(errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return CannotRead(errno);
  if (S_ISFIFO(status.st_mode)) {
    // Opened without blocking so that a folder or a device cannot hang; a writer is waited for,
    // who may come later.
    pollfd someone{.fd = file.number(), .events = POLLIN, .revents = 0};
    while (::poll(&someone, 1, -1) < 0 && errno == EINTR) {
    }
    ::fcntl(file.number(), F_SETFL, 0);
    return Read(file.number(), most_bytes);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{.code = ErrorCode::kInvalid, .message = "not a regular file"};
  }
  return MapOrRead(file.number(), static_cast<std::uint64_t>(status.st_size), most_bytes,
                   MappedFile::Use::kInOrder);
}

Status InputBytes::CheckWhole() const {
  if (!mapped_.has_value() || mapped_->is_whole()) return {};
  return Error{.code = ErrorCode::kInvalid, .message = "became shorter while it was read"};
}

}  // namespace sonde
