// What a visitor sees adds up to what the history counted, in whichever order files are named.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <stop_token>
#include <thread>

#include "tests/support/agent_logs.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;

// One line an event, for comparisons, and the sums.
class Heard : public SessionVisitor {
 public:
  void OnPrompt(const AgentPrompt& prompt) override {
    EXPECT_EQ(prompt.index, prompts++);
    events.push_back("prompt " + std::string(prompt.text));
    Note(prompt.time_ns, prompt.next_ns);
  }
  void OnCall(const LlmCall& call) override {
    EXPECT_EQ(call.index, calls++);
    if (call.prompt != kNoIndex) {
      EXPECT_LT(call.prompt, prompts);
    }
    tokens += call.tokens;
    models[std::string(call.model)] += call.tokens;
    events.push_back("call " + std::string(call.text));
    Note(call.time_ns, call.next_ns);
  }
  void OnTool(const ToolCall& tool) override {
    EXPECT_EQ(tool.index, tools++);
    if (tool.call != kNoIndex) {
      EXPECT_LT(tool.call, calls);
    }
    if (tool.is_nested) ++nested;
    const bool has_failed =
        tool.status == ToolStatus::kFailed || tool.status == ToolStatus::kRejected;
    if (has_failed) ++failed;
    events.push_back("tool " + std::string(tool.name) + " " + std::string(tool.input));
    Note(tool.time_ns, tool.next_ns);
  }
  void OnTitle(std::string_view text) override { title = text; }

  std::uint32_t prompts = 0;
  std::uint32_t calls = 0;
  std::uint32_t tools = 0;
  std::uint64_t nested = 0;
  std::uint64_t failed = 0;
  TokenCounts tokens;
  std::map<std::string, TokenCounts> models;
  std::vector<std::string> events;
  std::string title;
  std::int64_t first_ns = kNoTime;
  std::int64_t last_ns = kNoTime;
  std::int64_t spans_ns = 0;

 private:
  void Note(std::int64_t time_ns, std::int64_t next_ns) {
    if (time_ns == kNoTime) return;
    if (first_ns == kNoTime || time_ns < first_ns) first_ns = time_ns;
    last_ns = std::max(last_ns, time_ns);
    if (next_ns != kNoTime) spans_ns += next_ns - time_ns;
  }
};

class Hearing : public SessionVisitors {
 public:
  std::unique_ptr<SessionVisitor> Begin(std::uint32_t index, const AgentSession&,
                                        std::string_view cwd) override {
    const std::lock_guard lock(mutex_);
    cwds[index] = cwd;
    return std::make_unique<Heard>();
  }
  void End(std::uint32_t index, std::unique_ptr<SessionVisitor> visitor) override {
    EXPECT_EQ(index, heard.size());
    heard.emplace_back(static_cast<Heard*>(visitor.release()));
  }

  std::vector<std::unique_ptr<Heard>> heard;
  std::map<std::uint32_t, std::string> cwds;

 private:
  std::mutex mutex_;
};

std::unique_ptr<Hearing> Visit(const AgentHistory& history, unsigned threads) {
  auto hearing = std::make_unique<Hearing>();
  const Status status = VisitSessions(history, *hearing, threads);
  EXPECT_TRUE(status.ok()) << status.error().message;
  return hearing;
}

void ExpectSameSums(const AgentHistory& history, unsigned threads) {
  const std::unique_ptr<Hearing> visited = Visit(history, threads);
  const Hearing& hearing = *visited;
  ASSERT_EQ(hearing.heard.size(), history.sessions().size());
  for (std::size_t i = 0; i < hearing.heard.size(); ++i) {
    const AgentCounts& counts = history.sessions()[i].counts;
    const Heard& heard = *hearing.heard[i];
    EXPECT_EQ(heard.calls, counts.llm_calls);
    EXPECT_EQ(heard.tokens, counts.tokens);
    EXPECT_EQ(heard.models, counts.models);
    EXPECT_EQ(heard.tools, counts.tool_calls_total + counts.nested_tool_calls);
    EXPECT_EQ(heard.nested, counts.nested_tool_calls);
    EXPECT_EQ(heard.failed, counts.failed_tool_calls + counts.nested_failed);
    EXPECT_EQ(heard.prompts, counts.user_prompts + counts.agent_prompts + counts.slash_commands +
                                 counts.bash_inputs + counts.interruptions);
    // The spans between events do not overlap and leave nothing out.
    if (heard.first_ns != kNoTime) {
      EXPECT_EQ(heard.spans_ns, heard.last_ns - heard.first_ns);
    }
  }
}

