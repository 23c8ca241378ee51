// Unwrap: takes the compression off an input.

#include "export/unwrap.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "export/byte_stream.h"
#include "export/limit_guard.h"

namespace sonde {
namespace {

constexpr int kMostLayers = 4;
constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr std::size_t kFirstRoom = std::size_t{256} << 10;
constexpr std::string_view kGzipMagic("\x1f\x8b", 2);
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);

// Where in the wrapping a fault is: "gzip", or "gzip, layer 2".
std::string LayerName(std::string_view container, int layer) {
  std::string name(container);
  if (layer > 1) name += ", layer " + std::to_string(layer);
  return name;
}

// Passes on what a layer holds, up to the limits and while it is wanted.
class LimitedStream : public ByteStream {
 public:
  LimitedStream(std::unique_ptr<ByteStream> from, const ReadLimits& limits,
                const std::stop_token& stop)
      : from_(std::move(from)), limits_(limits), stop_(stop) {}
  Result<std::string_view> Next() override {
    if (stop_.stop_requested()) return ReadingCalledOff();
    Result<std::string_view> piece = from_->Next();
    if (!piece.ok()) return piece;
    bytes_ += piece.value().size();
    const bool is_of_input = limits_.input_bytes <= limits_.unwrapped_bytes;
    const std::uint64_t most = is_of_input ? limits_.input_bytes : limits_.unwrapped_bytes;
    if (bytes_ <= most) return piece;
    return OverLimit("bytes of uncompressed input",
                     is_of_input ? "max_input_bytes" : "max_unwrapped_bytes", most, most + 1);
  }

 private:
  std::unique_ptr<ByteStream> from_;
  const ReadLimits& limits_;
  const std::stop_token& stop_;
  std::uint64_t bytes_ = 0;
};

// Grows without touching memory that it does not need, nor copying where pages can move.
class Room {
 public:
  bool Append(std::string_view piece) {
    if (piece.size() > capacity_ - used_) {
      const std::size_t wanted = std::max({kFirstRoom, capacity_ * 2, used_ + piece.size()});
      void* const larger = std::realloc(bytes_.get(), wanted);
      if (larger == nullptr) return false;
      static_cast<void>(bytes_.release());
      bytes_.reset(static_cast<char*>(larger));
      capacity_ = wanted;
    }
    std::memcpy(bytes_.get() + used_, piece.data(), piece.size());
    used_ += piece.size();
    return true;
  }
  std::string_view text() const noexcept { return {bytes_.get(), used_}; }
  void MoveInto(Unwrapped& out) {
    out.bytes = text();
    out.held = std::move(bytes_);
  }

 private:
  std::unique_ptr<char, Unwrapped::Free> bytes_;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
};

Status ReadAll(ByteStream& stream, std::string_view first, const GoesOn& goes_on, Unwrapped& out) {
  Room room;
  bool was_asked = !goes_on;
  for (std::string_view piece = first;;) {
    if (!was_asked && room.text().size() + piece.size() >= kHeadBytes) {
      was_asked = true;
      const std::string_view head = piece.substr(0, kHeadBytes - room.text().size());
      if (!room.Append(head)) break;
      if (!goes_on(room.text())) {
        room.MoveInto(out);
        return {};
      }
      piece.remove_prefix(head.size());
    }
    if (!piece.empty() && !room.Append(piece)) break;
    Result<std::string_view> next = stream.Next();
    if (!next.ok()) return next.error();
    piece = next.value();
    if (piece.empty()) {
      room.MoveInto(out);
      return {};
    }
  }
  return Error{.code = ErrorCode::kSystem, .message = "no memory for the uncompressed input"};
}

}  // namespace

Status Unwrap(std::string_view bytes, const ReadLimits& limits, Unwrapped& out,
              const GoesOn& goes_on, const std::stop_token& stop) {
  out.bytes = bytes;
  std::string_view head = bytes;
  std::unique_ptr<ByteStream> stream;
  for (int layer = 1;; ++layer) {
    const bool gzip = head.starts_with(kGzipMagic);
    if (!gzip && !head.starts_with(kZstdMagic)) break;
    const std::string name = LayerName(gzip ? "gzip" : "zstd", layer);
    if (layer > kMostLayers) {
      return Error{.code = ErrorCode::kMalformed, .message = name + ": wrapped too often"};
    }
    std::unique_ptr<ByteStream> packed = Chain(head, std::move(stream));
    stream = std::make_unique<LimitedStream>(
        gzip ? Inflate(std::move(packed), name) : Decompress(std::move(packed), name), limits,
        stop);
    Result<std::string_view> first = stream->Next();
    if (!first.ok()) return first.error();
    head = first.value();
  }
  return stream == nullptr ? Status() : ReadAll(*stream, head, goes_on, out);
}

}  // namespace sonde
