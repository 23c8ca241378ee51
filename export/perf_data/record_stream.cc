// RecordStream: the records of a recording one after the other, compressed ones too.

#include "export/perf_data/record_stream.h"

#include <zstd.h>

#include <algorithm>
#include <utility>

#include "export/limit_guard.h"
#include "export/perf_data/abi.h"
#include "export/perf_data/cursor.h"

namespace sonde::perf_data {
namespace {

constexpr std::size_t kRecordHeaderBytes = 8;
constexpr std::size_t kGrowth = std::size_t{256} << 10;

Error Malformed(std::string message, std::uint64_t offset) {
  return {.code = ErrorCode::kMalformed, .message = std::move(message), .byte_offset = offset};
}

}  // namespace

struct RecordStream::Zstd {
  Zstd() : stream(ZSTD_createDStream()) { ZSTD_initDStream(stream); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;
  ~Zstd() { ZSTD_freeDStream(stream); }
  ZSTD_DStream* stream;
};

RecordStream::RecordStream(std::string_view data, std::uint64_t file_offset, bool swapped,
                           std::uint64_t most_bytes)
    : data_(data), offset_(file_offset), swapped_(swapped), most_bytes_(most_bytes) {}

RecordStream::~RecordStream() = default;

Result<std::optional<Record>> RecordStream::Take(std::string_view& from,
                                                 std::uint64_t& offset) const {
  Cursor cursor(from, swapped_);
  Record record;
  record.type = cursor.U32();
  record.misc = cursor.U16();
  const std::uint16_t size = cursor.U16();
  if (!cursor.ok()) return Malformed("data ends inside a record header", offset);
  if (size < kRecordHeaderBytes) {
    return Malformed("record of " + std::to_string(size) + " bytes", offset);
  }
  if (size > from.size()) return Malformed("record runs past the end of the data", offset);
  record.payload = from.substr(kRecordHeaderBytes, size - kRecordHeaderBytes);
  record.offset = offset;
  from.remove_prefix(size);
  offset += size;
  return std::optional(std::move(record));
}

// Bytes that follow a record without being one.
Status RecordStream::SkipAttachment(const Record& record) {
  Cursor cursor(record.payload, swapped_);
  std::uint64_t size = 0;
  if (record.type == kAuxtrace) size = cursor.U64();
  if (record.type == kHeaderTracingData) {
    size = (std::uint64_t{cursor.U32()} + 7) / 8 * 8;
  }
  if (size > data_.size()) {
    return Malformed("trace data runs past the end of the file", record.offset);
  }
  data_.remove_prefix(static_cast<std::size_t>(size));
  offset_ += size;
  return {};
}

Status RecordStream::Decompress(const Record& record) {
  std::string_view input = record.payload;
  if (record.type == kCompressed2) {
    Cursor cursor(record.payload, swapped_);
    const std::uint64_t size = cursor.U64();
    input = cursor.Bytes(size);
    if (!cursor.ok()) return Malformed("compressed record is cut off", record.offset);
  }
  if (zstd_ == nullptr) zstd_ = std::make_unique<Zstd>();

  // A record that was split begins with what is left of the last block.
  std::string output(block_rest_);
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  while (true) {
    const std::size_t used = output.size();
    output.resize(used + kGrowth);
    ZSTD_outBuffer out{output.data() + used, kGrowth, 0};
    const std::size_t result = ZSTD_decompressStream(zstd_->stream, &out, &in);
    output.resize(used + out.pos);
    decompressed_bytes_ += out.pos;
    if (ZSTD_isError(result) != 0) {
      return Malformed(std::string("compressed record: ") + ZSTD_getErrorName(result),
                       record.offset);
    }
    if (decompressed_bytes_ > most_bytes_) {
      return OverLimit("bytes of decompressed records", "max_input_bytes", most_bytes_,
                       decompressed_bytes_);
    }
    // A full buffer may mean that there is more to come of the same input.
    if (in.pos == in.size && out.pos < kGrowth) break;
  }
  output.shrink_to_fit();
  block_ = std::make_shared<const std::string>(std::move(output));
  block_rest_ = *block_;
  block_offset_ = record.offset;
  return {};
}

Result<std::optional<Record>> RecordStream::Next() {
  while (true) {
    // A record that is not all there yet waits for the next compressed one.
    Cursor peek(block_rest_, swapped_);
    peek.Skip(6);
    const std::uint16_t size = peek.U16();
    if (peek.ok() && (size < kRecordHeaderBytes || size <= block_rest_.size())) {
      std::uint64_t offset = block_offset_;
      Result<std::optional<Record>> record = Take(block_rest_, offset);
      if (record.ok()) record.value()->block = block_;
      return record;
    }
    if (data_.empty()) {
      if (!block_rest_.empty()) {
        block_rest_ = {};
        return Malformed("compressed data ends inside a record", block_offset_);
      }
      return std::optional<Record>();
    }

    Result<std::optional<Record>> record = Take(data_, offset_);
    if (!record.ok()) return record;
    const std::uint32_t type = record.value()->type;
    if (type == kCompressed || type == kCompressed2) {
      if (Status status = Decompress(*record.value()); !status.ok()) return status.error();
      continue;
    }
    if (type == kAuxtrace || type == kHeaderTracingData) {
      if (Status status = SkipAttachment(*record.value()); !status.ok()) return status.error();
    }
    return record;
  }
}

}  // namespace sonde::perf_data
