// Pitfalls of agent logs: small inputs that are easily counted wrong, from logs to views.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sonde/agent_history.h"
#include "sonde/agent_projection.h"
#include "sonde/frame_names.h"

namespace sonde {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

std::string Message(int number) { return "msg_01AAAAAAAAAAAAAAAAAA" + std::to_string(10 + number); }

class Pitfalls : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("sonde-pitfall-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    files_.push_back(path.string());
    return path.string();
  }

  // One line of Claude Code; `rest` are further fields, with a comma before each.
  std::string Claude(const char* type, const std::string& message, const std::string& rest = "",
                     const std::string& session = "S1") {
    ++line_;
    std::string second = std::to_string(100 + line_).substr(1);
    return R"({"type":")" + std::string(type) + R"(","sessionId":")" + session +
           R"(","cwd":"/w","version":"2.1.39","uuid":"u)" + session + std::to_string(line_) +
           R"(","timestamp":"2026-01-01T00:00:)" + second + R"(.000Z")" + rest + R"(,"message":)" +
           message + "}\n";
  }
  std::string Answer(const std::string& id, const std::string& usage,
                     const std::string& content = R"([{"type":"text","text":"x"}])",
                     const std::string& rest = "", const std::string& session = "S1",
                     const std::string& model = "model-a") {
    return Claude("assistant",
                  R"({"id":")" + id + R"(","type":"message","role":"assistant","model":")" + model +
                      R"(","content":)" + content + R"(,"usage":)" + usage + "}",
                  rest, session);
  }
  std::string User(const std::string& content, const std::string& rest = "",
                   const std::string& session = "S1") {
    return Claude("user", R"({"role":"user","content":)" + content + "}", rest, session);
  }

  // One line of Codex.
  std::string Codex(const char* type, const std::string& payload, const std::string& time = "") {
    ++line_;
    const std::string stamp =
        time.empty() ? "2026-01-01T00:00:" + std::to_string(100 + line_).substr(1) + ".000Z" : time;
    return R"({"timestamp":")" + stamp + R"(","type":")" + type + R"(","payload":)" + payload +
           "}\n";
  }
  std::string Meta(const std::string& id, const std::string& rest = "") {
    return Codex("session_meta",
                 R"({"id":")" + id + R"(","cwd":"/w","cli_version":"0.104.0")" + rest + "}");
  }
  static std::string Usage(int input, int cached, int output, int reasoning) {
    return R"({"input_tokens":)" + std::to_string(input) + R"(,"cached_input_tokens":)" +
           std::to_string(cached) + R"(,"output_tokens":)" + std::to_string(output) +
           R"(,"reasoning_output_tokens":)" + std::to_string(reasoning) + R"(,"total_tokens":)" +
           std::to_string(input + output) + "}";
  }
  std::string Count(int total, int last) {
    return Codex("event_msg", R"({"type":"token_count","info":{"total_token_usage":)" +
                                  Usage(total, 0, 0, 0) + R"(,"last_token_usage":)" +
                                  Usage(last, 0, 0, 0) + "}}");
  }
  std::string Item(const std::string& payload) { return Codex("response_item", payload); }
  std::string Event(const std::string& payload) { return Codex("event_msg", payload); }

  AgentHistory Read(const HistoryOptions& options = {}) {
    Result<AgentHistory> history = AgentHistory::Read(files_, options);
    EXPECT_TRUE(history.ok()) << history.error().message;
    return std::move(history).value();
  }
  AgentCounts Counts() { return Read().totals(); }

  std::map<std::string, std::int64_t> View(AgentView view, const std::string& stack,
                                           const std::string& root = "/w") {
    TagRules rules;
    if (!rule_.empty()) {
      EXPECT_TRUE(rules.Add(rule_).ok());
    }
    EXPECT_TRUE(rules.Compile().ok());
    RuleTagger tagger(rules);
    ProjectionOptions options;
    options.views = {view};
    options.stack = stack;
    options.project_root = root;
    options.tagger = &tagger;
    AgentProjection projection = AgentProjection::Create(options).value();
    const AgentHistory history = Read();
    EXPECT_TRUE(ProjectHistory(history, projection).ok());
    Result<Profile> profile = projection.Take(view, history.losses());
    std::map<std::string, std::int64_t> folded;
    if (!profile.ok()) return folded;
    const FrameNames names(profile.value());
    for (std::size_t i = 0; i < profile.value().sample_count(); ++i) {
      std::string text;
      for (const LocationId location :
           profile.value().stacks().Frames(profile.value().sample(i).stack)) {
        if (!text.empty()) text += ';';
        text += names.text(names.frames(location).front().name);
      }
      folded[text] += profile.value().value(i, 0);
    }
    return folded;
  }

  std::filesystem::path folder_;
  std::vector<std::string> files_;
  std::string rule_;
  int line_ = 0;
};

