// CodexThread: the thread that a Codex file is the log of, and the record of it at hand.

#ifndef SONDE_AGENTLOG_CODEX_THREAD_H_
#define SONDE_AGENTLOG_CODEX_THREAD_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "agentlog/codex_record.h"
#include "agentlog/dialect.h"

namespace sonde::agentlog {

// A file may begin with history copied from the thread's parent. Not thread-safe.
class CodexThread {
 public:
  // Both outlive it.
  CodexThread(LogSink& sink, const DialectOptions& options) : sink_(sink), options_(options) {}

  // Goes on to the next record of the file, in line `line`; the first one that can names the
  // thread.
  void Enter(const CodexRecord& record, std::uint64_t line);
  // From here on the thread has a name: that of its file, where no record told one.
  void Ensure();
  // As Ensure, of what `codex exec --json` printed of the thread `id`.
  void EnsureStream(std::string_view id);
  // The record at hand is the context of a turn.
  void EnterTurn(const CodexPayload& payload);
  // The record at hand says that a turn has begun.
  void BeginTurn(std::int64_t started_at_s);

  LocalThread number() const noexcept { return number_; }
  std::uint64_t key() const noexcept { return key_; }
  std::string_view id() const noexcept { return id_; }  // Empty where no record told it.
  bool is_subagent() const noexcept { return is_subagent_; }
  std::uint32_t turn() const noexcept { return turn_; }

  // Of the record at hand.
  std::uint64_t line() const noexcept { return line_; }
  std::uint64_t place() const noexcept { return place_; }
  std::int64_t time_ns() const noexcept { return time_ns_; }
  // False for what was copied from the parent.
  bool is_own() const noexcept { return is_own_; }

 private:
  bool IsHeader(const CodexRecord& record) const;
  void TakeMeta(const CodexPayload& payload);
  void TakeHeader(const CodexPayload& payload);
  void Name(const ThreadEvent& event);

  LogSink& sink_;
  const DialectOptions& options_;
  bool is_named_ = false;
  LocalThread number_ = 0;
  std::uint64_t key_ = 0;
  std::string id_;
  bool is_subagent_ = false;
  std::int64_t created_ns_ = kNoTime;
  std::int64_t start_ordinal_ = -1;
  bool told_folder_ = false;
  std::uint32_t turn_ = 0;

  std::uint64_t line_ = 0;
  std::uint64_t place_ = 0;
  std::int64_t time_ns_ = kNoTime;
  bool is_own_ = true;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CODEX_THREAD_H_
