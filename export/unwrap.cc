// Unwrap: takes the compression off an input.

#include "export/unwrap.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "export/limit_guard.h"

namespace sonde {
namespace {

constexpr int kMostLayers = 4;
constexpr std::size_t kFirstOutput = std::size_t{64} << 10;
constexpr int kAnyGzipWindow = 15 + 16;
constexpr std::string_view kGzipMagic("\x1f\x8b", 2);
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);

// Where in the wrapping a fault is: "gzip", or "gzip, layer 2".
std::string LayerName(std::string_view container, int layer) {
  std::string name(container);
  if (layer > 1) name += ", layer " + std::to_string(layer);
  return name;
}

Error Broken(const std::string& layer, std::string_view what, std::size_t offset) {
  return {.code = ErrorCode::kMalformed,
          .message = layer + ": " + std::string(what),
          .byte_offset = offset};
}

// Room for more output, doubling; one byte more than `largest` tells an input that is too
// large from one that is just not. False when that byte is used.
bool Grow(std::string& out, std::uint64_t largest) {
  if (out.size() > largest) return false;
  const std::uint64_t wanted = std::max<std::uint64_t>(kFirstOutput, std::uint64_t{out.size()} * 2);
  out.resize(static_cast<std::size_t>(std::min(wanted, largest + 1)));
  return true;
}

Error TooLarge(std::uint64_t largest) {
  return OverLimit("bytes of uncompressed input", "max_input_bytes", largest, largest + 1);
}

// The last four bytes of a gzip file hold its uncompressed size, if it has one member
// and does not lie.
std::size_t LikelySize(std::string_view bytes) {
  if (bytes.size() < 18) return kFirstOutput;
  std::uint32_t size = 0;
  for (int i = 4; i > 0; --i) {
    size = size << 8 |
           static_cast<unsigned char>(bytes[bytes.size() - 5 + static_cast<std::size_t>(i)]);
  }
  const std::uint64_t plausible = std::uint64_t{bytes.size()} * 40;
  return std::max<std::size_t>(kFirstOutput, size <= plausible ? std::size_t{size} + 1 : 0);
}

Status InflateAll(std::string_view bytes, std::uint64_t largest, const std::string& layer,
                  std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, kAnyGzipWindow) != Z_OK) {
    return Error{.code = ErrorCode::kSystem, .message = "no memory for zlib"};
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);

  out.resize(static_cast<std::size_t>(std::min<std::uint64_t>(LikelySize(bytes), largest + 1)));
  std::size_t produced = 0;
  std::size_t consumed = 0;
  while (true) {
    constexpr std::size_t kLargestStep = std::size_t{1} << 30;
    // zlib does not change its input; its type predates const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + consumed));
    const std::size_t input = std::min(bytes.size() - consumed, kLargestStep);
    stream.avail_in = static_cast<uInt>(input);
    if (produced == out.size() && !Grow(out, largest)) return TooLarge(largest);
    const std::size_t room = std::min(out.size() - produced, kLargestStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + produced);
    stream.avail_out = static_cast<uInt>(room);

    const int outcome = inflate(&stream, Z_NO_FLUSH);
    consumed += input - stream.avail_in;
    produced += room - stream.avail_out;
    if (outcome == Z_STREAM_END) {
      const std::string_view rest = bytes.substr(consumed);
      // Zeros that pad the last block of a tape are no part of the data.
      if (rest.find_first_not_of('\0') == std::string_view::npos) break;
      if (!rest.starts_with(kGzipMagic)) return Broken(layer, "bytes behind the end", consumed);
      inflateReset(&stream);
      continue;
    }
    if (outcome == Z_DATA_ERROR || outcome == Z_NEED_DICT) {
      return Broken(layer, stream.msg == nullptr ? "invalid data" : stream.msg, consumed);
    }
    if (outcome == Z_MEM_ERROR) {
      return Error{.code = ErrorCode::kSystem, .message = "no memory for zlib"};
    }
    if (consumed == bytes.size() && stream.avail_out != 0) {
      return Broken(layer, "unexpected end of data", consumed);
    }
  }
  out.resize(produced);
  return {};
}

Status DecompressAll(std::string_view bytes, std::uint64_t largest, const std::string& layer,
                     std::string& out) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                        ZSTD_freeDCtx);
  if (context == nullptr) return Error{.code = ErrorCode::kSystem, .message = "no memory for zstd"};
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  std::size_t produced = 0;
  std::size_t hint = 1;
  while (true) {
    if (produced == out.size() && !Grow(out, largest)) return TooLarge(largest);
    ZSTD_outBuffer to{out.data(), out.size(), produced};
    hint = ZSTD_decompressStream(context.get(), &to, &in);
    if (ZSTD_isError(hint)) return Broken(layer, ZSTD_getErrorName(hint), in.pos);
    produced = to.pos;
    if (in.pos < in.size) continue;
    if (hint == 0) break;
    if (produced < out.size()) return Broken(layer, "unexpected end of data", in.pos);
  }
  out.resize(produced);
  return {};
}

}  // namespace

Status Unwrap(std::string_view bytes, std::uint64_t largest, Unwrapped& out) {
  largest = std::min<std::uint64_t>(largest, std::string::npos / 4);
  out.bytes = bytes;
  for (int layer = 1;; ++layer) {
    const bool gzip = out.bytes.starts_with(kGzipMagic);
    if (!gzip && !out.bytes.starts_with(kZstdMagic)) return {};
    const std::string name = LayerName(gzip ? "gzip" : "zstd", layer);
    if (layer > kMostLayers) return Broken(name, "wrapped too often", 0);
    std::string inner;
    Status status = gzip ? InflateAll(out.bytes, largest, name, inner)
                         : DecompressAll(out.bytes, largest, name, inner);
    if (!status.ok()) return status;
    if (inner.size() > largest) return TooLarge(largest);
    out.held = std::move(inner);
    out.bytes = out.held;
  }
}

}  // namespace sonde
