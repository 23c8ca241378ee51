// RecordStream: the records of a recording one after the other, compressed ones too.

#ifndef SONDE_EXPORT_PERF_DATA_RECORD_STREAM_H_
#define SONDE_EXPORT_PERF_DATA_RECORD_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sonde/result.h"

namespace sonde::perf_data {

// One record, still raw.
struct Record {
  std::uint32_t type = 0;  // RecordType, or one that is not known.
  std::uint16_t misc = 0;
  std::string_view payload;  // Points into the file or into `block`.
  std::uint64_t offset = 0;  // In the file, of the record or of the compressed one around it.
  std::shared_ptr<const std::string> block{};  // Null for records of the file itself.
};

// Compressed records form one zstd stream, in which records may be split
// anywhere. A block of them lives as long as a Record of it. Not thread-safe.
class RecordStream {
 public:
  // `data` outlives the stream. Fails with kLimit once more than `most_bytes` were
  // decompressed.
  RecordStream(std::string_view data, std::uint64_t file_offset, bool swapped,
               std::uint64_t most_bytes);
  ~RecordStream();

  // The next record, or nothing at the end. kMalformed where there is no telling
  // where the next record starts; left() then is what could not be read.
  Result<std::optional<Record>> Next();

  std::uint64_t left() const noexcept { return data_.size(); }
  std::uint64_t offset() const noexcept { return offset_; }

 private:
  struct Zstd;

  Result<std::optional<Record>> Take(std::string_view& from, std::uint64_t& offset) const;
  Status SkipAttachment(const Record& record);
  Status Decompress(const Record& record);

  std::string_view data_;
  std::uint64_t offset_;
  bool swapped_;
  std::uint64_t most_bytes_;
  std::uint64_t decompressed_bytes_ = 0;
  std::unique_ptr<Zstd> zstd_;
  std::shared_ptr<const std::string> block_;
  std::string_view block_rest_;     // What is left of block_.
  std::uint64_t block_offset_ = 0;  // Of the compressed record it came from.
};

}  // namespace sonde::perf_data

#endif  // SONDE_EXPORT_PERF_DATA_RECORD_STREAM_H_