const std::filesystem::path kCases = SONDE_SOURCE_DIR "/tests/agentlog/cases";

std::vector<std::filesystem::path> CaseFolders() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(kCases)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

nlohmann::json Expected(const std::filesystem::path& folder) {
  std::ifstream file(folder / "expected.json");
  return nlohmann::json::parse(file);
}

AgentHistory ReadCase(const std::filesystem::path& folder, const nlohmann::json& expected,
                      bool reversed) {
  std::vector<std::string> files;
  for (const std::string file : expected["files"]) files.push_back((folder / file).string());
  if (reversed) std::reverse(files.begin(), files.end());
  return AgentHistory::Read(files, {.threads = 2}).value();
}

nlohmann::json TotalsOf(const AgentHistory& history) {
  const AgentCounts& counts = history.totals();
  std::set<std::string> models;
  for (const auto& [name, tokens] : counts.models) {
    if (!name.empty()) models.insert(name);
  }
  std::uint64_t subagents = 0;
  std::int64_t first_ns = kNoTime;
  for (const AgentSession& session : history.sessions()) {
    if (session.is_subagent) ++subagents;
    if (first_ns == kNoTime || session.start_ns < first_ns) first_ns = session.start_ns;
  }
  return {{"sessions", history.sessions().size() - subagents},
          {"subagents", subagents},
          {"user_prompts", counts.user_prompts},
          {"agent_prompts", counts.agent_prompts},
          {"slash_commands", counts.slash_commands},
          {"bash_inputs", counts.bash_inputs},
          {"interruptions", counts.interruptions},
          {"llm_calls", counts.llm_calls},
          {"compactions", counts.compactions},
          {"tool_calls", counts.tool_calls},
          {"failed_tool_calls", counts.failed_tool_calls},
          {"rejected_tool_calls", counts.rejected_tool_calls},
          {"pending_tool_calls", counts.pending_tool_calls},
          {"nested_tool_calls", counts.nested_tool_calls},
          {"nested_failed", counts.nested_failed},
          {"models", models},
          {"first_ns", first_ns},
          {"tokens",
           {{"input", counts.tokens.input},
            {"cache_read", counts.tokens.cache_read},
            {"cache_creation", counts.tokens.cache_creation},
            {"output", counts.tokens.output},
            {"reasoning", counts.tokens.reasoning}}}};
}

TEST(AgentCases, EveryCaseAddsUpToWhatItSays) {
  for (const std::filesystem::path& folder : CaseFolders()) {
    const nlohmann::json expected = Expected(folder);
    const AgentHistory history = ReadCase(folder, expected, false);
    const nlohmann::json totals = TotalsOf(history);
    for (const auto& [key, wanted] : expected["expect"].items()) {
      if (key == "first_ts") {
        EXPECT_EQ(totals["first_ns"], ParseAgentTime(wanted.get<std::string>())) << folder;
      } else {
        EXPECT_EQ(totals[key], wanted) << folder << ' ' << key << ": " << expected["why"];
      }
    }
    ExpectSameSums(history, 2);
    EXPECT_EQ(TotalsOf(ReadCase(folder, expected, true)), totals) << folder;
  }
}

TEST(VisitSessions, AllCasesTogetherAddUpWithAnyNumberOfThreads) {
  AgentLogPlaces places;
  places.codex_roots = {kCases.string()};
  const AgentHistory history = AgentHistory::Read(FindAgentLogs(places).files).value();
  ASSERT_GE(history.sessions().size(), 10U);
  ExpectSameSums(history, 1);
  const std::unique_ptr<Hearing> alone = Visit(history, 1);
  const std::unique_ptr<Hearing> together = Visit(history, 4);
  for (std::size_t i = 0; i < alone->heard.size(); ++i) {
    EXPECT_EQ(alone->heard[i]->events, together->heard[i]->events);
  }
}

