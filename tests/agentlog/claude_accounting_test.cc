// What the records of Claude Code add up to: one test a rule.

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/agent_logs.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr char kFirstId[] = "msg_01AAAAAAAAAAAAAAAAAAAA1";
constexpr char kSecondId[] = "msg_01AAAAAAAAAAAAAAAAAAAA2";

std::string Usage(int input, int output) {
  return R"({"input_tokens":)" + std::to_string(input) + R"(,"output_tokens":)" +
         std::to_string(output) + "}";
}

std::string Tool(const std::string& id, const std::string& name) {
  return R"([{"type":"tool_use","id":")" + id + R"(","name":")" + name + R"(","input":{}}])";
}

std::string ToolResult(const std::string& id, const std::string& content, bool is_error) {
  return R"([{"type":"tool_result","tool_use_id":")" + id + R"(","content":)" + content +
         R"(,"is_error":)" + (is_error ? "true" : "false") + "}]";
}

TEST(ClaudeAccount, AResponseIsOneCallWithTheLineOfMostOutput) {
  const AgentCounts totals = AgentLogs(ClaudeAnswer("1", "01", kFirstId, Usage(10, 1)) +
                                       ClaudeAnswer("2", "02", kFirstId, Usage(11, 40)) +
                                       ClaudeAnswer("3", "03", kFirstId, Usage(12, 7)))
                                 .Totals();
  EXPECT_EQ(totals.llm_calls, 1U);
  EXPECT_EQ(totals.tokens.input, 11U);
  EXPECT_EQ(totals.tokens.output, 40U);
}

TEST(ClaudeAccount, OfLinesWithEqualOutputTheLastCounts) {
  const AgentCounts totals = AgentLogs(ClaudeAnswer("1", "01", kFirstId, Usage(10, 5)) +
                                       ClaudeAnswer("2", "02", kFirstId, Usage(12, 5)))
                                 .Totals();
  EXPECT_EQ(totals.tokens.input, 12U);
}

TEST(ClaudeAccount, AnIdOfAnthropicIsOneCallInAllFiles) {
  AgentLogs logs;
  logs.Add("old.jsonl", ClaudeAnswer("1", "01", kFirstId, Usage(4, 1)));
  logs.Add("new.jsonl", ClaudeAnswer("8", "02", kFirstId, Usage(4, 128), "[]", "", "S2"));
  const AgentHistory history = logs.Read();
  EXPECT_EQ(history.totals().llm_calls, 1U);
  EXPECT_EQ(history.totals().tokens.output, 128U);
  // The session that made the call owns it, though a later copy knows more.
  ASSERT_EQ(history.sessions().size(), 2U);
  EXPECT_EQ(history.sessions()[0].id, "S1");
  EXPECT_EQ(history.sessions()[0].counts.tokens.output, 128U);
  EXPECT_EQ(history.sessions()[1].counts.llm_calls, 0U);
}

TEST(ClaudeAccount, AGatewaysIdHoldsWithinItsSession) {
  const std::string one = ClaudeAnswer("1", "01", "chatcmpl-1", Usage(7, 3));
  const std::string same = ClaudeAnswer("2", "02", "chatcmpl-1", Usage(7, 3));
  EXPECT_EQ(AgentLogs(one + same).Totals().llm_calls, 1U);
  const std::string other = ClaudeAnswer("3", "02", "chatcmpl-1", Usage(7, 3), "[]", "", "S2");
  EXPECT_EQ(AgentLogs(one + other).Totals().llm_calls, 2U);
  const std::string request =
      ClaudeAnswer("4", "02", "chatcmpl-1", Usage(7, 3), "[]", R"(,"requestId":"r2")");
  EXPECT_EQ(AgentLogs(one + request).Totals().llm_calls, 2U);
}

TEST(ClaudeAccount, ALineCopiedIntoAForkIsACopyWhateverItsId) {
  AgentLogs logs;
  const std::string tool = Tool("call_1", "Bash");
  logs.Add("a.jsonl", ClaudeAnswer("u1", "01", "chatcmpl-1", Usage(7, 3), tool));
  logs.Add("b.jsonl", ClaudeAnswer("u1", "01", "chatcmpl-1", Usage(7, 3), tool, "", "S2") +
                          ClaudeAnswer("u2", "02", "chatcmpl-2", Usage(1, 1), "[]", "", "S2"));
  const AgentCounts totals = logs.Totals();
  EXPECT_EQ(totals.llm_calls, 2U);
  EXPECT_EQ(totals.tool_calls_total, 1U);
}

