// CodexOutputReader: how a tool ended, from the record of its output.

#ifndef SONDE_AGENTLOG_CODEX_OUTPUT_H_
#define SONDE_AGENTLOG_CODEX_OUTPUT_H_

#include <optional>
#include <string>
#include <string_view>

#include "agentlog/codex_record.h"
#include "agentlog/json.h"

namespace sonde::agentlog {

// Keeps its buffers from one record to the next. Not thread-safe.
class CodexOutputReader {
 public:
  // `arena` holds what is decoded, and outlives it.
  explicit CodexOutputReader(json::TextArena& arena) : arena_(arena) {}

  // Of a record of output. What does not tell is taken for success.
  ToolStatus StatusOf(const CodexPayload& payload);

 private:
  ToolStatus StatusOf(std::string_view raw);
  std::optional<ToolStatus> StatusInJson(std::string_view raw);

  json::TextArena& arena_;
  json::Parser parser_;
  std::string text_;
};

// Of a status that a record names. **Any thread.**
bool IsFailure(std::string_view status) noexcept;
bool IsRefusal(std::string_view status) noexcept;

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_CODEX_OUTPUT_H_
