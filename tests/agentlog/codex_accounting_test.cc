// What the records of Codex add up to: one test a rule.

#include <gmock/gmock.h>

#include "tests/support/agent_logs.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::string Event(const std::string& second, const std::string& fields) {
  return CodexLine(second, "event_msg", "{" + fields + "}");
}

std::string Item(const std::string& second, const std::string& fields) {
  return CodexLine(second, "response_item", "{" + fields + "}");
}

std::string Turn(const std::string& second, const std::string& id, const std::string& model) {
  return CodexLine(second, "turn_context",
                   R"({"turn_id":")" + id + R"(","model":")" + model + R"("})");
}

std::string UserItem(const std::string& second, const std::string& text,
                     const std::string& more = "") {
  return Item(second, R"("type":"message","role":"user","content":[{"type":"input_text","text":")" +
                          text + "\"}]" + more);
}

TEST(CodexAccount, ARepeatedTotalIsNoCallAndAnEqualLastIsOne) {
  EXPECT_EQ(AgentLogs(CodexMeta("s") + CodexCount("01", 100, 5, 100, 5) +
                      CodexCount("02", 100, 5, 100, 5) + CodexCount("03", 150, 5, 250, 10))
                .Totals()
                .tokens.input,
            250U);
  EXPECT_EQ(AgentLogs(CodexMeta("s") + CodexCount("01", 100, 5, 100, 5) +
                      CodexCount("02", 100, 5, 200, 10))
                .Totals()
                .llm_calls,
            2U);
}

TEST(CodexAccount, ATotalThatFallsBeganAgain) {
  EXPECT_EQ(AgentLogs(CodexMeta("s") + CodexCount("01", 1000, 5, 1000, 5) +
                      CodexCount("02", 300, 5, 300, 5))
                .Totals()
                .tokens.input,
            1300U);
  const auto total = [](const std::string& second, int input) {
    return Event(second, R"("type":"token_count","info":{"total_token_usage":)" +
                             CodexCounters(input, 1) + "}");
  };
  EXPECT_EQ(AgentLogs(CodexMeta("s") + total("01", 1000) + total("02", 300)).Totals().tokens.input,
            1300U);
}

TEST(CodexAccount, CachedIsAPartOfInputAndReasoningOfOutput) {
  const std::string last = R"({"input_tokens":1000,"cached_input_tokens":800,"output_tokens":50,)"
                           R"("reasoning_output_tokens":30,"total_tokens":1050})";
  const AgentCounts totals =
      AgentLogs(CodexMeta("s") + Event("01", R"("type":"token_count","info":{"last_token_usage":)" +
                                                 last + R"(,"total_token_usage":)" + last + "}"))
          .Totals();
  EXPECT_EQ(totals.tokens.input, 200U);
  EXPECT_EQ(totals.tokens.cache_read, 800U);
  EXPECT_EQ(totals.tokens.reasoning, 30U);
  EXPECT_EQ(totals.tokens.Total(), 1050U);
}

TEST(CodexAccount, NoInfoAndAnEstimateAreNoCalls) {
  EXPECT_EQ(AgentLogs(CodexMeta("s") + Event("01", R"("type":"token_count","info":null)") +
                      Event("02", R"("type":"token_count","info":{"last_token_usage":)"
                                  R"({"input_tokens":0,"output_tokens":0,"total_tokens":900}})"))
                .Totals()
                .llm_calls,
            0U);
}

TEST(CodexAccount, TheModelIsTheLastTurnsUnlessTheCountNamesOne) {
  const AgentCounts totals =
      AgentLogs(CodexMeta("s") + CodexCount("01", 1, 1, 1, 1) + Turn("02", "t1", "gpt-a") +
                CodexCount("03", 2, 1, 3, 2) +
                Event("04", R"("type":"token_count","info":{"model":"gpt-b","last_token_usage":)" +
                                CodexCounters(4, 1) + R"(,"total_token_usage":)" +
                                CodexCounters(7, 3) + "}"))
          .Totals();
  EXPECT_EQ(totals.models.at("").input, 1U);
  EXPECT_EQ(totals.models.at("gpt-a").input, 2U);
  EXPECT_EQ(totals.models.at("gpt-b").input, 4U);
}

TEST(CodexAccount, FromItsFirstRowOnTheLedgerIsTheAccount) {
  const auto row = [](const std::string& second, const std::string& thread,
                      const std::string& response, int input) {
    return CodexLine(second, "token_usage_record",
                     R"({"thread_id":")" + thread + R"(","response_id":")" + response +
                         R"(","usage":)" + CodexCounters(input, 1) + "}");
  };
  const AgentCounts totals =
      AgentLogs(CodexMeta("s") + CodexCount("01", 10, 1, 10, 1) + row("02", "s", "r1", 20) +
                CodexCount("03", 20, 1, 30, 2) + row("04", "s", "r1", 20) +
                row("05", "other", "r2", 500) + row("06", "s", "r3", 40))
          .Totals();
  EXPECT_EQ(totals.llm_calls, 3U);
  EXPECT_EQ(totals.tokens.input, 70U);
}