TEST(ClaudeAccount, TheMainThreadsLineGoesBeforeASideChainsWithMoreOutput) {
  const std::string side =
      R"({"isSidechain":true,"agentId":"b","sessionId":"S1","type":"assistant","uuid":"9",)"
      R"("timestamp":"2026-01-01T00:00:03Z","message":{"id":"msg_01AAAAAAAAAAAAAAAAAAAA1",)"
      R"("model":"claude-b","content":[],"usage":{"input_tokens":9,"output_tokens":99}}})"
      "\n";
  const AgentCounts totals =
      AgentLogs(ClaudeAnswer("1", "01", kFirstId, Usage(4, 7)) + side).Totals();
  EXPECT_EQ(totals.llm_calls, 1U);
  EXPECT_EQ(totals.tokens.output, 7U);
  EXPECT_THAT(totals.models, ElementsAre(Pair("claude-a", ::testing::_)));
}

TEST(ClaudeAccount, WhatTheClientMadeUpIsNoCall) {
  const std::string made_up =
      ClaudeLine("assistant",
                 R"("uuid":"2","isApiErrorMessage":true,"message":{"id":"x","model":"<synthetic>",)"
                 R"("content":[],"usage":{"input_tokens":0,"output_tokens":0}})");
  const AgentCounts totals = AgentLogs(made_up).Totals();
  EXPECT_EQ(totals.llm_calls, 0U);
  EXPECT_EQ(totals.api_errors, 1U);
  EXPECT_TRUE(totals.models.empty());
}

TEST(ClaudeAccount, CacheCreationMayBeGivenInItsTwoPartsOnly) {
  const std::string parts =
      R"({"input_tokens":"12","output_tokens":3.0,"cache_read_input_tokens":null,)"
      R"("cache_creation":{"ephemeral_5m_input_tokens":700,"ephemeral_1h_input_tokens":50}})";
  const AgentCounts totals = AgentLogs(ClaudeAnswer("1", "01", kFirstId, parts)).Totals();
  EXPECT_EQ(totals.tokens.input, 12U);
  EXPECT_EQ(totals.tokens.cache_creation, 750U);
  EXPECT_EQ(totals.tokens.cache_creation_5m, 700U);
  EXPECT_EQ(totals.tokens.cache_creation_1h, 50U);
  const std::string both =
      R"({"output_tokens":3,"cache_creation_input_tokens":750,)"
      R"("cache_creation":{"ephemeral_5m_input_tokens":700,"ephemeral_1h_input_tokens":50}})";
  EXPECT_EQ(AgentLogs(ClaudeAnswer("1", "01", kFirstId, both)).Totals().tokens.cache_creation,
            750U);
}

TEST(ClaudeAccount, ACountThatIsNoneIsZeroAndTold) {
  const AgentHistory history =
      AgentLogs(ClaudeAnswer("1", "01", kFirstId, R"({"input_tokens":-5,"output_tokens":"x"})"))
          .Read();
  EXPECT_EQ(history.totals().tokens.Total(), 0U);
  EXPECT_EQ(history.losses().CountOf("token count that is no count"), 1U);
}

TEST(ClaudeAccount, WhatNoCallCanHaveUsedIsNoCount) {
  for (const char* number : {"1000000000001", "9223372036854775808", "18446744073709551615",
                             "18446744073709551616", "1e13", "1e400", "\"1e13\""}) {
    const std::string usage = std::string(R"({"input_tokens":7,"output_tokens":)") + number + "}";
    const AgentHistory history = AgentLogs(ClaudeAnswer("1", "01", kFirstId, usage)).Read();
    EXPECT_EQ(history.totals().tokens.Total(), 7U) << number;
    EXPECT_EQ(history.losses().CountOf("token count that is no count"), 1U) << number;
  }
}

