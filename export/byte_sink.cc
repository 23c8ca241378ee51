// ByteSink: where encoded bytes go.

#include "sonde/byte_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace sonde {
namespace {

// Of what is large the time counts more than the last tenth of its size.
constexpr int kThoroughLevel = 6;
constexpr int kFastLevel = 2;
constexpr std::size_t kThoroughBytes = std::size_t{4} << 20;
constexpr int kGzipWindow = 15 + 16;  // The largest window, in a gzip container.
constexpr int kGzipMemory = 8;

Error OutputError(std::string_view what, const std::string& path, int error_number) {
  return {.code = ErrorCode::kOutput,
          .message = std::string(what) + ": " + std::strerror(error_number),
          .file = path};
}

Status WriteAll(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return OutputError("cannot write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Unlike any other writer's, in this process or another.
std::string TemporaryName(const std::string& path) {
  static std::atomic<unsigned> serial{0};
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return path.substr(0, name) + '.' + path.substr(name) + '.' + std::to_string(::getpid()) + '-' +
         std::to_string(serial.fetch_add(1)) + ".tmp";
}

class DeviceSink : public ByteSink {
 public:
  DeviceSink(int descriptor, const std::string& path)
      : descriptor_(descriptor), sink_(descriptor, path) {}
  DeviceSink(const DeviceSink&) = delete;
  DeviceSink& operator=(const DeviceSink&) = delete;
  ~DeviceSink() override { ::close(descriptor_); }
  Status Write(std::string_view bytes) override { return sink_.Write(bytes); }
  Status Close() override { return {}; }

 private:
  int descriptor_;
  DescriptorSink sink_;
};

}  // namespace

Status StringSink::Write(std::string_view bytes) {
  text_ += bytes;
  return {};
}

Status DescriptorSink::Write(std::string_view bytes) { return WriteAll(descriptor_, bytes, name_); }

bool IsDeviceOrPipe(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 &&
         (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

Result<std::unique_ptr<ByteSink>> OpenPath(const std::string& path) {
  if (IsDeviceOrPipe(path)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return OutputError("cannot open", path, errno);
    return std::unique_ptr<ByteSink>(new DeviceSink(descriptor, path));
  }
  Result<std::unique_ptr<FileSink>> file = FileSink::Open(path);
  if (!file.ok()) return file.error();
  return std::unique_ptr<ByteSink>(std::move(file).value());
}

FileSink::FileSink(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

Result<std::unique_ptr<FileSink>> FileSink::Open(std::string path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return Error{.code = ErrorCode::kPathSafety, .message = "is a folder", .file = path};
  }
  std::string temporary = TemporaryName(path);
  const int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (descriptor < 0) return OutputError("cannot create", path, errno);
  return std::unique_ptr<FileSink>(new FileSink(std::move(path), std::move(temporary), descriptor));
}

FileSink::~FileSink() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status FileSink::Write(std::string_view bytes) { return WriteAll(descriptor_, bytes, path_); }

Status FileSink::Close() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
    return OutputError("cannot sync", path_, errno);
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    return OutputError("cannot close", path_, errno);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    return OutputError("cannot rename into place", path_, errno);
  }
  temporary_.clear();
  return {};
}

struct GzipSink::State {
  z_stream stream{};
  bool ready = false;
  std::size_t thorough_left = kThoroughBytes;  // Until the level changes.
  std::array<char, std::size_t{64} << 10> out{};

  ~State() {
    if (ready) deflateEnd(&stream);
  }

  Status Deflate(ByteSink& next, int flush) {
    int outcome = Z_OK;
    do {
      const Status written = Step(next, [&] { return outcome = deflate(&stream, flush); });
      if (!written.ok()) return written;
    } while (stream.avail_out == 0 || (flush == Z_FINISH && outcome != Z_STREAM_END));
    return {};
  }

  // Once the same number of bytes was taken, so that equal bytes are packed equally.
  Status Hasten(ByteSink& next) {
    int outcome = Z_OK;
    do {
      const Status written = Step(
          next, [&] { return outcome = deflateParams(&stream, kFastLevel, Z_DEFAULT_STRATEGY); });
      if (!written.ok()) return written;
    } while (outcome == Z_BUF_ERROR);
    return {};
  }

 private:
  template <typename Call>
  Status Step(ByteSink& next, Call&& call) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    if (call() == Z_STREAM_ERROR) {
      return Error{.code = ErrorCode::kInternal, .message = "zlib refused its input"};
    }
    return next.Write({out.data(), out.size() - stream.avail_out});
  }
};

GzipSink::GzipSink(ByteSink& next) : next_(next), state_(std::make_unique<State>()) {
  state_->ready = deflateInit2(&state_->stream, kThoroughLevel, Z_DEFLATED, kGzipWindow,
                               kGzipMemory, Z_DEFAULT_STRATEGY) == Z_OK;
}

GzipSink::~GzipSink() = default;

Status GzipSink::Write(std::string_view bytes) {
  if (!state_->ready) return Error{.code = ErrorCode::kSystem, .message = "no memory for zlib"};
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  while (!bytes.empty()) {
    std::size_t& thorough_left = state_->thorough_left;
    const std::string_view part =
        bytes.substr(0, thorough_left == 0 ? kLargest : std::min(kLargest, thorough_left));
    // zlib does not change its input; its type predates const.
    state_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    state_->stream.avail_in = static_cast<uInt>(part.size());
    if (Status status = state_->Deflate(next_, Z_NO_FLUSH); !status.ok()) return status;
    bytes.remove_prefix(part.size());
    if (thorough_left == 0) continue;
    thorough_left -= part.size();
    if (thorough_left > 0) continue;
    if (Status status = state_->Hasten(next_); !status.ok()) return status;
  }
  return {};
}

Status GzipSink::Close() {
  if (!state_->ready) return Error{.code = ErrorCode::kSystem, .message = "no memory for zlib"};
  state_->stream.avail_in = 0;
  if (Status status = state_->Deflate(next_, Z_FINISH); !status.ok()) return status;
  return next_.Close();
}

}  // namespace sonde
