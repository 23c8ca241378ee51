// InputBytes: the whole content of an input that a path names.

#ifndef SONDE_EXPORT_INPUT_BYTES_H_
#define SONDE_EXPORT_INPUT_BYTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "export/mapped_file.h"
#include "sonde/result.h"

namespace sonde {

// Not thread-safe.
class InputBytes {
 public:
  // `path`, or standard input for "-": a regular file is mapped where that is possible, a pipe
  // read to its end. Errors: kNotFound, kInvalid for what is neither or cannot be read,
  // kLimit for more than `most_bytes`.
  static Result<InputBytes> Open(const std::string& path, std::uint64_t most_bytes);

  // The same for a regular file alone. Its bytes may be written to, which changes no file.
  static Result<InputBytes> OpenWriteable(const std::string& path, std::uint64_t most_bytes);

  std::string_view bytes() const noexcept {
    return mapped_.has_value() ? mapped_->bytes() : std::string_view(held_);
  }

  // To be asked once the bytes were used. Fails with kInvalid when the file became shorter
  // meanwhile, so that what was read is not what it held.
  Status CheckWhole() const;

 private:
  explicit InputBytes(std::string held) : held_(std::move(held)) {}
  explicit InputBytes(MappedFile mapped) : mapped_(std::move(mapped)) {}
  static Result<InputBytes> Read(int descriptor, std::uint64_t most_bytes);
  static Result<InputBytes> MapOrRead(int descriptor, std::uint64_t size, std::uint64_t most_bytes,
                                      MappedFile::Use use);

  std::string held_;
  std::optional<MappedFile> mapped_;
};

// More than the limit on an input's size, which takes `limit` bytes.
Error InputTooLarge(std::uint64_t limit, std::uint64_t actual);

}  // namespace sonde

#endif  // SONDE_EXPORT_INPUT_BYTES_H_