TEST(ClaudeAccount, NumbersBeyond32BitsStayWhole) {
  const std::string huge = R"({"input_tokens":8580000000,"output_tokens":5000000000})";
  const AgentCounts totals = AgentLogs(ClaudeAnswer("1", "01", kFirstId, huge)).Totals();
  EXPECT_EQ(totals.tokens.input, 8'580'000'000U);
  EXPECT_EQ(totals.tokens.output, 5'000'000'000U);
}

TEST(ClaudeAccount, AdvisorsAreCallsOfTheirOwnModel) {
  const std::string usage =
      R"({"input_tokens":2,"output_tokens":491,"iterations":[{"type":"message","output_tokens":45},)"
      R"({"type":"advisor_message","model":"claude-b","input_tokens":1000,"output_tokens":50},)"
      R"({"type":"message","output_tokens":446}]})";
  const AgentCounts totals =
      AgentLogs(ClaudeAnswer("1", "01", kFirstId, usage) + ClaudeAnswer("2", "02", kFirstId, usage))
          .Totals();
  EXPECT_EQ(totals.llm_calls, 2U);
  EXPECT_EQ(totals.models.at("claude-a").Total(), 493U);
  EXPECT_EQ(totals.models.at("claude-b").Total(), 1050U);
}

TEST(ClaudeAccount, OneToolUseIsOneCallHoweverOftenItIsWritten) {
  const AgentCounts totals =
      AgentLogs(ClaudeAnswer("1", "01", kFirstId, Usage(1, 1), Tool("t1", "Bash")) +
                ClaudeAnswer("2", "02", kFirstId, Usage(1, 1), Tool("t1", "Bash")))
          .Totals();
  EXPECT_THAT(totals.tool_calls, ElementsAre(Pair("Bash", 1U)));
  EXPECT_EQ(totals.pending_tool_calls, 1U);
}

TEST(ClaudeAccount, ARefusalIsAFailureButAShellsPermissionDeniedIsNoRefusal) {
  const std::string asks =
      ClaudeAnswer("1", "01", kFirstId, Usage(1, 1), Tool("t1", "Edit")) +
      ClaudeAnswer("2", "02", kSecondId, Usage(1, 1), Tool("t2", "Bash")) +
      ClaudeAnswer("3", "03", "msg_01AAAAAAAAAAAAAAAAAAAA3", Usage(1, 1), Tool("t3", "Bash"));
  const AgentCounts totals =
      AgentLogs(
          asks +
          ClaudeUser("4", "04",
                     ToolResult("t1", R"("The user doesn't want to proceed with this")", true)) +
          ClaudeUser("5", "05", ToolResult("t2", R"("Permission denied (publickey).")", true)) +
          ClaudeUser("6", "06",
                     ToolResult("t3", R"("Permission to use Bash has been denied.")", true)))
          .Totals();
  EXPECT_EQ(totals.failed_tool_calls, 3U);
  EXPECT_EQ(totals.rejected_tool_calls, 2U);
  EXPECT_EQ(totals.pending_tool_calls, 0U);
  EXPECT_EQ(totals.user_prompts, 0U);
}

TEST(ClaudeAccount, TextBesideAToolResultIsAPrompt) {
  const AgentCounts totals =
      AgentLogs(
          ClaudeAnswer("1", "01", kFirstId, Usage(1, 1), Tool("t1", "Bash")) +
          ClaudeUser("2", "02",
                     R"([{"type":"tool_result","tool_use_id":"t1","content":"x","is_error":true},)"
                     R"({"type":"text","text":"try again"}])"))
          .Totals();
  EXPECT_EQ(totals.user_prompts, 1U);
  EXPECT_EQ(totals.failed_tool_calls, 1U);
}

TEST(ClaudeAccount, WhatTheClientPutInFrontDoesNotHideAPrompt) {
  const AgentCounts totals =
      AgentLogs(
          ClaudeUser(
              "1", "01",
              R"("<ide_opened_file>x</ide_opened_file>\n<system-reminder>y</system-reminder> go")") +
          ClaudeUser("2", "02", R"("<system-reminder>never closed")") +
          ClaudeUser("3", "03", R"("plain")", R"(,"origin":{"kind":"task-notification"})") +
          ClaudeUser("4", "04", R"("plain")", R"(,"origin":{"kind":"human"})") +
          ClaudeUser("5", "05", R"("plain")", R"(,"promptSource":"system")"))
          .Totals();
  EXPECT_EQ(totals.user_prompts, 2U);
}

TEST(ClaudeAccount, AUuidSeenBeforeIsNoSecondPrompt) {
  AgentLogs logs;
  logs.Add("a.jsonl", ClaudeUser("1", "01", R"("hi")") + ClaudeUser("1", "01", R"("hi")"));
  logs.Add("b.jsonl",
           ClaudeUser("1", "01", R"("hi")", "", "S2") + ClaudeUser("2", "02", R"("hi")", "", "S2"));
  const AgentHistory history = logs.Read();
  EXPECT_EQ(history.totals().user_prompts, 2U);
  EXPECT_EQ(history.sessions().size(), 2U);
}

TEST(ClaudeAccount, APromptDeliveredIntoARunningTurnCountsOnce) {
  const auto queue = [](const std::string& second, const std::string& operation,
                        const std::string& more) {
    return ClaudeLine("queue-operation", R"("operation":")" + operation +
                                             R"(","timestamp":"2026-01-01T00:00:)" + second +
                                             "Z\"" + more);
  };
  const std::string delivered = ClaudeLine(
      "attachment",
      R"("uuid":"7","timestamp":"2026-01-01T00:00:02Z","attachment":{"type":"queued_command",)"
      R"("commandMode":"prompt","prompt":[{"type":"text","text":"also this"}]})");
  const AgentCounts totals =
      AgentLogs(queue("01", "enqueue", R"(,"content":"also this")") + delivered +
                queue("03", "remove", "") + queue("04", "enqueue", R"(,"content":"lost")") +
                queue("05", "remove", "") +
                queue("06", "enqueue", R"(,"content":"<task-notification>x</task-notification>")") +
                queue("07", "remove", "") + queue("08", "enqueue", R"(,"content":"typed")") +
                queue("09", "dequeue", "") + ClaudeUser("8", "09", R"("typed")"))
          .Totals();
  EXPECT_EQ(totals.user_prompts, 2U);
  EXPECT_EQ(totals.queued_not_recorded, 1U);
}

TEST(ClaudeAccount, InlineSideChainsAreSubAgentsByTheRecordThatBeganThem) {
  const auto side = [](const std::string& uuid, const std::string& parent,
                       const std::string& rest) {
    return R"({"isSidechain":true,"sessionId":"S1","uuid":")" + uuid + R"(","parentUuid":)" +
           parent + R"(,"timestamp":"2026-01-01T00:00:02Z",)" + rest + "}\n";
  };
  const auto answer = [](const std::string& id) {
    return R"("type":"assistant","message":{"id":")" + id +
           R"(","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}})";
  };
  const std::string ask = R"("type":"user","message":{"role":"user","content":"look"})";
  const AgentHistory history =
      AgentLogs(ClaudeUser("1", "01", R"("hi")") + side("a1", "null", ask) +
                side("b1", "null", ask) + side("a2", "\"a1\"", answer(kFirstId)) +
                side("b2", "\"b1\"", answer(kSecondId)))
          .Read();
  ASSERT_EQ(history.sessions().size(), 3U);
  EXPECT_FALSE(history.sessions()[0].is_subagent);
  EXPECT_EQ(history.sessions()[1].parent, 0U);
  EXPECT_EQ(history.sessions()[1].counts.llm_calls, 1U);
  EXPECT_EQ(history.sessions()[2].counts.llm_calls, 1U);
  EXPECT_EQ(history.totals().user_prompts, 1U);
  EXPECT_EQ(history.totals().agent_prompts, 2U);
}

TEST(ClaudeAccount, ProgressAloneIsALowerBoundAndNoSecondAccount) {
  const std::string progress =
      ClaudeLine("progress",
                 R"("uuid":"2","timestamp":"2026-01-01T00:00:05Z","data":{"type":"agent_progress",)"
                 R"("agentId":"b","prompt":"look","message":{"type":"assistant","uuid":"z",)"
                 R"("message":{"id":"msg_01AAAAAAAAAAAAAAAAAAAA1","model":"m","content":[],)"
                 R"("usage":{"input_tokens":3,"output_tokens":1}}}})");
  const AgentHistory alone = AgentLogs(progress + progress).Read();
  EXPECT_EQ(alone.totals().llm_calls, 1U);
  EXPECT_EQ(alone.totals().agent_prompts, 1U);
  ASSERT_EQ(alone.sessions().size(), 2U);
  EXPECT_TRUE(alone.sessions()[1].is_subagent);

  AgentLogs both(progress);
  both.Add("S1/subagents/agent-b.jsonl",
           R"({"isSidechain":true,"sessionId":"S1","agentId":"b","type":"user","uuid":"y",)"
           R"("message":{"role":"user","content":"look"}})"
           "\n");
  EXPECT_EQ(both.Totals().agent_prompts, 1U);
}

TEST(ClaudeAccount, AStreamMarksTheMessagesOfSubAgents) {
  const auto answer = [](const std::string& id, const std::string& parent) {
    return R"({"type":"assistant","session_id":"S1","parent_tool_use_id":)" + parent +
           R"(,"message":{"id":")" + id +
           R"(","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}})" + "\n";
  };
  const AgentHistory history =
      AgentLogs(answer(kFirstId, "null") + answer(kSecondId, R"("toolu_1")")).Read();
  ASSERT_EQ(history.sessions().size(), 2U);
  EXPECT_EQ(history.sessions()[0].counts.llm_calls, 1U);
  EXPECT_TRUE(history.sessions()[1].is_subagent);
}

TEST(ClaudeAccount, ACompactionIsItsBoundaryOrElseItsSummary) {
  const std::string boundary =
      ClaudeLine("system", R"("uuid":"1","subtype":"compact_boundary","content":"x")");
  const std::string summary =
      ClaudeUser("2", "02", R"("what happened")", R"(,"isCompactSummary":true)");
  EXPECT_EQ(AgentLogs(boundary + summary).Totals().compactions, 1U);
  EXPECT_EQ(AgentLogs(summary).Totals().compactions, 1U);
}

TEST(ClaudeAccount, AFileWithoutConversationIsNoSession) {
  const AgentHistory history =
      AgentLogs(R"({"type":"summary","summary":"s","leafUuid":"q"})"
                "\n"
                R"({"type":"file-history-snapshot","messageId":"m","snapshot":{}})"
                "\n")
          .Read();
  EXPECT_TRUE(history.sessions().empty());
}

TEST(ClaudeAccount, TimeInTheFileIsNotOrderInTime) {
  const AgentHistory history =
      AgentLogs(ClaudeUser("1", "09", R"("b")") + ClaudeUser("2", "03", R"("a")")).Read();
  EXPECT_EQ(history.sessions()[0].start_ns, ParseAgentTime("2026-01-01T00:00:03Z"));
  EXPECT_EQ(history.sessions()[0].end_ns, ParseAgentTime("2026-01-01T00:00:09Z"));
}

TEST(ClaudeAccounting, HistoryCopiedIntoAResumedSessionDoesNotStretchIt) {
  const auto history_of = [](const std::string& session) {
    return ClaudeUser("1", "01", R"("first")", "", session) +
           ClaudeAnswer("2", "02", "msg_0123456789abcdefgh", R"({"output_tokens":5})", "[]", "",
                        session);
  };
  AgentLogs logs;
  logs.Add("a.jsonl", history_of("S1"));
  logs.Add("b.jsonl",
           history_of("S2") + ClaudeUser("3", "31", R"("second")", "", "S2") +
               ClaudeAnswer("4", "32", "msg_1123456789abcdefgh", R"({"output_tokens":7})", "[]", "",
                            "S2") +
               ClaudeLine("system", R"("uuid":"5","timestamp":"2026-01-01T00:00:35Z")", "S2"));
  logs.Add("c.jsonl", history_of("S3"));
  const AgentHistory history = logs.Read();
  ASSERT_EQ(history.sessions().size(), 3U);
  const auto session = [&](const std::string& id) {
    return *std::find_if(history.sessions().begin(), history.sessions().end(),
                         [&](const AgentSession& one) { return one.id == id; });
  };
  const auto second = [](const char* text) {
    return ParseAgentTime(std::string("2026-01-01T00:00:") + text + "Z");
  };
  EXPECT_EQ(session("S1").start_ns, second("01"));
  EXPECT_EQ(session("S1").end_ns, second("02"));
  EXPECT_EQ(session("S2").start_ns, second("31"));
  EXPECT_EQ(session("S2").end_ns, second("35"));
  EXPECT_EQ(session("S2").counts.tokens.output, 7U);
  // A copy without anything of its own has no time of its own.
  EXPECT_EQ(session("S3").start_ns, kNoTime);
  EXPECT_EQ(session("S3").counts.llm_calls, 0U);
}

}  // namespace
}  // namespace sonde