TEST_F(Pitfalls, P1OneLineABlockWithGrowingOutput) {
  const std::string usage =
      R"({"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":5,"output_tokens":)";
  File("a.jsonl", Answer(Message(1), usage + "1}") + Answer(Message(1), usage + "1}") +
                      Answer(Message(1), usage + "40}"));
  const AgentCounts counts = Counts();
  EXPECT_EQ(counts.llm_calls, 1U);
  EXPECT_EQ(counts.tokens.output, 40U);
  EXPECT_EQ(counts.tokens.Total(), 155U);
  EXPECT_THAT(View(AgentView::kTokens, "token"),
              ElementsAre(Pair("token:cache_creation", 5), Pair("token:cache_read", 100),
                          Pair("token:input", 10), Pair("token:output", 40)));
}

TEST_F(Pitfalls, P2AGatewayWithoutRequestIds) {
  const std::string usage = R"({"input_tokens":7,"output_tokens":3})";
  File("a.jsonl", Answer("chatcmpl-1", usage) + Answer("chatcmpl-1", usage));
  EXPECT_EQ(Counts().tokens.Total(), 10U);
}

TEST_F(Pitfalls, P3AMessageCopiedIntoAResumedSession) {
  File("a.jsonl", Answer(Message(1), R"({"input_tokens":10,"output_tokens":5})"));
  File("b.jsonl",
       Answer(Message(1), R"({"input_tokens":10,"output_tokens":5})", "[]", "", "S2") +
           Answer(Message(2), R"({"input_tokens":20,"output_tokens":5})", "[]", "", "S2"));
  EXPECT_EQ(Counts().tokens.Total(), 40U);
}

TEST_F(Pitfalls, P4ParentAndSubagentHoldTheSameMessage) {
  File("S1.jsonl", User(R"("go")") + Answer(Message(1), R"({"input_tokens":10,"output_tokens":5})",
                                            "[]", R"(,"isSidechain":true,"agentId":"b")"));
  File("S1/subagents/agent-b.jsonl",
       Answer(Message(1), R"({"input_tokens":10,"output_tokens":5})", "[]",
              R"(,"isSidechain":true,"agentId":"b")") +
           Answer(Message(2), R"({"input_tokens":20,"output_tokens":5})", "[]",
                  R"(,"isSidechain":true,"agentId":"b")"));
  const AgentHistory history = Read();
  EXPECT_EQ(history.totals().tokens.Total(), 40U);
  for (const AgentSession& session : history.sessions()) {
    EXPECT_EQ(session.counts.tokens.Total(), session.is_subagent ? 40U : 0U);
  }
}

TEST_F(Pitfalls, P5AnAnswerThatAQueuedPromptInterrupts) {
  File("a.jsonl",
       User(R"("first")") + Answer(Message(1), R"({"input_tokens":10,"output_tokens":5})") +
           User(R"("also x")") + Answer(Message(1), R"({"input_tokens":10,"output_tokens":9})"));
  const AgentCounts counts = Counts();
  EXPECT_EQ(counts.tokens.input, 10U);
  EXPECT_EQ(counts.tokens.output, 9U);
  EXPECT_EQ(counts.llm_calls, 1U);
  // Charged to the prompt it began under.
  rule_ = "prompt:initial=first";
  EXPECT_THAT(View(AgentView::kTokens, "prompt"), ElementsAre(Pair("prompt:initial", 19)));
}

