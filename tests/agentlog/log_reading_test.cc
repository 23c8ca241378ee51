// Damaged logs: what is whole is kept, the rest is counted with its place.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdlib>

#include "tests/support/agent_logs.h"

namespace sonde {
namespace {

using ::testing::ElementsAre;

std::string Prompt(int number) {
  return ClaudeUser(std::to_string(number), "01", "\"" + std::to_string(number) + "\"");
}

std::string Compressed(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(LogReading, GoodLinesSurviveBadNeighbours) {
  const AgentHistory history =
      AgentLogs("\xef\xbb\xbf" + Prompt(1) + Prompt(2) + "\n  \n" + Prompt(3) +
                ClaudeUser("4", "01", "\"\xff\"") + "[1]\n{\"type\":\n" + Prompt(5).substr(0, 60))
          .Read();
  EXPECT_EQ(history.totals().user_prompts, 3U);
  const Losses& losses = history.losses();
  EXPECT_EQ(losses.CountOf("line that is not UTF-8"), 1U);
  EXPECT_EQ(losses.CountOf("line that is no JSON object"), 1U);
  EXPECT_EQ(losses.CountOf("damaged line"), 1U);
  EXPECT_EQ(losses.CountOf("last line cut off"), 1U);
  EXPECT_THAT(losses.entries()[0].places, ElementsAre("a.jsonl:6"));
  EXPECT_EQ(losses.TotalIn("lines"), 4U);
}

TEST(LogReading, CarriageReturnsBelongToTheLineEnd) {
  std::string text = Prompt(1) + Prompt(2);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
    text.insert(at, "\r");
  }
  EXPECT_EQ(AgentLogs(text).Totals().user_prompts, 2U);
  EXPECT_TRUE(AgentLogs(text).Read().losses().empty());
}

TEST(LogReading, SeveralValuesOnALineAreAllTaken) {
  std::string first = Prompt(1);
  first.pop_back();
  EXPECT_EQ(AgentLogs(first + Prompt(2)).Totals().user_prompts, 2U);
  EXPECT_EQ(AgentLogs(first + "  " + Prompt(2)).Totals().user_prompts, 2U);
  const AgentHistory cut = AgentLogs(first + R"({"type":"user","message":{"ro)" + "\n").Read();
  EXPECT_EQ(cut.totals().user_prompts, 1U);
  EXPECT_EQ(cut.losses().TotalIn("lines"), 1U);
}

TEST(LogReading, HalfASurrogatePairDoesNotCostALine) {
  EXPECT_EQ(AgentLogs(ClaudeUser("1", "01", R"("cut \ud83d")")).Totals().user_prompts, 1U);
}

TEST(LogReading, ALineOfMegabytesPasses) {
  const std::string image = std::string(3'000'000, 'A');
  EXPECT_EQ(
      AgentLogs(Prompt(1) +
                ClaudeUser("2", "02", R"([{"type":"image","source":{"data":")" + image + "\"}}]") +
                Prompt(3))
          .Totals()
          .user_prompts,
      3U);
}

TEST(LogReading, ALineOverTheLimitIsSkippedAndCounted) {
  const AgentLogs logs(Prompt(1) + ClaudeUser("2", "02", "\"" + std::string(900'000, 'x') + "\"") +
                       Prompt(3));
  const AgentHistory history = logs.Read({.max_line_bytes = 1000});
  EXPECT_EQ(history.totals().user_prompts, 2U);
  EXPECT_EQ(history.losses().CountOf("line over the length limit"), 1U);
}

TEST(LogReading, CompressedLogsAreRead) {
  AgentLogs logs;
  logs.Add("a.jsonl.zst", Compressed(Prompt(1) + Prompt(2)) + Compressed(Prompt(3)));
  EXPECT_EQ(logs.Totals().user_prompts, 3U);
  const std::string whole = Compressed(Prompt(1) + Prompt(2));
  AgentLogs cut;
  cut.Add("b.jsonl.zst", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(cut.Read().losses().TotalIn("files"), 2U);
}

TEST(LogReading, ARecordWithoutATimeKeepsWhatItCountsAndIsTold) {
  for (const char* time : {R"("yesterday")", R"("9999-01-01T00:00:00Z")", "1767225600", "null"}) {
    const AgentHistory claude =
        AgentLogs(Prompt(1) + R"({"type":"assistant","sessionId":"S","uuid":"2","timestamp":)" +
                  time + R"(,"message":{"id":"m","role":"assistant","usage":{"output_tokens":7}}})" +
                  "\n")
            .Read();
    EXPECT_EQ(claude.totals().tokens.output, 7U) << time;
    ASSERT_EQ(claude.losses().entries().size(), 1U) << time;
    EXPECT_EQ(claude.losses().entries()[0].cause, "record without a time that can be read");
    EXPECT_THAT(claude.losses().entries()[0].places, ElementsAre("a.jsonl:2"));
    const AgentHistory codex =
        AgentLogs(std::string(R"({"timestamp":)") + time +
                  R"(,"type":"event_msg","payload":{"type":"user_message","message":"x"}})" + "\n")
            .Read();
    EXPECT_EQ(codex.totals().user_prompts, 1U) << time;
    EXPECT_EQ(codex.losses().CountOf("record without a time that can be read"), 1U) << time;
  }
}

TEST(LogReading, AFileOfSomethingElseIsToldAndNoError) {
  const AgentHistory history = AgentLogs("{\"a\":1}\n{\"b\":2}\n").Read();
  EXPECT_TRUE(history.sessions().empty());
  EXPECT_EQ(history.losses().CountOf("file that is no agent log"), 1U);
  const Result<AgentHistory> missing = AgentHistory::Read({"/nowhere/x.jsonl"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(AgentHistory::Read({}, {.found = {{"/nowhere/x.jsonl"}, {}}}).ok());
}

TEST(LogReading, OneFileUnderTwoNamesIsReadOnce) {
  AgentLogs logs(Prompt(1));
  const std::string link = logs.folder() + "/link.jsonl";
  ASSERT_EQ(symlink(logs.files()[0].c_str(), link.c_str()), 0);
  const AgentHistory history = AgentHistory::Read({link, logs.files()[0]}).value();
  EXPECT_EQ(history.files().size(), 1U);
}

TEST(FindAgentLogs, LooksWhereTheAgentsSayAndNewestFirst) {
  AgentLogs logs;
  logs.Add("codex/sessions/2026/01/rollout-a.jsonl", "");
  logs.Add("codex/archived_sessions/rollout-b.jsonl.zst", "");
  logs.Add("codex/sessions/notes.txt", "");
  logs.Add("claude/projects/-w/s/subagents/agent-1.jsonl", "");
  setenv("CODEX_HOME", (logs.folder() + "/codex").c_str(), 1);
  setenv("CLAUDE_CONFIG_DIR", (logs.folder() + "/claude").c_str(), 1);
  for (int i : {0, 1, 3}) {
    const timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, logs.files()[static_cast<std::size_t>(i)].c_str(), times, 0), 0);
  }
  const AgentLogPlaces places = DefaultAgentLogPlaces();
  const FoundAgentLogs found = FindAgentLogs(places);
  EXPECT_THAT(found.files, ElementsAre(logs.files()[3], logs.files()[1], logs.files()[0]));
  EXPECT_TRUE(found.losses.empty());
  unsetenv("CODEX_HOME");
  unsetenv("CLAUDE_CONFIG_DIR");
}

TEST(ParseAgentTime, TakesWhatLogsWriteAndNothingElse) {
  EXPECT_EQ(ParseAgentTime("1970-01-01T00:00:01.5Z"), 1'500'000'000);
  EXPECT_EQ(ParseAgentTime("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(ParseAgentTime("2026-01-01T00:00:00.000Z"), 1'767'225'600'000'000'000);
  for (const char* text : {"", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z",
                           "2026-01-01T00:00:00.Z", "2026-01-01T25:00:00Z", "12345"}) {
    EXPECT_EQ(ParseAgentTime(text), kNoTime) << text;
  }
}

TEST(LogReading, APartOfATokenIsNoCountAndSaid) {
  const auto answer = [](const std::string& number, const std::string& output) {
    return ClaudeAnswer(number, "0" + number, "msg_0123456789abcdef0" + number,
                        R"({"input_tokens":1,"output_tokens":)" + output + "}");
  };
  const AgentHistory odd = AgentLogs(answer("1", "5.5") + answer("2", "6.0")).Read();
  EXPECT_EQ(odd.totals().tokens.output, 6U);
  EXPECT_EQ(odd.losses().TotalIn("lines"), 1U);
}

}  // namespace
}  // namespace sonde
