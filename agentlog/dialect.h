// Dialect: understands the records of one agent's logs.

#ifndef SONDE_AGENTLOG_DIALECT_H_
#define SONDE_AGENTLOG_DIALECT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "agentlog/log_event.h"

namespace sonde::agentlog {

enum class LineOutcome : std::uint8_t {
  kRecord,
  kNotObject,
  kDamaged,
  kInvalidUtf8,
};

struct DialectOptions {
  bool wants_text = false;       // Hand out answers, arguments and titles too.
  std::uint64_t file_key = 0;    // Identity of records that have none of their own.
  std::string_view file_name{};  // Without folders; names a thread that does not name itself.
};

// The cause of a loss: it keeps what it counts, but is in no span of time.
inline constexpr std::string_view kNoTimeOfRecord = "record without a time that can be read";

// Reads one file. Not thread-safe.
class Dialect {
 public:
  Dialect() = default;
  Dialect(const Dialect&) = delete;
  Dialect& operator=(const Dialect&) = delete;
  virtual ~Dialect() = default;

  // One value of line `line`, kLinePadding readable bytes behind it. `rest` is what follows the
  // value in the line.
  virtual LineOutcome Take(std::string_view text, std::uint64_t line, std::string_view& rest) = 0;
  // Everything was taken.
  virtual void Finish() = 0;
};

std::unique_ptr<Dialect> MakeClaudeDialect(LogSink& sink, const DialectOptions& options);
std::unique_ptr<Dialect> MakeCodexDialect(LogSink& sink, const DialectOptions& options);

// Tells from one value of a line whose log it is; nullopt when it does not tell, and then how it
// was and what follows it in the line. Not thread-safe.
class Recogniser {
 public:
  Recogniser();
  ~Recogniser();
  Recogniser(const Recogniser&) = delete;
  Recogniser& operator=(const Recogniser&) = delete;
  std::optional<AgentKind> Recognise(std::string_view text, LineOutcome& outcome,
                                     std::string_view& rest);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_DIALECT_H_
