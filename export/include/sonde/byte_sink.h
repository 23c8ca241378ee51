// ByteSink: where encoded bytes go.

#ifndef SONDE_BYTE_SINK_H_
#define SONDE_BYTE_SINK_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sonde/result.h"

namespace sonde {

// Write in order, then Close once. A sink that is destroyed without Close, or
// whose Write failed, leaves nothing behind. Not thread-safe.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  virtual Status Write(std::string_view bytes) = 0;
  // Hands everything on. After it nothing may be written.
  virtual Status Close() = 0;
};

// Keeps the bytes in memory.
class StringSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override;
  Status Close() override { return {}; }
  const std::string& text() const noexcept { return text_; }
  std::string Take() && noexcept { return std::move(text_); }

 private:
  std::string text_;
};

// Writes to a file descriptor that stays open: standard output, a socket.
class DescriptorSink : public ByteSink {
 public:
  // `name` is what errors call it.
  explicit DescriptorSink(int descriptor, std::string name = "standard output")
      : descriptor_(descriptor), name_(std::move(name)) {}
  Status Write(std::string_view bytes) override;
  Status Close() override { return {}; }

 private:
  int descriptor_;
  std::string name_;
};

// True for a device, a pipe or a socket: what is written to as it is, never replaced by a file.
// Any thread.
bool IsDeviceOrPipe(const std::string& path);

// A sink for `path`: a FileSink, or the device or pipe that is there already. Fails like
// FileSink::Open, and with kOutput when the device cannot be opened. Any thread.
Result<std::unique_ptr<ByteSink>> OpenPath(const std::string& path);

// Writes a temporary name beside `path`; Close syncs and renames it into place,
// so `path` holds either its old content or all of the new.
class FileSink : public ByteSink {
 public:
  // Fails with kOutput when the folder is missing or cannot be written, with
  // kPathSafety when `path` is a folder.
  static Result<std::unique_ptr<FileSink>> Open(std::string path);
  ~FileSink() override;
  Status Write(std::string_view bytes) override;
  Status Close() override;
  const std::string& path() const noexcept { return path_; }

 private:
  FileSink(std::string path, std::string temporary, int descriptor);
  std::string path_;
  std::string temporary_;  // Empty once renamed.
  int descriptor_;
};

// Compresses with zlib (gzip container, level 6, no name, time 0: equal input
// gives equal bytes) into `next`, which it closes.
class GzipSink : public ByteSink {
 public:
  // `next` outlives the sink.
  explicit GzipSink(ByteSink& next);
  ~GzipSink() override;
  Status Write(std::string_view bytes) override;
  Status Close() override;

 private:
  struct State;
  ByteSink& next_;
  std::unique_ptr<State> state_;
};

}  // namespace sonde

#endif  // SONDE_BYTE_SINK_H_
