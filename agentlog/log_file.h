// ReadLog: takes one log, of whichever agent, from its bytes to a sink.

#ifndef SONDE_AGENTLOG_LOG_FILE_H_
#define SONDE_AGENTLOG_LOG_FILE_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agentlog/log_event.h"
#include "sonde/losses.h"
#include "sonde/result.h"

namespace sonde::agentlog {

// A file descriptor that is closed with it. Not thread-safe.
class OpenFile {
 public:
  OpenFile() = default;
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept : descriptor_(other.descriptor_) { other.descriptor_ = -1; }
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();
  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Opens a regular file or a pipe for reading. Fails with kNotFound or kInvalid, also for a pipe
// that has no writer for ten seconds. **Any thread.**
Result<OpenFile> OpenLog(const std::string& path);
// Copies what `descriptor` still holds to a file without a name; `name` says in errors whose it is.
// Fails with kSystem. **Any thread.**
Result<OpenFile> Spool(int descriptor, const std::string& name);

struct ReadOptions {
  bool wants_text = false;
  std::uint64_t max_line_bytes = 0;
  std::stop_token stop{};  // Asked to, the reading ends after the line at hand.
};

// The error of a reading that ReadOptions::stop ended.
Error ReadingCalledOff();

// Reads everything from `descriptor` on; places of losses begin with the base of `name`. nullopt
// when nothing in it is a record of an agent that is known. What could not be used goes to
// `losses`. **Any thread.**
std::optional<AgentKind> ReadLog(int descriptor, const std::string& name,
                                 const ReadOptions& options, LogSink& sink, Losses& losses);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_LOG_FILE_H_