TEST_F(Pitfalls, P6ASidechainsUserLineIsNoPerson) {
  File("S1.jsonl", User(R"("hi")"));
  File("S1/subagents/agent-1.jsonl",
       User(R"("Search for X")", R"(,"isSidechain":true,"agentId":"1")") +
           Answer(Message(1), R"({"input_tokens":1,"output_tokens":1})", "[]",
                  R"(,"isSidechain":true,"agentId":"1")"));
  const AgentHistory history = Read();
  EXPECT_EQ(history.totals().user_prompts, 1U);
  std::size_t people = 0;
  for (const AgentSession& session : history.sessions()) people += session.is_subagent ? 0 : 1;
  EXPECT_EQ(people, 1U);
}

TEST_F(Pitfalls, P7AnErrorRowThatTheClientMadeUp) {
  File("a.jsonl", User(R"("x")") + Answer(Message(1), R"({"input_tokens":0,"output_tokens":0})",
                                          R"([{"type":"text","text":"API Error"}])",
                                          R"(,"isApiErrorMessage":true)", "S1", "<synthetic>"));
  const AgentCounts counts = Counts();
  EXPECT_EQ(counts.tokens.Total(), 0U);
  EXPECT_EQ(counts.llm_calls, 0U);
  EXPECT_EQ(counts.api_errors, 1U);
  EXPECT_THAT(counts.models, IsEmpty());
  EXPECT_THAT(View(AgentView::kTokens, "token"), IsEmpty());
}

TEST_F(Pitfalls, P8AnAdvisorInsideACall) {
  File(
      "a.jsonl",
      Answer(
          Message(1),
          R"({"input_tokens":2,"output_tokens":491,"iterations":[{"type":"message","input_tokens":1,"output_tokens":45},{"type":"advisor_message","model":"model-b","input_tokens":1000,"output_tokens":50},{"type":"message","input_tokens":1,"output_tokens":446}]})"));
  const AgentCounts counts = Counts();
  EXPECT_EQ(counts.tokens.Total(), 1543U);
  EXPECT_EQ(counts.models.at("model-a").Total(), 493U);
  EXPECT_EQ(counts.models.at("model-b").Total(), 1050U);
  EXPECT_THAT(View(AgentView::kTokens, "model"),
              ElementsAre(Pair("model:model-a", 493), Pair("model:model-b", 1050)));
}

TEST_F(Pitfalls, P9ACacheWriteThatIsOnlyNested) {
  const std::string nested =
      R"("cache_creation":{"ephemeral_5m_input_tokens":100,"ephemeral_1h_input_tokens":50})";
  File("a.jsonl", Answer(Message(1), "{" + nested + R"(,"output_tokens":1})"));
  EXPECT_EQ(Counts().tokens.cache_creation, 150U);
  files_.clear();
  File("b.jsonl",
       Answer(Message(1),
              "{" + nested + R"(,"cache_creation_input_tokens":150,"output_tokens":1})"));
  EXPECT_EQ(Counts().tokens.cache_creation, 150U);
}

TEST_F(Pitfalls, P10TheSameToolUseOnTwoLines) {
  const std::string use =
      R"([{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}])";
  File("a.jsonl", Answer(Message(1), R"({"output_tokens":1})", use) +
                      Answer(Message(1), R"({"output_tokens":1})", use));
  EXPECT_EQ(Counts().tool_calls_total, 1U);
  EXPECT_THAT(View(AgentView::kTools, "tool"), ElementsAre(Pair("tool:bash", 1)));
}

TEST_F(Pitfalls, P11TextThatNobodyTyped) {
  File("a.jsonl", User(R"("caveat")", R"(,"isMeta":true)") +
                      User(R"("<command-name>/compact</command-name>")") +
                      User(R"("summary")", R"(,"isCompactSummary":true)") +
                      User(R"("[Request interrupted by user]")") + User(R"("fix bug")"));
  EXPECT_EQ(Counts().user_prompts, 1U);
}