constexpr char kId[] = "msg_01AAAAAAAAAAAAAAAAAAAA1";

TEST(VisitSessions, ACallComesBeforeItsToolsAndBelongsToThePromptItAnswers) {
  const std::string usage = R"({"input_tokens":10,"output_tokens":5})";
  const std::string more = R"({"input_tokens":10,"output_tokens":9})";
  const AgentLogs logs(
      ClaudeUser("1", "01", R"("first")") +
      ClaudeAnswer("2", "02", kId, usage, R"([{"type":"text","text":"I look \u00e9"}])") +
      ClaudeAnswer("3", "03", kId, usage,
                   R"([{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}])") +
      ClaudeUser("4", "04", R"("also this")") + ClaudeAnswer("5", "05", kId, more));
  const AgentHistory history = logs.Read();
  const std::unique_ptr<Hearing> hearing = Visit(history, 1);
  EXPECT_THAT(hearing->heard[0]->events,
              ElementsAre("prompt first", "call I look \xc3\xa9", R"(tool Bash {"command":"ls"})",
                          "prompt also this"));
  EXPECT_EQ(hearing->heard[0]->tokens.output, 9U);
  EXPECT_EQ(hearing->cwds.at(0), "/w");
}

TEST(VisitSessions, ToolsOfCodexFollowTheCallThatAskedForThem) {
  const AgentLogs logs(
      CodexMeta("s") + CodexLine("01", "event_msg", R"({"type":"user_message","message":"go"})") +
      CodexLine(
          "02", "response_item",
          R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]})") +
      CodexLine(
          "03", "response_item",
          R"({"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"1"})") +
      CodexCount("04", 10, 1, 10, 1));
  const AgentHistory history = logs.Read();
  const std::unique_ptr<Hearing> hearing = Visit(history, 1);
  EXPECT_THAT(hearing->heard[0]->events,
              ElementsAre("prompt go", "call ok", R"(tool shell {"command":["ls"]})"));
}

TEST(VisitSessions, ALogThatLostRecordsMeanwhileIsAnError) {
  const AgentLogs logs(ClaudeUser("1", "01", R"("first")") + ClaudeUser("2", "02", R"("second")"));
  const AgentHistory history = logs.Read();
  std::ofstream(logs.files()[0]) << ClaudeUser("1", "01", R"("first")");
  Hearing hearing;
  const Status status = VisitSessions(history, hearing, 1);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalid);
}

TEST(VisitSessions, WhatCameThroughAPipeIsReadAgainAllTheSame) {
  const TemporaryFolder folder;
  const std::string path = folder / "log.pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << ClaudeUser("1", "01", R"("first")"); });
  const Result<AgentHistory> history = AgentHistory::Read({path});
  writer.join();
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_THAT(Visit(history.value(), 1)->heard[0]->events, ElementsAre("prompt first"));
}

