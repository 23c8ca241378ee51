// CodexCalls: the calls of the model in a Codex log: what each cost, and what it answered.

#ifndef SONDE_AGENTLOG_CODEX_CALLS_H_
#define SONDE_AGENTLOG_CODEX_CALLS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "agentlog/codex_thread.h"
#include "agentlog/codex_usage.h"

namespace sonde::agentlog {

// A log tells parts of an answer first and what the call cost last. Not thread-safe.
class CodexCalls {
 public:
  // All outlive it.
  CodexCalls(LogSink& sink, CodexThread& thread, const DialectOptions& options,
             json::TextArena& arena)
      : sink_(sink), thread_(thread), options_(options), arena_(arena) {}

  // Another answer begins: the thread was asked something.
  void BeginAnswer();
  // The record at hand is a part of the answer.
  void NoteAnswer();
  // A text of it, still escaped.
  void AddText(std::string_view raw);
  // It ends a turn.
  void MarkFinal() { is_final_ = true; }

  // The context of a turn: which model is called from now on.
  void TakeContext(const CodexPayload& payload);
  // The three forms in which logs tell what was used.
  void TakeTokenCount(const CodexPayload& payload);
  void TakeLedgerRow(const CodexPayload& payload);
  void TakeRunUsage(const CodexPayload& payload);
  // Of `codex exec --json`: the runs whose usage was counted.
  std::uint64_t runs() const noexcept { return runs_; }

 private:
  void Call(std::uint64_t key, const CodexCounters& counters, std::uint64_t counters_key,
            std::string_view model, std::string_view id = {});
  void TellOdd();

  LogSink& sink_;
  CodexThread& thread_;
  const DialectOptions& options_;
  json::TextArena& arena_;
  CodexUsage usage_;
  bool has_ledger_ = false;
  bool was_counted_ = false;  // By token counts or a ledger.
  std::uint64_t without_total_ = 0;
  std::uint64_t runs_ = 0;
  std::string model_;
  std::string effort_;

  // Of the answer.
  std::int64_t began_ns_ = kNoTime;
  bool is_final_ = false;
  std::string text_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CODEX_CALLS_H_