TEST(CodexAccount, AForkCountsWhatTheParentHasNot) {
  const std::string parent = CodexMeta("p") + Turn("01", "t1", "m") +
                             CodexCount("02", 500, 5, 500, 5) + CodexCount("03", 400, 5, 900, 10);
  const std::string copied = CodexMeta("c", R"(,"forked_from_id":"p")") + CodexMeta("p") +
                             Turn("10", "t1", "m") + CodexCount("10", 500, 5, 500, 5) +
                             CodexCount("10", 400, 5, 900, 10);
  AgentLogs by_turns;
  by_turns.Add("p.jsonl", parent);
  by_turns.Add("c.jsonl", copied + Event("20", R"("type":"user_message","message":"more")") +
                              Turn("20", "t2", "m") + CodexCount("21", 50, 1, 950, 11));
  const AgentHistory history = by_turns.Read();
  EXPECT_EQ(history.totals().tokens.input, 950U);
  EXPECT_EQ(history.totals().user_prompts, 1U);
  ASSERT_EQ(history.sessions().size(), 2U);
  EXPECT_EQ(history.sessions()[0].id, "c");
  EXPECT_EQ(history.sessions()[0].counts.tokens.input, 50U);

  AgentLogs by_counters;
  by_counters.Add("p.jsonl", CodexMeta("p") + CodexCount("02", 500, 5, 500, 5) +
                                 CodexCount("03", 400, 5, 900, 10));
  by_counters.Add("c.jsonl",
                  CodexMeta("c", R"(,"forked_from_id":"p")") + CodexCount("10", 500, 5, 500, 5) +
                      CodexCount("10", 400, 5, 900, 10) + CodexCount("21", 50, 1, 950, 11));
  EXPECT_EQ(by_counters.Totals().tokens.input, 950U);
}

TEST(CodexAccount, ASpawnedThreadWithoutItsParentDropsTheBurstOfItsFirstSecond) {
  const std::string spawned =
      CodexMeta("c", R"(,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"gone"}}})");
  EXPECT_EQ(AgentLogs(spawned + CodexCount("00.1", 500, 5, 500, 5) +
                      CodexCount("00.2", 400, 5, 900, 10) + CodexCount("09", 50, 1, 950, 11))
                .Totals()
                .tokens.input,
            50U);
  // One call within the first second proves nothing.
  EXPECT_EQ(AgentLogs(spawned + CodexCount("00.1", 500, 5, 500, 5)).Totals().tokens.input, 500U);
}

TEST(CodexAccount, TheSameInstantAndCountersInAnotherFileIsACopy) {
  AgentLogs logs;
  logs.Add("a.jsonl", CodexMeta("a") + CodexCount("05", 10, 1, 10, 1));
  logs.Add("b.jsonl",
           CodexMeta("b") + CodexCount("05", 10, 1, 10, 1) + CodexCount("06", 10, 1, 20, 2));
  EXPECT_EQ(logs.Totals().llm_calls, 2U);
}

TEST(CodexAccount, ALogThatIsAlsoArchivedCountsOnce) {
  AgentLogs logs;
  logs.Add("archived_sessions/rollout-x.jsonl",
           CodexMeta("s") + CodexCount("01", 10, 1, 10, 1) + CodexCount("07", 99, 1, 109, 2));
  logs.Add("sessions/rollout-x.jsonl", CodexMeta("s") + CodexCount("01", 10, 1, 10, 1));
  EXPECT_EQ(logs.Totals().tokens.input, 10U);
}

TEST(CodexAccount, APromptWrittenInSeveralFormsCountsOnceATurn) {
  const std::string started = R"("type":"task_started","turn_id":"x")";
  const AgentCounts totals =
      AgentLogs(
          CodexMeta("s") + Event("01", started) + UserItem("01", "hi") +
          Event("01", R"("type":"user_message","message":"hi","images":[])") +
          Event("02", R"("type":"user_message","message":"env","kind":"environment_context")") +
          Event("05", started) + UserItem("05", "go on") +
          Event("05", R"("type":"item_completed","item":{"type":"UserMessage",)"
                      R"("content":[{"type":"text","text":"go on"}]})"))
          .Totals();
  EXPECT_EQ(totals.user_prompts, 2U);
}

TEST(CodexAccount, InputsMarkedAsTheUsersArePromptsAndOthersAreNot) {
  const auto kinds = [](const std::string& kind) {
    return R"(,"internal_chat_message_metadata_passthrough":{"content_item_kinds":[")" + kind +
           "\"]}";
  };
  const AgentCounts totals =
      AgentLogs(CodexMeta("s") + UserItem("01", "rules", kinds("agents_md.instructions")) +
                UserItem("02", "<odd> but typed", kinds("user.text")))
          .Totals();
  EXPECT_EQ(totals.user_prompts, 1U);
}

