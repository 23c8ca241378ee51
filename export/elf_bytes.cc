// ElfBytes: the bytes of an ELF file, from the file or from memory.

#include "export/elf_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sonde {
namespace {

constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 30;

Error EndsTooSoon(const char* message, std::uint64_t offset) {
  return {.code = ErrorCode::kMalformed, .message = message, .byte_offset = offset};
}

}  // namespace

Result<ElfBytes> ElfBytes::Open(const std::string& path) {
  // Without O_NONBLOCK a FIFO of that name would wait for a writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const ErrorCode code =
        errno == ENOENT || errno == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kInvalid;
    return Error{.code = code, .message = std::string("cannot open: ") + std::strerror(errno)};
  }
  struct stat status {};
  const bool is_regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  ElfBytes bytes(descriptor, static_cast<std::uint64_t>(status.st_size));
  if (!is_regular) return Error{.code = ErrorCode::kInvalid, .message = "is not a regular file"};
  return bytes;
}

ElfBytes::~ElfBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status ElfBytes::Read(std::uint64_t offset, std::uint64_t length, char* out) const {
  if (offset > size_ || length > size_ - offset) {
    return EndsTooSoon("a table runs past the end of the file", offset);
  }
  if (descriptor_ < 0) {
    std::memcpy(out, memory_.data() + offset, length);
    return {};
  }
  while (length > 0) {
    const ssize_t got = ::pread(descriptor_, out, length, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return EndsTooSoon("the file ends inside a table", offset);
    out += got;
    offset += static_cast<std::uint64_t>(got);
    length -= static_cast<std::uint64_t>(got);
  }
  return {};
}

Status ElfBytes::CheckTable(std::uint64_t offset, std::uint64_t count,
                            std::size_t record_bytes) const {
  if (count > kLargestTable / record_bytes) {
    return Error{.code = ErrorCode::kLimit,
                 .message = "a table is larger than 1 GiB",
                 .byte_offset = offset};
  }
  if (count > 0 && (offset > size_ || count * record_bytes > size_ - offset)) {
    return EndsTooSoon("a table runs past the end of the file", offset);
  }
  return {};
}

}  // namespace sonde
