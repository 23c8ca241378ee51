// ReadLog: takes one log, of whichever agent, from its bytes to a sink.

#include "agentlog/log_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "agentlog/dialect.h"
#include "agentlog/frame_namer.h"
#include "agentlog/hash.h"
#include "agentlog/line_reader.h"

namespace sonde::agentlog {
namespace {

constexpr int kPipePatienceMs = 10'000;

std::string_view CauseOf(LineOutcome outcome, bool is_open) {
  switch (outcome) {
    case LineOutcome::kNotObject:
      return "line that is no JSON object";
    case LineOutcome::kInvalidUtf8:
      return "line that is not UTF-8";
    case LineOutcome::kRecord:
    case LineOutcome::kDamaged:
      break;
  }
  return is_open ? "last line cut off" : "damaged line";
}

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

class LogReader {
 public:
  LogReader(int descriptor, const std::string& name, const ReadOptions& options, LogSink& sink,
            Losses& losses)
      : lines_(descriptor, options.max_line_bytes),
        name_(name),
        stop_(options.stop),
        sink_(sink),
        losses_(losses),
        dialect_options_{.wants_text = options.wants_text,
                         .file_key = HashOf(name),
                         .file_name = std::string_view(name).substr(name.rfind('/') + 1)} {}

  std::optional<AgentKind> Read() {
    while (!stop_.stop_requested()) {
      const Result<std::optional<Line>> line = lines_.Next();
      if (!line.ok()) {
        losses_.Add(line.error().message, "files", 1, NameOfLog(name_));
        break;
      }
      if (!line.value()) break;
      Take(*line.value());
    }
    if (dialect_) dialect_->Finish();
    return agent_;
  }

 private:
  void Take(const Line& line) {
    if (line.too_long) return Lose("line over the length limit", line.number);
    std::string_view text = line.text;
    while (!IsBlank(text)) {
      std::string_view rest;
      const LineOutcome outcome = TakeValue(text, line.number, rest);
      if (outcome != LineOutcome::kRecord) Lose(CauseOf(outcome, line.is_open), line.number);
      text = rest;
    }
  }

  LineOutcome TakeValue(std::string_view text, std::uint64_t number, std::string_view& rest) {
    if (!dialect_) {
      LineOutcome outcome = LineOutcome::kRecord;
      agent_ = recogniser_.Recognise(text, outcome, rest);
      if (!agent_) return outcome;
      dialect_ = *agent_ == AgentKind::kCodex ? MakeCodexDialect(sink_, dialect_options_)
                                              : MakeClaudeDialect(sink_, dialect_options_);
    }
    return dialect_->Take(text, number, rest);
  }

  void Lose(std::string_view cause, std::uint64_t number) {
    losses_.Add(cause, "lines", 1, NameOfLog(name_) + ':' + std::to_string(number));
  }

  LineReader lines_;
  const std::string& name_;
  const std::stop_token stop_;
  LogSink& sink_;
  Losses& losses_;
  const DialectOptions dialect_options_;
  Recogniser recogniser_;
  std::optional<AgentKind> agent_;
  std::unique_ptr<Dialect> dialect_;
};

// Waits until a pipe, opened without waiting, has been written to or has a writer who may yet.
bool GetsWriter(int descriptor) {
  pollfd waiting{.fd = descriptor, .events = POLLIN, .revents = 0};
  if (poll(&waiting, 1, kPipePatienceMs) != 0) return true;
  char nothing = 0;
  return read(descriptor, &nothing, 1) < 0;
}

Error SystemError(const char* what, const std::string& file) {
  return {.code = ErrorCode::kSystem,
          .message = std::string(what) + ": " + std::strerror(errno),
          .file = file};
}

}  // namespace

Error ReadingCalledOff() {
  return {.code = ErrorCode::kTimeout, .message = "the reading was called off"};
}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<OpenFile> OpenLog(const std::string& path) {
  // Opening a pipe would wait for its writer for ever.
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.descriptor() < 0) {
    return Error{.code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kInvalid,
                 .message = std::string("cannot open: ") + std::strerror(errno),
                 .file = path};
  }
  struct stat status {};
  if (fstat(file.descriptor(), &status) != 0 ||
      (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))) {
    const bool is_folder = S_ISDIR(status.st_mode);
    return Error{.code = ErrorCode::kInvalid,
                 .message = is_folder ? "is a folder" : "is neither a file nor a pipe",
                 .file = path};
  }
  if (S_ISFIFO(status.st_mode) && !GetsWriter(file.descriptor())) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "is a pipe that no one opened for writing within " +
                            std::to_string(kPipePatienceMs / 1000) + " seconds",
                 .file = path};
  }
  fcntl(file.descriptor(), F_SETFL, fcntl(file.descriptor(), F_GETFL) & ~O_NONBLOCK);
  posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

Result<OpenFile> Spool(int descriptor, const std::string& name) {
  std::FILE* const stream = std::tmpfile();
  if (stream == nullptr) return SystemError("cannot make a temporary file", name);
  OpenFile spool(fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0));
  std::fclose(stream);
  if (spool.descriptor() < 0) return SystemError("cannot make a temporary file", name);
  std::array<char, 1 << 16> chunk{};
  for (;;) {
    const ssize_t count = read(descriptor, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError("cannot read", name);
    if (count == 0) break;
    for (ssize_t written = 0; written < count;) {
      const ssize_t step = write(spool.descriptor(), chunk.data() + written,
                                 static_cast<std::size_t>(count - written));
      if (step < 0 && errno == EINTR) continue;
      if (step < 0) return SystemError("cannot keep a copy", name);
      written += step;
    }
  }
  return spool;
}

std::optional<AgentKind> ReadLog(int descriptor, const std::string& name,
                                 const ReadOptions& options, LogSink& sink, Losses& losses) {
  return LogReader(descriptor, name, options, sink, losses).Read();
}

}  // namespace sonde::agentlog