TEST(CodexAccount, WithoutAnyOtherRecordInputsArePromptsButNotWhatTheClientWrote) {
  const AgentCounts totals =
      AgentLogs(CodexMeta("s") + UserItem("01", "# AGENTS.md instructions for /w") +
                UserItem("02", "<environment_context>x</environment_context>") +
                UserItem("03", "<turn_aborted>x</turn_aborted>") + UserItem("04", "do it"))
          .Totals();
  EXPECT_EQ(totals.user_prompts, 1U);
}

TEST(CodexAccount, EveryKindOfToolCallIsOne) {
  const AgentCounts totals =
      AgentLogs(
          CodexMeta("s") +
          Item("01", R"("type":"local_shell_call","call_id":"1","action":{"command":["ls"]})") +
          Item("02", R"("type":"function_call_output","call_id":"1","output":"Exit code: 0\n")") +
          Item("03", R"("type":"web_search_call","status":"completed")") +
          Item("04", R"("type":"web_search_call","status":"completed")") +
          Item("05",
               R"("type":"custom_tool_call","call_id":"2","name":"apply_patch","input":"x")") +
          Event("06", R"("type":"patch_apply_end","call_id":"2","success":false)"))
          .Totals();
  EXPECT_THAT(totals.tool_calls, ElementsAre(Pair("apply_patch", 1U), Pair("local_shell", 1U),
                                             Pair("web_search", 2U)));
  EXPECT_EQ(totals.failed_tool_calls, 1U);
  EXPECT_EQ(totals.pending_tool_calls, 0U);
  EXPECT_EQ(totals.nested_tool_calls, 0U);
}

TEST(CodexAccount, AnExitCodeInWhatTheCommandPrintedTellsNothing) {
  const auto shell = [](const std::string& id, const std::string& output) {
    return Item("01", R"("type":"function_call","name":"shell","arguments":"{}","call_id":")" + id +
                          "\"") +
           Item("02",
                R"("type":"function_call_output","call_id":")" + id + R"(","output":)" + output);
  };
  const AgentCounts totals =
      AgentLogs(CodexMeta("s") + shell("1", R"("Exit code: 0\nOutput:\nExit code: 7\nfailed")") +
                shell("2", R"("Wall time: 1\nProcess exited with code 137\nOutput:\n")") +
                shell("3", R"("exec command rejected by user")") +
                shell("4", R"("{\"metadata\":{\"exit_code\":3},\"output\":\"\"}")"))
          .Totals();
  EXPECT_EQ(totals.failed_tool_calls, 3U);
  EXPECT_EQ(totals.rejected_tool_calls, 1U);
}

TEST(CodexAccount, AStreamOfARunGivesOneSum) {
  const auto run = [](int input) {
    return std::string(R"({"type":"thread.started","thread_id":"T"})") +
           "\n{\"type\":\"turn.started\"}\n" +
           R"({"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls","status":"in_progress"}})" +
           "\n" +
           R"({"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","exit_code":2,"status":"failed"}})" +
           "\n" + R"({"type":"turn.completed","usage":)" + CodexCounters(input, 5) + "}\n";
  };
  AgentLogs logs;
  logs.Add("run1.jsonl", run(1000));
  logs.Add("run2.jsonl", run(200));
  const AgentHistory history = logs.Read();
  EXPECT_EQ(history.totals().llm_calls, 2U);
  EXPECT_EQ(history.totals().tokens.input, 1200U);
  EXPECT_EQ(history.totals().tool_calls_total, 2U);
  EXPECT_EQ(history.totals().failed_tool_calls, 2U);
  EXPECT_EQ(history.sessions().size(), 1U);
  // The log of the same thread knows more than what its runs printed.
  logs.Add("rollout.jsonl", CodexMeta("T") + CodexCount("01", 1200, 10, 1200, 10));
  EXPECT_EQ(logs.Totals().tokens.input, 1200U);
  EXPECT_EQ(logs.Totals().llm_calls, 1U);
}

TEST(CodexAccount, TheFirstMetaNamesTheThread) {
  const AgentHistory history = AgentLogs(CodexMeta("c") + CodexMeta("p")).Read();
  ASSERT_EQ(history.sessions().size(), 1U);
  EXPECT_EQ(history.sessions()[0].id, "c");
}

TEST(CodexAccount, NoUsageInTheLogIsNotKnownToBeNone) {
  const AgentHistory history =
      AgentLogs(CodexMeta("s") + Event("01", R"("type":"user_message","message":"x")")).Read();
  EXPECT_FALSE(history.sessions()[0].has_usage);
}

}  // namespace
}  // namespace sonde