TEST_F(Pitfalls, P12AResultAndTextInOneMessage) {
  File(
      "a.jsonl",
      Answer(Message(1), R"({"output_tokens":1})",
             R"([{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}])") +
          User(
              R"([{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"},{"type":"text","text":"try again"}])"));
  const AgentCounts counts = Counts();
  EXPECT_EQ(counts.failed_tool_calls, 1U);
  EXPECT_EQ(counts.user_prompts, 1U);
  EXPECT_THAT(View(AgentView::kTools, "tool,status"),
              ElementsAre(Pair("tool:bash;status:fail", 1)));
}

TEST_F(Pitfalls, P13CachedAndReasoningAreParts) {
  File("a.jsonl", Meta("c1") + Event(R"({"type":"token_count","info":{"total_token_usage":)" +
                                     Usage(1000, 800, 50, 30) + R"(,"last_token_usage":)" +
                                     Usage(1000, 800, 50, 30) + "}}"));
  EXPECT_EQ(Counts().tokens.Total(), 1050U);
  EXPECT_THAT(View(AgentView::kTokens, "token"),
              ElementsAre(Pair("token:cache_read", 800), Pair("token:input", 200),
                          Pair("token:output", 20), Pair("token:reasoning", 30)));
}

TEST_F(Pitfalls, P14ACounterThatIsWrittenAgain) {
  File("a.jsonl", Meta("c1") + Count(100, 100) + Count(100, 100) + Count(250, 150));
  EXPECT_EQ(Counts().tokens.Total(), 250U);
  EXPECT_THAT(View(AgentView::kTokens, "token"), ElementsAre(Pair("token:input", 250)));
}

TEST_F(Pitfalls, P15EqualLastsWithAGrowingTotal) {
  File("a.jsonl", Meta("c1") + Count(100, 100) + Count(200, 100));
  EXPECT_EQ(Counts().tokens.Total(), 200U);
}

TEST_F(Pitfalls, P16RequestsThatOnlyCallTools) {
  const auto call = [&](const char* id) {
    return Item(R"({"type":"function_call","name":"shell","arguments":"{}","call_id":")" +
                std::string(id) + "\"}");
  };
  File(
      "a.jsonl",
      Meta("c1") + call("1") + Count(100, 100) + call("2") + Count(220, 120) +
          Item(
              R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]})") +
          Count(370, 150));
  EXPECT_EQ(Counts().tokens.Total(), 370U);
  EXPECT_EQ(Counts().llm_calls, 3U);
  EXPECT_THAT(View(AgentView::kTokens, "token"), ElementsAre(Pair("token:input", 370)));
}

TEST_F(Pitfalls, P17NoInfo) {
  File("a.jsonl", Meta("c1") + Event(R"({"type":"token_count","info":null,"rate_limits":{}})"));
  EXPECT_EQ(Counts().tokens.Total(), 0U);
  EXPECT_EQ(Counts().llm_calls, 0U);
}

TEST_F(Pitfalls, P18ACounterThatStartsAgain) {
  File("a.jsonl", Meta("c1") + Count(1000, 1000) + Count(300, 300));
  EXPECT_EQ(Counts().tokens.Total(), 1300U);
}

TEST_F(Pitfalls, P19AForkThatReplaysItsParent) {
  const auto turn = [&](const char* id) {
    return Event(R"({"type":"task_started","turn_id":")" + std::string(id) + "\"}") +
           Codex("turn_context",
                 R"({"cwd":"/w","model":"m","turn_id":")" + std::string(id) + "\"}");
  };
  const std::string parent =
      File("p.jsonl", Meta("p1") + turn("t1") + Count(500, 500) + Count(900, 400));
  File("c.jsonl", Meta("c1", R"(,"forked_from_id":"p1")") + turn("t1") + Count(500, 500) +
                      Count(900, 400) + turn("t2") + Count(950, 50));
  const AgentHistory history = Read();
  EXPECT_EQ(history.totals().tokens.Total(), 950U);
  for (const AgentSession& session : history.sessions()) {
    EXPECT_EQ(session.counts.tokens.Total(), session.id == "c1" ? 50U : 900U);
  }
  files_ = {parent};
  EXPECT_EQ(Counts().tokens.Total(), 900U);
}

