// LineReader: the lines of an agent log, plain or compressed with zstd, one at a time.

#ifndef SONDE_AGENTLOG_LINE_READER_H_
#define SONDE_AGENTLOG_LINE_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sonde/result.h"

namespace sonde::agentlog {

// Bytes that may be read, not trusted, behind each line.
inline constexpr std::size_t kLinePadding = 64;

struct Line {
  std::string_view text;     // Without line end; kLinePadding readable bytes follow. May be empty.
  std::uint64_t number = 0;  // From 1.
  bool too_long = false;     // Over the limit: `text` is empty.
  bool is_open = false;      // The file ended without a line end.
};

// Holds one line and at most as much again of what follows. Not thread-safe.
class LineReader {
 public:
  // `descriptor` stays open and is read to its end from where it stands. A zstd frame at the
  // start is recognised by its magic number.
  LineReader(int descriptor, std::uint64_t max_line_bytes);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // The next line, or nullopt at the end. A byte order mark at the start and a carriage return
  // at the end of a line are removed. Fails with kSystem when reading fails and with kMalformed
  // when the compression is broken; lines before that were handed out.
  Result<std::optional<Line>> Next();

 private:
  struct Zstd;

  // Appends to buffer_; false at the end of the input.
  Result<bool> Fill();
  Result<bool> FillPlain();
  Result<bool> FillZstd();
  Result<std::size_t> ReadSome(char* to, std::size_t size);
  void MakeRoom();
  std::optional<Line> Take(std::size_t end, std::size_t next, bool is_open);

  int descriptor_;
  std::uint64_t max_line_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;    // First byte not handed out.
  std::size_t scanned_ = 0;  // No line end before it.
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
  bool at_end_ = false;
  bool started_ = false;
  bool skipping_ = false;  // Inside a line that is too long.
  std::unique_ptr<Zstd> zstd_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_LINE_READER_H_
