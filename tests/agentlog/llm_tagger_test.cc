// LlmTagger: one question a text, answers kept at once, failures that lose nothing.

#include "sonde/llm_tagger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sonde/word_suggester.h"
#include "tests/agentlog/chat_server.h"

namespace sonde {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class LlmTaggerTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("sonde-llm-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<LlmTagger> Create(const ChatServer& server, bool with_cache = false) {
    LlmTaggerOptions options;
    options.url = server.url() + "/";
    options.timeout = timeout_;
    options.max_requests = max_requests_;
    if (with_cache) options.cache = CacheFile();
    Result<std::unique_ptr<LlmTagger>> tagger = LlmTagger::Create(std::move(options));
    EXPECT_TRUE(tagger.ok()) << tagger.error().message;
    return std::move(tagger).value();
  }
  std::string CacheFile() const { return (folder_ / "sub" / "tags.jsonl").string(); }
  std::string CacheText() const {
    std::ifstream file(CacheFile());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string Tag(Tagger& tagger, const char* text) {
    return std::string(tagger.Answer(tagger.Ask(TagKind::kPrompt, text, "claude")));
  }

  std::filesystem::path folder_;
  std::uint64_t max_requests_ = UINT64_MAX;
  std::chrono::milliseconds timeout_{2000};
};

TEST_F(LlmTaggerTest, TheAnswerIsAWordHoweverItIsDressed) {
  ChatServer server([](const std::string& body) {
    if (body.find("text one") != std::string::npos) return ChatServer::Says(" **Debug.** ");
    if (body.find("text two") != std::string::npos) {
      return ChatServer::Ok(R"({"choices":[{"text":"review"}]})");
    }
    return ChatServer::Ok(R"({"content":"docs"})");
  });
  const auto tagger = Create(server);
  EXPECT_EQ(Tag(*tagger, "text one"), "debug");
  EXPECT_EQ(Tag(*tagger, "text two"), "review");
  EXPECT_EQ(Tag(*tagger, "text three"), "docs");
  EXPECT_EQ(Tag(*tagger, ""), "unmatched");
  EXPECT_EQ(server.requests(), 3);
  EXPECT_THAT(tagger->Warnings(), IsEmpty());
}

TEST_F(LlmTaggerTest, AWrongAnswerIsAskedForOnceMore) {
  ChatServer server([](const std::string& body) {
    const bool is_second = body.find("two words") != std::string::npos;
    if (body.find("hopeless") != std::string::npos) return ChatServer::Says("A1");
    return ChatServer::Says(is_second ? "naming" : "two words");
  });
  const auto tagger = Create(server);
  EXPECT_EQ(Tag(*tagger, "x"), "naming");
  EXPECT_EQ(Tag(*tagger, "hopeless"), "unmatched");
  EXPECT_EQ(server.requests(), 4);
  EXPECT_THAT(tagger->Warnings(), ElementsAre(HasSubstr("1 answers")));
}

TEST_F(LlmTaggerTest, EqualTextsShareAnAnswerAndTheCacheServesTheNextRun) {
  ChatServer server([](const std::string&) { return ChatServer::Says("debug"); });
  {
    const auto tagger = Create(server, true);
    EXPECT_EQ(Tag(*tagger, "secret words"), "debug");
    EXPECT_THAT(CacheText(), HasSubstr(R"("tag":"debug")"));
    EXPECT_THAT(CacheText(), Not(HasSubstr("secret")));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(Tag(*tagger, "secret words"), "debug");
    EXPECT_EQ(server.requests(), 1);
  }
  std::ofstream(CacheFile(), std::ios::app) << "{torn";
  {
    const auto tagger = Create(server, true);
    EXPECT_EQ(Tag(*tagger, "secret words"), "debug");
    EXPECT_EQ(Tag(*tagger, "other"), "debug");
    EXPECT_EQ(server.requests(), 2);
    EXPECT_THAT(tagger->Warnings(), ElementsAre(HasSubstr("1 damaged lines")));
  }
  const auto tagger = Create(server, true);
  EXPECT_EQ(Tag(*tagger, "other"), "debug");
  EXPECT_EQ(server.requests(), 2);
}

TEST_F(LlmTaggerTest, AFailingServerLosesNoAnswerThatWasGiven) {
  ChatServer server([](const std::string& body) {
    if (body.find("bad") != std::string::npos) {
      return std::string("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
    }
    if (body.find("hang up") != std::string::npos) return std::string();
    return ChatServer::Says("debug");
  });
  const auto tagger = Create(server, true);
  EXPECT_EQ(Tag(*tagger, "good one"), "debug");
  EXPECT_EQ(Tag(*tagger, "bad"), "unmatched");
  EXPECT_EQ(Tag(*tagger, "hang up"), "unmatched");
  EXPECT_EQ(Tag(*tagger, "good two"), "debug");
  EXPECT_THAT(tagger->Warnings(), ElementsAre(HasSubstr("2 requests to the tag server failed")));
  EXPECT_THAT(CacheText(), Not(HasSubstr("unmatched")));
}

TEST_F(LlmTaggerTest, WhateverAServerDoesAnswersBeforeAndBehindItAreKept) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n";
  const std::string huge(10 << 20, 'x');
  const std::vector<std::pair<std::string, ChatServer::Reply>> bad = {
      {"hangs in the head", std::string("HTTP/1.1 200")},
      {"hangs in the body", head + "{"},
      {"closes in the head", ChatServer::Reply("HTTP/1.1 200 OK\r\nCont", true)},
      {"closes in the body", ChatServer::Reply(head + R"({"choices":[{"mess)", true)},
      {"speaks another protocol", std::string("+PONG\r\n\r\n\r\n")},
      {"says too much", ChatServer::Says(huge)},
      {"has an endless head", "HTTP/1.1 200 OK\r\nX: " + huge},
      {"sends no JSON", ChatServer::Ok("<html>")},
      {"sends other JSON", ChatServer::Ok(R"({"choices":{"0":[1]},"content":[null]})")},
      {"sends deep JSON", ChatServer::Ok(std::string(100'000, '['))},
      {"sends no UTF-8", ChatServer::Ok("{\"content\":\"\xff\xfe\"}")},
      {"redirects", std::string("HTTP/1.1 302 F\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")},
  };
  timeout_ = std::chrono::milliseconds(150);
  ChatServer server([&](const std::string& body) {
    for (const auto& [name, reply] : bad) {
      if (body.find(name) != std::string::npos) return reply;
    }
    return ChatServer::Reply(ChatServer::Says("debug"));
  });
  {
    const auto tagger = Create(server, true);
    for (std::size_t i = 0; i < bad.size(); ++i) {
      EXPECT_EQ(Tag(*tagger, ("good " + std::to_string(i)).c_str()), "debug");
      EXPECT_EQ(Tag(*tagger, bad[i].first.c_str()), "unmatched") << bad[i].first;
    }
    EXPECT_THAT(tagger->Warnings(), ElementsAre(HasSubstr("8 requests"), HasSubstr("4 answers")));
  }
  // What was answered is there without a server, however the run went.
  const int asked = server.requests();
  const auto again = Create(server, true);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(Tag(*again, ("good " + std::to_string(i)).c_str()), "debug");
  }
  EXPECT_EQ(server.requests(), asked);
  EXPECT_THAT(again->Warnings(), IsEmpty());
}

TEST_F(LlmTaggerTest, AnswersInPiecesAreAnswers) {
  ChatServer server([](const std::string& body) {
    if (body.find("until the end") != std::string::npos) {
      return ChatServer::Reply("HTTP/1.0 200 OK\r\n\r\n{\"content\":\"debug\"}", true);
    }
    return ChatServer::Reply(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "b\r\n{\"content\":\r\n9;x=y\r\n\"review\"}\r\n0\r\n\r\n");
  });
  const auto tagger = Create(server);
  EXPECT_EQ(Tag(*tagger, "in chunks"), "review");
  EXPECT_EQ(Tag(*tagger, "until the end"), "debug");
  EXPECT_EQ(Tag(*tagger, "in chunks again"), "review");
  EXPECT_THAT(tagger->Warnings(), IsEmpty());
}

TEST_F(LlmTaggerTest, AServerThatIsNotThereIsGivenUp) {
  LlmTaggerOptions options;
  {
    const ChatServer gone([](const std::string&) { return std::string(); });
    options.url = gone.url();
  }
  options.connections = 1;
  const auto tagger = LlmTagger::Create(options).value();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Tag(*tagger, std::to_string(i).c_str()), "unmatched");
  EXPECT_THAT(tagger->Warnings(), ElementsAre(HasSubstr("8 requests"), HasSubstr("12 tags")));
}

TEST_F(LlmTaggerTest, TheBudgetBoundsTheRequests) {
  ChatServer server([](const std::string&) { return ChatServer::Says("debug"); });
  max_requests_ = 2;
  const auto tagger = Create(server);
  int tagged = 0;
  for (int i = 0; i < 5; ++i) tagged += Tag(*tagger, std::to_string(i).c_str()) == "debug" ? 1 : 0;
  EXPECT_EQ(tagged, 2);
  EXPECT_EQ(server.requests(), 2);
  EXPECT_THAT(tagger->Warnings(), ElementsAre(HasSubstr("3 tags were not asked for")));
}

TEST_F(LlmTaggerTest, TasksAreChosenFromTheClosedSet) {
  std::string seen;
  std::mutex mutex;
  ChatServer server([&](const std::string& body) {
    const std::lock_guard lock(mutex);
    seen = body;
    return ChatServer::Says(body.find("review: read") != std::string::npos ? "review" : "naming");
  });
  const auto tagger = Create(server);
  const auto chooser = tagger->ChooserOf({{"debug", "fix bugs"}, {"review", "read code"}});
  EXPECT_EQ(Tag(*chooser, "x"), "review");
  EXPECT_THAT(seen, HasSubstr(R"(root ::= \"debug\" | \"review\")"));
  EXPECT_EQ(Tag(*tagger, "x"), "naming");
}

TEST_F(LlmTaggerTest, OnlyPlainHttpOnLoopbackIsASever) {
  for (const char* url :
       {"https://127.0.0.1:1", "http://example.com", "http://10.0.0.1:80", "http://u:p@127.0.0.1",
        "127.0.0.1:80", "http://", "http://localhost:x"}) {
    LlmTaggerOptions options;
    options.url = url;
    const auto created = LlmTagger::Create(options);
    ASSERT_FALSE(created.ok()) << url;
    EXPECT_EQ(created.error().code, ErrorCode::kUsage);
  }
  for (const char* url : {"http://localhost:1/base/", "http://[::1]:8080", "http://127.8.9.1"}) {
    LlmTaggerOptions options;
    options.url = url;
    EXPECT_TRUE(LlmTagger::Create(options).ok()) << url;
  }
}

TEST(TaskChoice, IsATagAndADescription) {
  const TaskChoice choice = ParseTaskChoice(" debug = fix a=b ").value();
  EXPECT_EQ(choice.tag, "debug");
  EXPECT_EQ(choice.description, "fix a=b");
  for (const char* text : {"debug", "debug=", "de-bug=x", "=x", ""}) {
    EXPECT_FALSE(ParseTaskChoice(text).ok()) << text;
  }
}

TEST(WordSuggester, WordsThatCoverMostOfTheRestComeFirst) {
  WordSuggester words;
  for (const char* text : {"deploy the site", "deploy it now", "Deploy again!", "rename the class",
                           "rename deploy", "请修复错误", "修复它", "only here"}) {
    words.Add(text);
  }
  const std::vector<WordSuggestion> found = words.Suggest(10, 2);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].word, "deploy");
  EXPECT_EQ(found[0].prompts, 4U);
  EXPECT_EQ(found[0].rule, "prompt:deploy=(?i)\\bdeploy\\b");
  EXPECT_EQ(found[1].word, "修复");
  EXPECT_EQ(found[1].rule, "prompt:TAG=修复");
  EXPECT_EQ(found[2].word, "rename");
  EXPECT_EQ(found[2].prompts, 2U);
  EXPECT_EQ(found[2].new_prompts, 1U);
}

TEST(WordSuggester, NamesInPathsAndSecretsAreNoWords) {
  WordSuggester words;
  for (int i = 0; i < 3; ++i) {
    words.Add(
        "see /home/adalovelace/x and mail bob@corp.example with password=hunter or id1234567");
    words.Add("My password is now: swordfish, then deploy");
  }
  std::string all;
  for (const WordSuggestion& word : words.Suggest(50, 1)) all += word.word + ' ';
  for (const char* hidden : {"adalovelace", "bob", "corp", "hunter", "id1234567", "swordfish"}) {
    EXPECT_THAT(all, Not(HasSubstr(hidden)));
  }
  EXPECT_THAT(all, HasSubstr("deploy"));
}

}  // namespace
}  // namespace sonde
