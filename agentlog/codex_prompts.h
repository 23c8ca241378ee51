// CodexPrompts: what a person, or the parent of a sub-agent, said in a Codex log.

#ifndef SONDE_AGENTLOG_CODEX_PROMPTS_H_
#define SONDE_AGENTLOG_CODEX_PROMPTS_H_

#include <string_view>

#include "agentlog/codex_thread.h"

namespace sonde::agentlog {

// Hands out the prompts in the records of `thread`. Each returns whether the record at hand was
// one. Not thread-safe.
class CodexPrompts {
 public:
  // All outlive it.
  CodexPrompts(LogSink& sink, const CodexThread& thread, json::TextArena& arena)
      : sink_(sink), thread_(thread), arena_(arena) {}

  // The event of a typed message.
  bool TakeMessage(const CodexPayload& payload);
  // A model input of the user's role.
  bool TakeInput(const CodexPayload& payload);
  // An item of paginated history.
  bool TakeItem(const CodexItem& item);
  void TakeInterruption();

 private:
  bool Prompt(PromptSource source, std::string_view text, bool has_image,
              PromptKind kind = PromptKind::kUser);

  LogSink& sink_;
  const CodexThread& thread_;
  json::TextArena& arena_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CODEX_PROMPTS_H_
