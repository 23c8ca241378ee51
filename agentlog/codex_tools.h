// CodexTools: the calls of tools in a Codex log, in every form that its generations gave them.

#ifndef SONDE_AGENTLOG_CODEX_TOOLS_H_
#define SONDE_AGENTLOG_CODEX_TOOLS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "agentlog/codex_output.h"
#include "agentlog/codex_thread.h"

namespace sonde::agentlog {

// Hands out what the records of `thread` say, of the one at hand each time. Not thread-safe.
class CodexTools {
 public:
  // All outlive it.
  CodexTools(LogSink& sink, CodexThread& thread, const DialectOptions& options,
             json::TextArena& arena)
      : sink_(sink), thread_(thread), options_(options), arena_(arena), outputs_(arena) {}

  // A response item; false when it is no call.
  bool TakeCall(const CodexPayload& payload, std::string_view type);
  // The output that a response item holds.
  void TakeOutput(const CodexPayload& payload);
  // An event that a call has ended; nothing when it says something else.
  void TakeEnd(const CodexPayload& payload);
  // A completed item of paginated history.
  void TakeItem(const CodexItem& item);
  // An item that `codex exec --json` printed in its run `run`; false when it is no call.
  bool TakeStreamItem(const CodexItem& item, bool is_done, std::uint64_t run);

 private:
  // Something that repeats a call, or was called inside of one.
  struct Mirrored {
    std::string_view id{};
    std::string_view name{};
    std::string_view status{};
    bool has_failed = false;
    std::string_view command{};  // JSON.
  };
  void Call(const CodexPayload& payload, std::string_view name, ToolStatus status);
  void Mirror(const Mirrored& mirrored);
  std::uint64_t KeyOf(std::string_view call_id) const;
  ToolEvent EventOf(std::uint64_t key, ToolStatus status) const;
  void SetInput(ToolEvent& event, std::string_view label, std::string_view inner);
  std::string_view CommandOf(const CodexItem& item);

  LogSink& sink_;
  CodexThread& thread_;
  const DialectOptions& options_;
  json::TextArena& arena_;
  CodexOutputReader outputs_;
  std::string input_;
  std::string command_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CODEX_TOOLS_H_
