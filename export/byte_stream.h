// ByteStream: bytes that come piece by piece, such as those of a compressed input.

#ifndef SONDE_EXPORT_BYTE_STREAM_H_
#define SONDE_EXPORT_BYTE_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde {

// Not thread-safe.
class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  // The next piece, empty at the end; valid until the next call.
  virtual Result<std::string_view> Next() = 0;
};

// `first`, then what `rest` still has. `first` is valid for as long as Next is not called on
// `rest`.
std::unique_ptr<ByteStream> Chain(std::string_view first, std::unique_ptr<ByteStream> rest);

// What is inside of gzip (all members, zeros behind the last one) and of zstd (all frames). Each
// piece but the last has some hundred KiB. Fails with kMalformed and an offset in `packed`; `name`
// says in errors which wrapping it is.
std::unique_ptr<ByteStream> Inflate(std::unique_ptr<ByteStream> packed, std::string name);
std::unique_ptr<ByteStream> Decompress(std::unique_ptr<ByteStream> packed, std::string name);

}  // namespace sonde

#endif  // SONDE_EXPORT_BYTE_STREAM_H_
