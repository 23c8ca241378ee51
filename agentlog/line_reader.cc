// LineReader: the lines of an agent log, plain or compressed with zstd, one at a time.

#include "agentlog/line_reader.h"

#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sonde::agentlog {
namespace {

constexpr std::size_t kChunk = 256 * 1024;
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

struct LineReader::Zstd {
  Zstd() : stream(ZSTD_createDStream()), input(new char[kChunk]) {}
  ~Zstd() { ZSTD_freeDStream(stream); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  ZSTD_DStream* stream;
  std::unique_ptr<char[]> input;
  ZSTD_inBuffer in{nullptr, 0, 0};
  bool inside_frame = false;
};

LineReader::LineReader(int descriptor, std::uint64_t max_line_bytes)
    : descriptor_(descriptor), max_line_bytes_(max_line_bytes) {}

LineReader::~LineReader() = default;

Result<std::size_t> LineReader::ReadSome(char* to, std::size_t size) {
  for (;;) {
    const ssize_t count = read(descriptor_, to, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) {
      return Error{.code = ErrorCode::kSystem,
                   .message = std::string("cannot read: ") + std::strerror(errno)};
    }
  }
}

void LineReader::MakeRoom() {
  if (capacity_ - end_ >= kChunk + kLinePadding) return;
  const std::size_t kept = end_ - begin_;
  // Moving pays when what is kept is small; otherwise the buffer grows with the line.
  std::size_t wanted = capacity_;
  if (kept + kChunk + kLinePadding > capacity_) {
    wanted = std::max<std::size_t>(kept + kept / 2, kept + kChunk) + kChunk + kLinePadding;
  }
  if (wanted != capacity_) {
    std::unique_ptr<char[]> grown(new char[wanted]);
    if (kept != 0) std::memcpy(grown.get(), buffer_.get() + begin_, kept);
    buffer_ = std::move(grown);
    capacity_ = wanted;
  } else if (kept != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
  }
  scanned_ -= begin_;
  end_ = kept;
  begin_ = 0;
}

Result<bool> LineReader::FillPlain() {
  MakeRoom();
  const Result<std::size_t> count = ReadSome(buffer_.get() + end_, capacity_ - end_ - kLinePadding);
  if (!count.ok()) return count.error();
  end_ += count.value();
  return count.value() != 0;
}

Result<bool> LineReader::FillZstd() {
  MakeRoom();
  ZSTD_outBuffer out{buffer_.get() + end_, capacity_ - end_ - kLinePadding, 0};
  while (out.pos == 0) {
    if (zstd_->in.pos == zstd_->in.size) {
      const Result<std::size_t> count = ReadSome(zstd_->input.get(), kChunk);
      if (!count.ok()) return count.error();
      if (count.value() == 0) {
        if (!zstd_->inside_frame) return false;
        return Error{.code = ErrorCode::kMalformed,
                     .message = "the zstd data ends in the middle of a frame"};
      }
      zstd_->in = {zstd_->input.get(), count.value(), 0};
    }
    const std::size_t state = ZSTD_decompressStream(zstd_->stream, &out, &zstd_->in);
    if (ZSTD_isError(state) != 0) {
      return Error{.code = ErrorCode::kMalformed,
                   .message = std::string("the zstd data is damaged: ") + ZSTD_getErrorName(state)};
    }
    zstd_->inside_frame = state != 0;
  }
  end_ += out.pos;
  return true;
}

Result<bool> LineReader::Fill() {
  if (started_) return zstd_ ? FillZstd() : FillPlain();
  // The first bytes decide; a pipe may hand them out one by one.
  while (end_ < kZstdMagic.size()) {
    const Result<bool> more = FillPlain();
    if (!more.ok()) return more;
    if (!more.value()) break;
  }
  started_ = true;
  const std::string_view head(buffer_.get(), end_);
  if (head.starts_with(kZstdMagic)) {
    zstd_ = std::make_unique<Zstd>();
    if (end_ > kChunk) zstd_->input.reset(new char[end_]);
    std::memcpy(zstd_->input.get(), buffer_.get(), end_);
    zstd_->in = {zstd_->input.get(), end_, 0};
    zstd_->inside_frame = true;
    end_ = 0;
    const Result<bool> more = FillZstd();
    if (!more.ok()) return more;
  }
  if (std::string_view(buffer_.get(), end_).starts_with(kByteOrderMark)) {
    begin_ = scanned_ = kByteOrderMark.size();
  }
  return end_ != begin_;
}

std::optional<Line> LineReader::Take(std::size_t end, std::size_t next, bool is_open) {
  Line line;
  line.number = ++number_;
  line.is_open = is_open;
  line.too_long = skipping_ || end - begin_ > max_line_bytes_;
  skipping_ = false;
  if (is_open && buffer_) std::memset(buffer_.get() + end, 0, kLinePadding);
  if (!line.too_long) {
    line.text = std::string_view(buffer_.get() + begin_, end - begin_);
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  }
  begin_ = scanned_ = next;
  return line;
}

Result<std::optional<Line>> LineReader::Next() {
  for (;;) {
    if (scanned_ < end_) {
      const void* found = std::memchr(buffer_.get() + scanned_, '\n', end_ - scanned_);
      if (found != nullptr) {
        const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.get());
        return Take(end, end + 1, false);
      }
      scanned_ = end_;
      if (end_ - begin_ > max_line_bytes_) {
        skipping_ = true;
        begin_ = end_;
      }
    }
    if (at_end_) {
      if (begin_ == end_ && !skipping_) return std::optional<Line>();
      return Take(end_, end_, true);
    }
    const Result<bool> more = Fill();
    if (!more.ok()) {
      at_end_ = true;
      begin_ = scanned_ = end_;
      skipping_ = false;
      return more.error();
    }
    at_end_ = !more.value();
  }
}

}  // namespace sonde::agentlog
