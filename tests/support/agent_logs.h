// AgentLogs: logs written for one test, and what their account says.

#ifndef SONDE_TESTS_SUPPORT_AGENT_LOGS_H_
#define SONDE_TESTS_SUPPORT_AGENT_LOGS_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sonde/agent_history.h"
#include "tests/support/temporary_folder.h"

namespace sonde {

class AgentLogs {
 public:
  AgentLogs() = default;
  explicit AgentLogs(const std::string& text) { Add("a.jsonl", text); }

  AgentLogs& Add(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_ / name).parent_path());
    files_.push_back(folder_.Write(name, text));
    return *this;
  }
  const std::vector<std::string>& files() const { return files_; }
  std::string folder() const { return folder_.path(); }

  AgentHistory Read(const HistoryOptions& options = {}) const {
    Result<AgentHistory> history = AgentHistory::Read(files_, options);
    if (!history.ok()) ADD_FAILURE() << history.error().message;
    return std::move(history).value();
  }
  AgentCounts Totals(const HistoryOptions& options = {}) const { return Read(options).totals(); }

 private:
  TemporaryFolder folder_;
  std::vector<std::string> files_;
};

// One record of Claude Code, from its own fields.
inline std::string ClaudeLine(const std::string& type, const std::string& fields,
                              const std::string& session = "S1") {
  return R"({"isSidechain":false,"cwd":"/w","sessionId":")" + session + R"(","version":"2.1.39",)" +
         R"("type":")" + type + "\"," + fields + "}\n";
}

inline std::string ClaudeUser(const std::string& uuid, const std::string& second,
                              const std::string& content, const std::string& more = "",
                              const std::string& session = "S1") {
  return ClaudeLine("user",
                    R"("uuid":")" + uuid + R"(","timestamp":"2026-01-01T00:00:)" + second +
                        R"(Z","message":{"role":"user","content":)" + content + "}" + more,
                    session);
}

inline std::string ClaudeAnswer(const std::string& uuid, const std::string& second,
                                const std::string& id, const std::string& usage,
                                const std::string& content = "[]", const std::string& more = "",
                                const std::string& session = "S1") {
  return ClaudeLine("assistant",
                    R"("uuid":")" + uuid + R"(","timestamp":"2026-01-01T00:00:)" + second +
                        R"(Z","message":{"id":")" + id + R"(","role":"assistant",)" +
                        R"("model":"claude-a","content":)" + content + R"(,"usage":)" + usage +
                        "}" + more,
                    session);
}

inline std::string CodexLine(const std::string& second, const std::string& type,
                             const std::string& payload) {
  return R"({"timestamp":"2026-01-01T00:00:)" + second + R"(Z","type":")" + type +
         R"(","payload":)" + payload + "}\n";
}

inline std::string CodexMeta(const std::string& id, const std::string& more = "") {
  return CodexLine(
      "00", "session_meta",
      R"({"id":")" + id + R"(","timestamp":"2026-01-01T00:00:00Z","cwd":"/w")" + more + "}");
}

inline std::string CodexCounters(int input, int output) {
  return R"({"input_tokens":)" + std::to_string(input) + R"(,"cached_input_tokens":0,)" +
         R"("output_tokens":)" + std::to_string(output) + R"(,"reasoning_output_tokens":0,)" +
         R"("total_tokens":)" + std::to_string(input + output) + "}";
}

// A token_count event: the last call and the sum so far.
inline std::string CodexCount(const std::string& second, int input, int output, int total_input,
                              int total_output) {
  return CodexLine(second, "event_msg",
                   R"({"type":"token_count","info":{"last_token_usage":)" +
                       CodexCounters(input, output) + R"(,"total_token_usage":)" +
                       CodexCounters(total_input, total_output) + "}}");
}

}  // namespace sonde

#endif  // SONDE_TESTS_SUPPORT_AGENT_LOGS_H_
