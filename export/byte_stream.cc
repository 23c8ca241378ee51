// ByteStream: bytes that come piece by piece, such as those of a compressed input.

#include "export/byte_stream.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace sonde {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kLargestStep = std::size_t{1} << 30;  // zlib counts with 32 bits.
constexpr int kAnyGzipWindow = 15 + 16;
constexpr char kFirstOfGzip = '\x1f';
constexpr std::size_t kGzipMagicBytes = 2;

class ChainStream : public ByteStream {
 public:
  ChainStream(std::string_view first, std::unique_ptr<ByteStream> rest)
      : first_(first), rest_(std::move(rest)) {}
  Result<std::string_view> Next() override {
    if (!first_.empty()) return std::exchange(first_, {});
    return rest_ == nullptr ? Result<std::string_view>(std::string_view()) : rest_->Next();
  }

 private:
  std::string_view first_;
  std::unique_ptr<ByteStream> rest_;
};

// What both kinds of wrapping need: the packed bytes that are not consumed yet, and room.
class UnpackingStream : public ByteStream {
 protected:
  UnpackingStream(std::unique_ptr<ByteStream> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), room_(kPieceBytes) {}

  // Makes input_ hold something unless all of it was consumed.
  Status Refill() {
    if (!input_.empty() || packed_ended_) return {};
    Result<std::string_view> piece = packed_->Next();
    if (!piece.ok()) return piece.error();
    input_ = piece.value();
    packed_ended_ = input_.empty();
    return {};
  }
  void Consume(std::size_t bytes) {
    input_.remove_prefix(bytes);
    consumed_ += bytes;
  }
  Error Broken(std::string_view what, std::uint64_t offset) const {
    return {.code = ErrorCode::kMalformed,
            .message = name_ + ": " + std::string(what),
            .byte_offset = offset};
  }
  Error NoMemory() const {
    return {.code = ErrorCode::kSystem, .message = name_ + ": no memory to unpack"};
  }

  std::unique_ptr<ByteStream> packed_;
  std::string name_;
  std::vector<char> room_;
  std::string_view input_;
  std::uint64_t consumed_ = 0;
  bool packed_ended_ = false;
};

class GzipStream : public UnpackingStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> packed, std::string name)
      : UnpackingStream(std::move(packed), std::move(name)),
        is_ready_(inflateInit2(&stream_, kAnyGzipWindow) == Z_OK) {}
  ~GzipStream() override {
    if (is_ready_) inflateEnd(&stream_);
  }

  Result<std::string_view> Next() override {
    if (!is_ready_) return NoMemory();
    std::size_t produced = 0;
    while (produced < room_.size()) {
      if (Status more = Refill(); !more.ok()) return more.error();
      if (!in_member_) {
        const Result<bool> begins = BeginMember();
        if (!begins.ok()) return begins.error();
        if (!begins.value()) break;
      }
      if (Status inflated = InflateSome(produced); !inflated.ok()) return inflated.error();
    }
    return std::string_view(room_.data(), produced);
  }

 private:
  // False at the end. Zeros that pad the last block of a tape are no part of the data.
  Result<bool> BeginMember() {
    member_ = consumed_;
    while (!packed_ended_ && input_.front() != kFirstOfGzip) {
      if (input_.find_first_not_of('\0') != std::string_view::npos) {
        return Broken("bytes behind the end", member_);
      }
      Consume(input_.size());
      if (Status more = Refill(); !more.ok()) return more.error();
      if (!packed_ended_ && input_.find_first_not_of('\0') != std::string_view::npos) {
        return Broken("bytes behind the end", member_);
      }
    }
    if (packed_ended_) return false;
    inflateReset(&stream_);
    in_member_ = true;
    return true;
  }

  Status InflateSome(std::size_t& produced) {
    const std::size_t available = std::min(input_.size(), kLargestStep);
    const std::size_t room = room_.size() - produced;
    // zlib does not change its input; its type predates const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    stream_.avail_in = static_cast<uInt>(available);
    stream_.next_out = reinterpret_cast<Bytef*>(room_.data() + produced);
    stream_.avail_out = static_cast<uInt>(room);
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    Consume(available - stream_.avail_in);
    produced += room - stream_.avail_out;
    switch (outcome) {
      case Z_STREAM_END:
        in_member_ = false;
        return {};
      case Z_DATA_ERROR:
      case Z_NEED_DICT:
        if (member_ != 0 && consumed_ - member_ <= kGzipMagicBytes) {
          return Broken("bytes behind the end", member_);
        }
        return Broken(stream_.msg == nullptr ? "invalid data" : stream_.msg, consumed_);
      case Z_MEM_ERROR:
        return NoMemory();
      default:
        break;
    }
    if (packed_ended_ && stream_.avail_out != 0) return Broken("unexpected end of data", consumed_);
    return {};
  }

  z_stream stream_{};
  bool is_ready_;
  bool in_member_ = true;
  std::uint64_t member_ = 0;  // Where it begins.
};

class ZstdStream : public UnpackingStream {
 public:
  ZstdStream(std::unique_ptr<ByteStream> packed, std::string name)
      : UnpackingStream(std::move(packed), std::move(name)),
        context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}

  Result<std::string_view> Next() override {
    if (context_ == nullptr) return NoMemory();
    ZSTD_outBuffer out{room_.data(), room_.size(), 0};
    while (out.pos < out.size) {
      if (Status more = Refill(); !more.ok()) return more.error();
      if (packed_ended_ && hint_ == 0) break;
      const std::size_t before = out.pos;
      ZSTD_inBuffer in{input_.data(), input_.size(), 0};
      hint_ = ZSTD_decompressStream(context_.get(), &out, &in);
      Consume(in.pos);
      if (ZSTD_isError(hint_) != 0) return Broken(ZSTD_getErrorName(hint_), consumed_);
      if (packed_ended_ && hint_ != 0 && out.pos == before) {
        return Broken("unexpected end of data", consumed_);
      }
    }
    return std::string_view(room_.data(), out.pos);
  }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
  std::size_t hint_ = 1;  // 0 between frames.
};

}  // namespace

std::unique_ptr<ByteStream> Chain(std::string_view first, std::unique_ptr<ByteStream> rest) {
  return std::make_unique<ChainStream>(first, std::move(rest));
}

std::unique_ptr<ByteStream> Inflate(std::unique_ptr<ByteStream> packed, std::string name) {
  return std::make_unique<GzipStream>(std::move(packed), std::move(name));
}

std::unique_ptr<ByteStream> Decompress(std::unique_ptr<ByteStream> packed, std::string name) {
  return std::make_unique<ZstdStream>(std::move(packed), std::move(name));
}

}  // namespace sonde
