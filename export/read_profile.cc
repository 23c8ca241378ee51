// ReadProfile: recognises an input, unwraps it and hands it to its reader.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "export/chrome_trace/read.h"
#include "export/folded/read.h"
#include "export/gperftools/cpu.h"
#include "export/limit_guard.h"
#include "export/perf_data/perf_data.h"
#include "export/perf_script/perf_script.h"
#include "export/pprof/decode.h"
#include "export/speedscope/read.h"
#include "export/unwrap.h"
#include "sonde/formats.h"
#include "sonde/heap_text.h"

namespace sonde {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

// The pages of a file, without a copy.
class MappedFile {
 public:
  MappedFile(int descriptor, std::size_t size) : size_(size) {
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) return;
    address_ = address;
    ::madvise(address_, size_, MADV_SEQUENTIAL);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (address_ != nullptr) ::munmap(address_, size_);
  }
  bool ok() const noexcept { return address_ != nullptr; }
  std::string_view bytes() const noexcept { return {static_cast<const char*>(address_), size_}; }

 private:
  void* address_ = nullptr;
  std::size_t size_;
};

Error TooLarge(std::uint64_t limit, std::uint64_t actual) {
  Error error = OverLimit("bytes of input", "max_input_bytes", limit, actual);
  error.stage = "input";
  return error;
}

Error CannotRead(int error_number) {
  return {.code = error_number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalid,
          .message = std::string("cannot read: ") + std::strerror(error_number)};
}

Result<std::string> ReadToEnd(int descriptor, std::uint64_t limit) {
  std::string text;
  std::size_t used = 0;
  while (true) {
    if (text.size() - used < kReadBytes) text.resize(std::max(text.size() * 2, kReadBytes));
    const ssize_t got = ::read(descriptor, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > limit) return TooLarge(limit, used);
  }
  text.resize(used);
  return text;
}

bool HasSampleTimes(Format format) {
  return format == Format::kPerfScript || format == Format::kPerfData;
}

Result<Profile> Read(Format format, std::string_view bytes, const ReadOptions& options) {
  const bool wants_times = options.from_ns != INT64_MIN || options.until_ns != INT64_MAX;
  if (wants_times && format != Format::kUnknown && !HasSampleTimes(format)) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "a span of time can only be cut out of a recording: " +
                            std::string(NameOf(format)) + " does not keep the time of each sample"};
  }
  switch (format) {
    case Format::kPprof:
      return ReadPprof(bytes, options);
    case Format::kFolded:
      return ReadFolded(bytes, options);
    case Format::kPerfData:
      return ReadPerfData(bytes, options);
    case Format::kPerfScript:
      return ReadPerfScript(bytes, options);
    case Format::kGperftoolsCpu:
      return bytes.starts_with("---") ? ReadSymbolizedProfile(bytes, options)
                                      : ReadCpuProfile(bytes, options);
    case Format::kGperftoolsHeap:
      return ReadHeapText(bytes, {.limits = options.limits, .strict = options.strict});
    case Format::kSpeedscope:
      return ReadSpeedscope(bytes, options);
    case Format::kChromeTrace:
      return ReadChromeTrace(bytes, options);
    default:
      break;
  }
  return Error{.code = ErrorCode::kUnsupported,
               .message =
                   "unrecognized profile format (none of pprof, folded, perf-script, "
                   "perf-data, gperftools-cpu, gperftools-heap, speedscope, chrome-trace)"};
}

Result<Profile> ReadPath(const std::string& path, const ReadOptions& options) {
  if (path == "-") {
    Result<std::string> text = ReadToEnd(STDIN_FILENO, options.limits.input_bytes);
    return text.ok() ? ReadProfile(text.value(), options) : text.error();
  }
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return CannotRead(errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return CannotRead(errno);
  if (S_ISFIFO(status.st_mode)) {
    // Opened without blocking so that a folder or a device cannot hang; a pipe is waited for.
    ::fcntl(file.number(), F_SETFL, 0);
    Result<std::string> text = ReadToEnd(file.number(), options.limits.input_bytes);
    return text.ok() ? ReadProfile(text.value(), options) : text.error();
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{.code = ErrorCode::kInvalid, .message = "not a regular file"};
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > options.limits.input_bytes) return TooLarge(options.limits.input_bytes, size);
  if (size == 0) return ReadProfile({}, options);
  const MappedFile mapped(file.number(), static_cast<std::size_t>(size));
  if (mapped.ok()) return ReadProfile(mapped.bytes(), options);
  // Some file systems cannot map.
  Result<std::string> text = ReadToEnd(file.number(), options.limits.input_bytes);
  return text.ok() ? ReadProfile(text.value(), options) : text.error();
}

}  // namespace

Result<Profile> ReadProfile(std::string_view bytes, const ReadOptions& options) {
  if (bytes.size() > options.limits.input_bytes) {
    return TooLarge(options.limits.input_bytes, bytes.size());
  }
  Unwrapped unwrapped;
  if (Status status = Unwrap(bytes, options.limits.input_bytes, unwrapped); !status.ok()) {
    return status.error();
  }
  // An empty text is a profile of nothing when the caller says that it is text.
  if (unwrapped.bytes.empty() && options.format != Format::kFolded &&
      options.format != Format::kPerfScript) {
    return Error{.code = ErrorCode::kInvalid, .message = "empty profile"};
  }
  const Format format = options.format.value_or(Sniff(unwrapped.bytes));
  if (options.recognised != nullptr) *options.recognised = format;
  return Read(format, unwrapped.bytes, options);
}

Result<Profile> ReadProfileFile(const std::string& path, const ReadOptions& options) {
  Result<Profile> profile = ReadPath(path, options);
  if (!profile.ok()) return InFile(profile.error(), path == "-" ? "standard input" : path);
  return profile;
}

}  // namespace sonde