TEST_F(Pitfalls, P20TheFirstMetaLineIsTheThreads) {
  File("a.jsonl", Meta("c1") + Meta("p1") + Count(10, 10));
  const AgentHistory history = Read();
  ASSERT_EQ(history.sessions().size(), 1U);
  EXPECT_EQ(history.sessions()[0].id, "c1");
}

TEST_F(Pitfalls, P21AModelIsSwitched) {
  File("a.jsonl", Meta("c1") + Codex("turn_context", R"({"cwd":"/w","model":"a"})") +
                      Count(100, 100) + Codex("turn_context", R"({"cwd":"/w","model":"b"})") +
                      Count(150, 50));
  EXPECT_THAT(View(AgentView::kTokens, "model"),
              ElementsAre(Pair("model:a", 100), Pair("model:b", 50)));
}

TEST_F(Pitfalls, P22EveryMessageIsWrittenTwice) {
  File(
      "a.jsonl",
      Meta("c1") + Event(R"({"type":"user_message","message":"hi"})") +
          Item(
              R"({"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]})") +
          Event(R"({"type":"agent_message","message":"yes"})") +
          Item(
              R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"}]})") +
          Count(10, 10));
  EXPECT_EQ(Counts().user_prompts, 1U);
  EXPECT_EQ(Counts().llm_calls, 1U);
  EXPECT_THAT(View(AgentView::kOperations, "op"),
              ElementsAre(Pair("op:llm", 1), Pair("op:prompt", 1)));
}

TEST_F(Pitfalls, P23InstructionsAsAUser) {
  const auto user = [&](const char* text) {
    return Item(R"({"type":"message","role":"user","content":[{"type":"input_text","text":")" +
                std::string(text) + "\"}]}");
  };
  File("a.jsonl", Meta("c1") +
                      user("# AGENTS.md instructions for /w\\n\\n<INSTRUCTIONS>x</INSTRUCTIONS>") +
                      user("<user_instructions>x</user_instructions>") +
                      user("<environment_context>x</environment_context>") + user("do it"));
  EXPECT_EQ(Counts().user_prompts, 1U);
}

TEST_F(Pitfalls, P24ACommandAsAList) {
  File(
      "a.jsonl",
      Meta("c1") +
          Item(
              R"({"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"cargo test\"]}","call_id":"1"})"));
  EXPECT_THAT(View(AgentView::kTools, "process,effect"),
              ElementsAre(Pair("process:bash;process:cargo;effect:test", 1)));
}

TEST_F(Pitfalls, P25ResultsInSeveralShapes) {
  const auto call = [&](const char* id) {
    return Item(
        R"({"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":")" +
        std::string(id) + "\"}");
  };
  File(
      "a.jsonl",
      Meta("c1") + call("1") + call("2") + call("3") +
          Item(
              R"({"type":"function_call_output","call_id":"1","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"})") +
          Event(R"({"type":"exec_command_end","call_id":"2","exit_code":0})") +
          Item(
              R"({"type":"function_call_output","call_id":"3","output":[{"type":"input_text","text":"Exit code: 2\nOutput:\nno"}]})"));
  EXPECT_EQ(Counts().failed_tool_calls, 2U);
  EXPECT_THAT(View(AgentView::kTools, "status"),
              ElementsAre(Pair("status:fail", 2), Pair("status:ok", 1)));
}