TEST(VisitSessions, EndsWhenItIsCalledOffAndKeepsNothingHalfRead) {
  const AgentLogs logs(ClaudeUser("1", "01", R"("first")") + ClaudeUser("2", "02", R"("second")"));
  std::stop_source stop;
  HistoryOptions options{.parse_cache = logs.folder() + "/cache", .stop = stop.get_token()};
  const AgentHistory history = logs.Read({.stop = stop.get_token()});
  stop.request_stop();
  Hearing hearing;
  const Status visited = VisitSessions(history, hearing, 1);
  ASSERT_FALSE(visited.ok());
  EXPECT_EQ(visited.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(AgentHistory::Read(logs.files(), options).error().code, ErrorCode::kTimeout);
  options.stop = {};
  EXPECT_EQ(logs.Totals(options).user_prompts, 2U);
}

TEST(SessionFilter, KeepsWhatItSays) {
  AgentLogs logs;
  logs.Add("a.jsonl",
           ClaudeUser("1", "01", R"("x")") + ClaudeAnswer("2", "10", kId, R"({"input_tokens":5})"));
  logs.Add("b.jsonl",
           R"({"type":"user","sessionId":"S2","cwd":"/w2/deep","uuid":"3",)"
           R"("timestamp":"2026-01-01T00:00:30Z","message":{"role":"user","content":"y"}})"
           "\n");
  logs.Add("c.jsonl", CodexMeta("thread") + CodexCount("40", 7, 1, 7, 1));
  const auto ids = [&](const SessionFilter& filter) {
    std::vector<std::string> list;
    const AgentHistory history = logs.Read({.filter = filter});
    for (const AgentSession& session : history.sessions()) list.push_back(session.id);
    ExpectSameSums(history, 2);
    return list;
  };
  EXPECT_THAT(ids({}), ElementsAre("thread", "S1", "S2"));
  EXPECT_THAT(ids({.project_root = "/w"}), ElementsAre("thread", "S1"));
  EXPECT_THAT(ids({.project_root = "/w2/"}), ElementsAre("S2"));
  EXPECT_THAT(ids({.agent = "cl"}), ElementsAre("S1", "S2"));
  EXPECT_THAT(ids({.session_id = "hre"}), ElementsAre("thread"));
  EXPECT_THAT(ids({.model = "claude-a"}), ElementsAre("S1"));
  EXPECT_THAT(ids({.max_sessions = 1}), ElementsAre("S2"));
  EXPECT_THAT(ids({.since_ns = ParseAgentTime("2026-01-01T00:00:05Z"),
                   .until_ns = ParseAgentTime("2026-01-01T00:00:20Z")}),
              ElementsAre("S1"));
}

TEST(ParseCache, GivesTheSameAccountAndHoldsNoText) {
  AgentLogs logs;
  logs.Add("a.jsonl",
           ClaudeUser("1", "01", R"("a secret prompt")") +
               ClaudeAnswer("2", "02", kId, R"({"input_tokens":5})",
                            R"([{"type":"tool_use","id":"t","name":"Bash","input":{}}])") +
               "{broken\n");
  logs.Add("b.jsonl", CodexMeta("s") + CodexCount("03", 5, 1, 5, 1));
  const std::string cache = logs.folder() + "/cache/deep";
  const AgentHistory cold = logs.Read({.parse_cache = cache});
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(bytes.find("secret"), std::string::npos);
    EXPECT_EQ(bytes.find("/w"), std::string::npos);
    ++entries;
  }
  EXPECT_EQ(entries, 2U);
  const AgentHistory warm = logs.Read({.parse_cache = cache});
  EXPECT_EQ(TotalsOf(warm), TotalsOf(cold));
  EXPECT_EQ(warm.losses(), cold.losses());
  ExpectSameSums(warm, 1);
  // A log that grew is read anew.
  std::ofstream(logs.files()[1], std::ios::app) << CodexCount("04", 6, 1, 11, 2);
  EXPECT_EQ(logs.Totals({.parse_cache = cache}).tokens.input, 16U);
  // So is one that was edited in place, its size and the time of its last change put back.
  const std::filesystem::file_time_type written = std::filesystem::last_write_time(logs.files()[1]);
  std::string text = CodexMeta("s") + CodexCount("03", 5, 1, 5, 1) + CodexCount("04", 7, 1, 12, 2);
  std::ofstream(logs.files()[1], std::ios::in) << text;
  std::filesystem::last_write_time(logs.files()[1], written);
  EXPECT_EQ(logs.Totals({.parse_cache = cache}).tokens.input, 17U);
  // An entry that was tampered with is no entry.
  for (const auto& entry : std::filesystem::directory_iterator(cache)) {
    std::filesystem::resize_file(entry.path(), 60);
  }
  EXPECT_EQ(logs.Totals({.parse_cache = cache}).tokens.input, 17U);
}

}  // namespace
}  // namespace sonde