TEST_F(Pitfalls, P26SearchAndLocalShellAreToolsToo) {
  File(
      "a.jsonl",
      Meta("c1") +
          Item(
              R"({"type":"web_search_call","status":"completed","action":{"type":"search","query":"x"}})") +
          Item(
              R"({"type":"local_shell_call","call_id":"s1","status":"completed","action":{"type":"exec","command":["ls","-l"]}})"));
  EXPECT_EQ(Counts().tool_calls_total, 2U);
  EXPECT_THAT(View(AgentView::kTools, "category"),
              ElementsAre(Pair("category:network", 1), Pair("category:shell", 1)));
}

TEST_F(Pitfalls, P27ArchivedCompressedAndMovedLogsAreFoundOnce) {
  const auto log = [&](const char* id) { return Meta(id) + Count(10, 10); };
  const auto compressed = [](const std::string& text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    return packed;
  };
  const std::string twin = log("t3");
  File("home/archived_sessions/rollout-1.jsonl", log("t1"));
  File("home/sessions/2026/01/01/rollout-2.jsonl.zst", compressed(log("t2")));
  File("home/sessions/2026/01/01/rollout-3.jsonl", twin);
  File("home/sessions/2026/01/01/rollout-3.jsonl.zst", compressed(twin));
  const std::string home = (folder_ / "home").string();
  ::setenv("CODEX_HOME", home.c_str(), 1);
  const AgentLogPlaces places = DefaultAgentLogPlaces();
  ::unsetenv("CODEX_HOME");
  files_ = FindAgentLogs({places.codex_roots, {}}).files;
  EXPECT_EQ(Read().sessions().size(), 3U);
  EXPECT_EQ(Counts().tokens.Total(), 30U);
}

TEST_F(Pitfalls, P28TheNewerHistoryFormatIsNotDoubled) {
  File(
      "a.jsonl",
      Meta("c1") +
          Event(
              R"({"type":"item_completed","item":{"type":"UserMessage","id":"1","content":[{"type":"text","text":"go"}]}})") +
          Item(
              R"({"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]})"));
  EXPECT_EQ(Counts().user_prompts, 1U);
}

TEST_F(Pitfalls, P29OnlyTheRecordsOwnFolderCounts) {
  const auto log = [&](const char* session, const char* cwd) {
    return R"({"type":"user","sessionId":")" + std::string(session) + R"(","cwd":")" + cwd +
           R"(","uuid":")" + session +
           R"(","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"x"}})"
           "\n";
  };
  File("-w-my-app/a.jsonl", log("a", "/w/my_app"));
  File("-w-my-app/b.jsonl", log("b", "/w/my-app"));
  File("-w-app2/c.jsonl", log("c", "/w/app2"));
  HistoryOptions options;
  options.filter.project_root = "/w/my_app";
  EXPECT_EQ(Read(options).sessions().size(), 1U);
  options.filter.project_root = "/w/app";
  EXPECT_EQ(Read(options).sessions().size(), 0U);
}

TEST_F(Pitfalls, P30WhatIsWholeInADamagedFileIsKept) {
  const std::string torn = Answer(Message(4), R"({"output_tokens":1000})");
  File("a.jsonl", "\xef\xbb\xbf" + Answer(Message(1), R"({"output_tokens":1})") +
                      Answer(Message(2), R"({"output_tokens":10})") +
                      Answer(Message(3), R"({"output_tokens":100})") + "\xff\xfe{\"type\n" +
                      torn.substr(0, torn.size() / 2));
  const AgentHistory history = Read();
  EXPECT_EQ(history.totals().tokens.output, 111U);
  EXPECT_EQ(history.losses().TotalIn("lines"), 2U);
}

TEST_F(Pitfalls, P31ANightIsNotWork) {
  File(
      "a.jsonl",
      R"({"type":"user","sessionId":"s","cwd":"/w","uuid":"1","timestamp":"2026-01-01T09:00:00Z","message":{"role":"user","content":"x"}})"
      "\n"
      R"({"type":"assistant","sessionId":"s","cwd":"/w","uuid":"2","timestamp":"2026-01-01T09:01:00Z","message":{"id":"msg_01AAAAAAAAAAAAAAAAAA11","role":"assistant","model":"m","content":[{"type":"text","text":"y"}],"usage":{"output_tokens":1}}})"
      "\n"
      R"({"type":"user","sessionId":"s","cwd":"/w","uuid":"3","timestamp":"2026-01-02T09:00:00Z","message":{"role":"user","content":"z"}})"
      "\n");
  const auto view = View(AgentView::kTime, "op");
  EXPECT_EQ(view.at("op:llm"), 300'000'000'000);
  EXPECT_EQ(view.at("idle"), 86'340'000'000'000 - 300'000'000'000);
  EXPECT_EQ(view.at("op:prompt"), 60'000'000'000);
}

TEST_F(Pitfalls, P32EventsCloserThanASecond) {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += R"({"type":"user","sessionId":"s","cwd":"/w","uuid":")" + std::to_string(i) +
            R"(","timestamp":"2026-01-01T09:00:00.)" + std::to_string(i) +
            R"(00Z","message":{"role":"user","content":"x"}})"
            "\n";
  }
  File("a.jsonl", text);
  EXPECT_THAT(View(AgentView::kTime, "op"), ElementsAre(Pair("op:prompt", 900'000'000)));
}

TEST_F(Pitfalls, P33CompoundCommands) {
  File(
      "a.jsonl",
      Answer(
          Message(1), R"({"output_tokens":1})",
          R"([{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cd /w && FOO=1 timeout 30 cargo test 2>&1 | tee out.txt"}}])"));
  EXPECT_THAT(
      View(AgentView::kFiles, "process,effect,access,path"),
      ElementsAre(Pair("process:cargo;process:tee;effect:test;access:write;path:out.txt", 1)));
}

TEST_F(Pitfalls, P34Secrets) {
  File(
      "a.jsonl",
      Answer(
          Message(1), R"({"output_tokens":1})",
          R"([{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"TOKEN=s3cr3t curl https://u:pw@h.example:8443/x"}}])"));
  EXPECT_THAT(View(AgentView::kNetwork, "process,domain,object"),
              ElementsAre(Pair("process:curl;domain:h.example;object:h.example", 1)));
}

TEST_F(Pitfalls, P35FoldersThatAreCalledLikePrivateOnes) {
  const auto read = [&](int number, const char* path) {
    return Answer(Message(number), R"({"output_tokens":1})",
                  R"([{"type":"tool_use","id":"t)" + std::to_string(number) +
                      R"(","name":"Read","input":{"file_path":")" + path + "\"}}]");
  };
  File("a.jsonl", read(1, "src/users/a.py") + read(2, "pages/home.ts") + read(3, "lib/tmpl.c"));
  EXPECT_THAT(View(AgentView::kFiles, "path"),
              ElementsAre(Pair("path:lib/tmpl.c", 1), Pair("path:pages/home.ts", 1),
                          Pair("path:src/users", 1)));
}

TEST_F(Pitfalls, P36NumbersOfOtherTypes) {
  File(
      "a.jsonl",
      Answer(
          Message(1),
          R"({"input_tokens":12.0,"cache_read_input_tokens":"12","cache_creation_input_tokens":null,"output_tokens":-5})"));
  const AgentHistory history = Read();
  const AgentCounts& counts = history.totals();
  EXPECT_EQ(history.losses().TotalIn("lines"), 1U);
  EXPECT_EQ(counts.tokens.input, 12U);
  EXPECT_EQ(counts.tokens.cache_read, 12U);
  EXPECT_EQ(counts.tokens.cache_creation, 0U);
  EXPECT_EQ(counts.tokens.output, 0U);
}

TEST_F(Pitfalls, P37NothingToDivide) {
  File("a.jsonl",
       "{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}\n"
       "{\"type\":\"file-history-snapshot\",\"messageId\":\"m\",\"snapshot\":{}}\n");
  EXPECT_TRUE(Read().sessions().empty());
  EXPECT_THAT(View(AgentView::kTokens, "token"), IsEmpty());
}

}  // namespace
}  // namespace sonde
