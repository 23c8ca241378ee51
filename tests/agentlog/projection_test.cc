// AgentProjection: views, frames, rules, tags, time and money of sessions told by hand.

#include "sonde/agent_projection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sonde/frame_names.h"
#include "tests/agentlog/told_session.h"

namespace sonde {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

constexpr TokenCounts kTokens{.input = 10,
                              .cache_read = 100,
                              .cache_creation = 5,
                              .cache_creation_5m = 5,
                              .output = 40,
                              .reasoning = 15};

class Projecting {
 public:
  Projecting() {
    options.project_root = "/home/ada/proj";
    options.stack = "task";
  }
  Projecting& Rule(const char* rule) {
    EXPECT_TRUE(rules.Add(rule).ok());
    return *this;
  }
  AgentProjection Create() {
    EXPECT_TRUE(rules.Compile().ok());
    tagger.emplace(rules);
    options.tagger = &*tagger;
    Result<AgentProjection> created = AgentProjection::Create(options);
    EXPECT_TRUE(created.ok()) << created.error().message;
    return std::move(created).value();
  }
  // Stack to weight, zero weights too.
  std::map<std::string, std::int64_t> Folded(std::initializer_list<ToldSession> sessions,
                                             std::size_t type = 0) {
    projection.emplace(Create());
    for (const ToldSession& session : sessions) session.Tell(projection->visitors());
    EXPECT_TRUE(projection->Finish().ok());
    Result<Profile> profile = projection->Take(options.views.front(), Losses());
    if (!profile.ok()) return {};
    return Fold(profile.value(), type);
  }
  static std::map<std::string, std::int64_t> Fold(const Profile& profile, std::size_t type) {
    const FrameNames names(profile);
    std::map<std::string, std::int64_t> folded;
    for (std::size_t i = 0; i < profile.sample_count(); ++i) {
      std::string stack;
      for (const LocationId location : profile.stacks().Frames(profile.sample(i).stack)) {
        if (!stack.empty()) stack += ';';
        stack += names.text(names.frames(location).front().name);
      }
      folded[stack] += profile.value(i, type);
    }
    return folded;
  }

  ProjectionOptions options;
  TagRules rules;
  std::optional<RuleTagger> tagger;
  std::optional<AgentProjection> projection;
};

ToldSession OneOfEach() {
  ToldSession session("s1", "/home/ada/proj");
  session.Prompt(1000, "please review this")
      .Call(2000, "looking", kTokens)
      .Tool(3000, "Read", R"({"file_path":"/home/ada/proj/src/a/b.cc"})")
      .Tool(4000, "Bash", R"({"command":"cd tests && cargo test > out.txt"})", ToolStatus::kFailed)
      .Call(8000, "done", kTokens, true);
  return session;
}

TEST(Projection, OperationsCountEveryEventOnce) {
  Projecting projecting;
  projecting.options.views = {AgentView::kOperations};
  projecting.options.stack = "source_kind,phase,status";
  EXPECT_THAT(projecting.Folded({OneOfEach()}),
              ElementsAre(Pair("source_kind:llm;phase:llm;status:observed", 2),
                          Pair("source_kind:prompt;phase:prompt;status:observed", 1),
                          Pair("source_kind:tool;phase:read;status:ok", 1),
                          Pair("source_kind:tool;phase:test;status:fail", 1)));
}

TEST(Projection, InputsThatAreNoPromptsAreCountedApart) {
  ToldSession session("s", "/home/ada/proj");
  session.Prompt(0, "please review this")
      .Prompt(1, "look at it", PromptKind::kAgent)
      .Prompt(2, "/compact", PromptKind::kSlashCommand)
      .Prompt(3, "ls", PromptKind::kBashInput)
      .Prompt(4, "", PromptKind::kInterruption);
  Projecting projecting;
  projecting.options.views = {AgentView::kOperations};
  projecting.options.stack = "source_kind,phase";
  EXPECT_THAT(projecting.Folded({session}),
              ElementsAre(Pair("source_kind:bash_input;phase:bash_input", 1),
                          Pair("source_kind:interruption;phase:interruption", 1),
                          Pair("source_kind:prompt;phase:prompt", 2),
                          Pair("source_kind:slash_command;phase:slash_command", 1)));
  EXPECT_EQ(projecting.projection->counts().prompts, 2U);
  EXPECT_EQ(projecting.projection->tags().coverage(TagKind::kPrompt).total, 2U);
}

TEST(Projection, ARefusedCallTouchedNothingAndContactedNobody) {
  ToldSession session("s", "/home/ada/proj");
  session.Prompt(0, "x")
      .Tool(1, "Bash", R"({"command":"rm -r build; curl https://h.example/x"})",
            ToolStatus::kRejected)
      .Tool(2, "Write", R"({"file_path":"/home/ada/proj/w.txt"})", ToolStatus::kRejected);
  Projecting projecting;
  projecting.options.stack = "result";
  for (const AgentView view : {AgentView::kFiles, AgentView::kNetwork}) {
    projecting.options.views = {view};
    EXPECT_THAT(projecting.Folded({session}), ElementsAre()) << NameOf(view);
  }
  projecting.options.views = {AgentView::kTools};
  EXPECT_THAT(projecting.Folded({session}), ElementsAre(Pair("result:rejected", 2)));
}

TEST(Projection, TokenKindsAddUpToWhatTheVendorCounts) {
  Projecting projecting;
  projecting.options.stack = "model,token";
  const std::string model = "model:claude-opus-4-5;token:";
  EXPECT_THAT(projecting.Folded({OneOfEach()}),
              ElementsAre(Pair(model + "cache_creation", 10), Pair(model + "cache_read", 200),
                          Pair(model + "input", 20), Pair(model + "output", 50),
                          Pair(model + "reasoning", 30)));
  projecting.options.stack = "task";
  EXPECT_THAT(projecting.Folded({OneOfEach()}), ElementsAre(Pair("task:unmatched", 310)));
  EXPECT_THAT(projecting.Folded({OneOfEach()}, 6), ElementsAre(Pair("task:unmatched", 2)));
}

TEST(Projection, FilesAreGroupsOfPathsAToolTouched) {
  Projecting projecting;
  projecting.options.views = {AgentView::kFiles};
  projecting.options.stack = "path,access";
  EXPECT_THAT(
      projecting.Folded({OneOfEach()}),
      ElementsAre(Pair("path:src/a;access:read", 1), Pair("path:tests/out.txt;access:write", 1)));
}

TEST(Projection, HostsAreCountedWithoutUserInfoAndSecretsReachNoFrame) {
  ToldSession session("s", "/home/ada/proj");
  session.Prompt(0, "x")
      .Tool(1, "Bash", R"({"command":"TOKEN=s3cr3t curl https://u:pw@h.example:8443/x"})")
      .Tool(2, "WebFetch", R"({"url":"https://Docs.example/a?key=s3cr3t"})")
      .Tool(3, "WebSearch", R"({"query":"s3cr3t"})");
  Projecting projecting;
  projecting.options.views = {AgentView::kNetwork};
  projecting.options.stack = "cmd,process,domain,object";
  EXPECT_THAT(projecting.Folded({session}),
              ElementsAre(Pair("cmd:curl;process:curl;domain:h.example;object:h.example", 1),
                          Pair("domain:docs.example;object:docs.example", 1),
                          Pair("domain:unknown;object:unknown", 1)));
}

TEST(Projection, TimeIsNanosecondsToTheNextEvent) {
  Projecting projecting;
  projecting.options.views = {AgentView::kTime};
  projecting.options.stack = "source_kind";
  EXPECT_THAT(
      projecting.Folded({OneOfEach()}),
      ElementsAre(Pair("source_kind:llm", 1'000'000'000), Pair("source_kind:prompt", 1'000'000'000),
                  Pair("source_kind:tool", 5'000'000'000)));
}

TEST(Projection, TenEventsAHundredMillisecondsApartTakeNineTenthsOfASecond) {
  ToldSession session("s", "/p");
  for (int i = 0; i < 10; ++i) session.Prompt(i * 100, "x");
  Projecting projecting;
  projecting.options.views = {AgentView::kTime};
  EXPECT_THAT(projecting.Folded({session}), ElementsAre(Pair("task:unmatched", 900'000'000)));
}

TEST(Projection, AGapOverTheLimitIsIdleButARunningToolIsNot) {
  ToldSession session("s", "/p");
  session.Prompt(0, "x")
      .Tool(0, "Bash", R"({"command":"make"})", ToolStatus::kOk, 3'600'000)
      .Call(3'600'000, "done", kTokens, true)
      .Prompt(3'600'000 + 86'340'000, "y");
  Projecting projecting;
  projecting.options.views = {AgentView::kTime};
  projecting.options.stack = "source_kind";
  EXPECT_THAT(
      projecting.Folded({session}),
      ElementsAre(Pair("idle", 86'040'000'000'000), Pair("source_kind:llm", 300'000'000'000),
                  Pair("source_kind:prompt", 0), Pair("source_kind:tool", 3'600'000'000'000)));
}

TEST(Projection, ToolsCarryFailuresAndRunningTime) {
  ToldSession session("s", "/p");
  session.Prompt(0, "x")
      .Tool(10, "Bash", R"({"command":"make"})", ToolStatus::kFailed, 2010)
      .Tool(3000, "Bash", R"({"command":"ls"})", ToolStatus::kRejected);
  Projecting projecting;
  projecting.options.views = {AgentView::kTools};
  projecting.options.stack = "tool";
  EXPECT_THAT(projecting.Folded({session}), ElementsAre(Pair("tool:bash", 2)));
  EXPECT_THAT(projecting.Folded({session}, 2), ElementsAre(Pair("tool:bash", 2)));
  EXPECT_THAT(projecting.Folded({session}, 3), ElementsAre(Pair("tool:bash", 2'000'000'000)));
}

TEST(Projection, CostComesFromThePriceTableAndUnknownModelsStayUnpriced) {
  const PriceTable prices = PriceTable::FromToml(
                                "[[model]]\nname='known*'\ninput=1\noutput=10\n"
                                "cache_read=0.1\ncache_creation=1.25\n")
                                .value();
  ToldSession session("s", "/p");
  session.Prompt(0, "x")
      .Call(1, "a", kTokens, false, "vendor/known-2")
      .Call(2, "b", kTokens, false, "other");
  Projecting projecting;
  projecting.options.views = {AgentView::kCost};
  projecting.options.prices = &prices;
  projecting.options.stack = "model";
  // 10 x 1000 + 100 x 100 + 5 x 1250 + 40 x 10000 nanodollars.
  EXPECT_THAT(projecting.Folded({session}),
              ElementsAre(Pair("model:known-2", 426'250), Pair("model:other", 0)));
  EXPECT_THAT(projecting.projection->Warnings(), ElementsAre(HasSubstr("'other': 155 tokens")));
  EXPECT_THAT(projecting.Folded({session}, 2),
              ElementsAre(Pair("model:known-2", 0), Pair("model:other", 155)));
}

TEST(Projection, TasksComeFromPromptTagsAndGoingOnKeepsThem) {
  ToldSession session("s", "/p");
  session.Prompt(0, "review this").Prompt(1, "Continue.").Prompt(2, "fix a bug").Prompt(3, "好的");
  Projecting projecting;
  projecting.Rule("prompt:review=review").Rule("prompt:debug=bug").Rule("prompt:goon=(?i)continue");
  projecting.options.views = {AgentView::kOperations};
  projecting.options.stack = "task,prompt";
  EXPECT_THAT(
      projecting.Folded({session}),
      ElementsAre(Pair("task:debug;prompt:debug", 1), Pair("task:debug;prompt:unmatched", 1),
                  Pair("task:review;prompt:goon", 1), Pair("task:review;prompt:review", 1)));
}

TEST(Projection, ARepeatIsTheSameCallAgainWithNothingBetween) {
  const char* read = R"({"file_path":"/p/src/x"})";
  ToldSession session("s", "/p");
  session.Prompt(1, "x").Tool(2000, "Read", read).Tool(3000, "Read", read);
  Projecting projecting;
  projecting.options.views = {AgentView::kOperations};
  projecting.options.stack = "repeat";
  EXPECT_THAT(projecting.Folded({session}),
              ElementsAre(Pair("repeat:exact_repeat", 1), Pair("unknown", 2)));
  session.Call(4000, "note", {}).Tool(5000, "Read", read).Tool(5000, "Read", read);
  session.Tool(6000, "Read", R"({"file_path":"/p/src/y"})");
  EXPECT_THAT(projecting.Folded({session}),
              ElementsAre(Pair("repeat:exact_repeat", 1), Pair("unknown", 6)));
}

TEST(Projection, AnswersReachTheOperationsOfTheirTask) {
  ToldSession session("s", "/p");
  session.Prompt(0, "review").Call(1, "yes", {}).Prompt(2, "bug").Call(3, "hm", {});
  session.Prompt(4, "", PromptKind::kInterruption);
  Projecting projecting;
  projecting.Rule("prompt:review=review").Rule("prompt:debug=bug");
  projecting.options.views = {AgentView::kOperations};
  projecting.options.stack = "task,outcome";
  EXPECT_THAT(projecting.Folded({session}), ElementsAre(Pair("task:debug;outcome:unanswered", 3),
                                                        Pair("task:review;outcome:answered", 2)));
}

TEST(Projection, SkillsLastUntilTheNextPrompt) {
  ToldSession session("s", "/p");
  session.Prompt(0, "a")
      .Tool(1, "Skill", R"({"skill":"alpha"})")
      .Tool(2, "Bash", R"({"command":"ls"})")
      .Prompt(3, "b")
      .Tool(4, "Bash", R"({"command":"ls"})");
  Projecting projecting;
  projecting.options.views = {AgentView::kTools};
  projecting.options.stack = "skill";
  EXPECT_THAT(projecting.Folded({session}),
              ElementsAre(Pair("skill:alpha", 2), Pair("skill:unscoped", 1)));
}

TEST(Projection, OpMapsSetFieldsInOrderAndWhereFiltersThem) {
  Projecting projecting;
  projecting.options.views = {AgentView::kOperations};
  projecting.options.op_maps = {"task:verify=(?i)cmd=cargo|effect=test", "task:never=effect=test",
                                "layer:deep=task=verify"};
  projecting.options.where = {"task=verify"};
  projecting.options.stack = "task,layer,action";
  projecting.options.stack_rules = {"action:run_tests=(?i)cmd=cargo"};
  EXPECT_THAT(projecting.Folded({OneOfEach()}),
              ElementsAre(Pair("task:verify;layer:deep;action:run_tests", 1)));
  EXPECT_THAT(projecting.projection->Warnings(),
              ElementsAre("--op-map 'task:never=effect=test' matched nothing in this view"));
}

TEST(Projection, WhereAlsoNegatesAndReadsNotEqualsInsidePatterns) {
  Projecting projecting;
  projecting.options.views = {AgentView::kOperations};
  projecting.options.stack = "source_kind";
  projecting.options.where = {"source_kind!=llm", "skill!=a!=b"};
  EXPECT_THAT(projecting.Folded({OneOfEach()}),
              ElementsAre(Pair("source_kind:prompt", 1), Pair("source_kind:tool", 2)));
  projecting.options.where = {"source_kind=^tool$", "tool=tool=read"};
  EXPECT_THAT(projecting.Folded({OneOfEach()}), ElementsAre(Pair("source_kind:tool", 1)));
  projecting.options.where = {"tool=a!=b"};
  EXPECT_THAT(projecting.Folded({OneOfEach()}), IsEmpty());
  EXPECT_THAT(projecting.projection->Warnings(), ElementsAre(HasSubstr("'tool=a!=b'")));
}

TEST(Projection, BadRulesAreRefusedBeforeAnythingIsRead) {
  const auto refused = [](auto change) {
    Projecting projecting;
    change(projecting.options);
    const Result<AgentProjection> created = AgentProjection::Create(projecting.options);
    return created.ok() ? std::string() : created.error().message;
  };
  using Options = ProjectionOptions;
  EXPECT_THAT(refused([](Options& o) { o.stack = "task,taks"; }), HasSubstr("--stack 'taks'"));
  EXPECT_THAT(refused([](Options& o) { o.stack = " , "; }), HasSubstr("no field"));
  EXPECT_THAT(refused([](Options& o) { o.where = {"taks=x"}; }), HasSubstr("--where 'taks=x'"));
  EXPECT_THAT(refused([](Options& o) { o.where = {"task=("}; }), HasSubstr("--where 'task=('"));
  EXPECT_THAT(refused([](Options& o) { o.op_maps = {"task=x"}; }), HasSubstr("--op-map 'task=x'"));
  EXPECT_THAT(refused([](Options& o) { o.stack_rules = {"T:x=y"}; }), HasSubstr("--stack-rule"));
  EXPECT_THAT(refused([](Options& o) {
                o.stack.clear();
                o.stack_preset = "G9";
              }),
              HasSubstr("--stack-preset 'G9'"));
}

TEST(Projection, PromptTagsKeepTheirOperationsAlone) {
  ToldSession session("s", "/p");
  session.Prompt(0, "review").Call(1, "a", kTokens).Prompt(2, "bug").Call(3, "b", kTokens);
  Projecting projecting;
  projecting.Rule("prompt:review=review").Rule("session:bugs=bug");
  projecting.options.prompt_tag = "review";
  EXPECT_THAT(projecting.Folded({session}), ElementsAre(Pair("task:review", 155)));
  projecting.options.session_tag = "bugs";
  EXPECT_THAT(projecting.Folded({session}), ElementsAre(Pair("task:review", 155)));
  projecting.options.session_tag = "other";
  EXPECT_THAT(projecting.Folded({session}), IsEmpty());
}

TEST(Projection, CallsWithoutTextAreTaggedByTheToolsTheyAskFor) {
  ToldSession session("s", "/p");
  session.Prompt(0, "x")
      .Call(1, "", kTokens)
      .Tool(2, "Edit", R"({"file_path":"/p/a"})")
      .Tool(3, "Bash", R"({"command":"ls"})")
      .Call(4, "", kTokens);
  Projecting projecting;
  projecting.Rule("llm:edit=^tool: Edit, Bash$");
  projecting.options.views = {AgentView::kOperations};
  projecting.options.stack = "call";
  projecting.options.where = {"source_kind=llm"};
  EXPECT_THAT(projecting.Folded({session}),
              ElementsAre(Pair("call:llm/edit", 1), Pair("call:llm/unmatched", 1)));
  EXPECT_EQ(projecting.projection->tags().coverage(TagKind::kLlm).matched, 1U);
}

TEST(Projection, EveryPresetGivesEveryViewTheSameTotal) {
  for (const AgentView view : AllAgentViews()) {
    for (const char* preset : {"G0", "G1", "G2", "G3", "G4"}) {
      Projecting projecting;
      projecting.options.views = {view};
      projecting.options.stack.clear();
      projecting.options.stack_preset = preset;
      ToldSession session = OneOfEach();
      session.Tool(9000, "WebFetch", R"({"url":"https://h.example/"})");
      std::int64_t total = 0;
      for (const auto& [stack, weight] : projecting.Folded({session})) total += weight;
      projecting.options.stack = "project";
      std::int64_t plain = 0;
      for (const auto& [stack, weight] : projecting.Folded({session})) plain += weight;
      EXPECT_EQ(total, plain) << NameOf(view) << ' ' << preset;
      EXPECT_GT(total, 0) << NameOf(view) << ' ' << preset;
    }
  }
}

TEST(Projection, TheG2TokenShapeIsReadable) {
  Projecting projecting;
  projecting.Rule("all:review=review|looking|done");
  projecting.options.stack.clear();
  projecting.options.stack_preset = "G2";
  projecting.options.where = {"token=^input$"};
  EXPECT_THAT(projecting.Folded({OneOfEach()}),
              ElementsAre(Pair("project:proj;agent:claude;session:review;prompt:review;"
                               "call:llm/review;model:claude-opus-4-5;token:input",
                               20)));
}

TEST(Projection, LabelsAggregateUnlessEventsAreAskedFor) {
  ToldSession session("s", "/p");
  session.Prompt(0, "x").Call(1, "a", kTokens).Call(2, "a", kTokens).Call(3, "b", kTokens);
  Projecting projecting;
  projecting.options.stack = "token";
  AgentProjection projection = projecting.Create();
  session.Tell(projection.visitors());
  ASSERT_TRUE(projection.Finish().ok());
  EXPECT_EQ(projection.Take(AgentView::kTokens, {}).value().sample_count(), 10U);
  projecting.options.event_labels = true;
  AgentProjection detailed = projecting.Create();
  session.Tell(detailed.visitors());
  ASSERT_TRUE(detailed.Finish().ok());
  const Profile profile = detailed.Take(AgentView::kTokens, {}).value();
  EXPECT_EQ(profile.sample_count(), 15U);
  EXPECT_EQ(profile.time_ns(), 0);
  EXPECT_EQ(profile.duration_ns(), 3'000'000);
  EXPECT_EQ(profile.default_sample_type(), 0U);
}

TEST(Projection, SessionsAsJsonHoldNoTextUnlessPreviewsAreAskedFor) {
  std::string json;
  Projecting projecting;
  projecting.options.sessions_sink = [&](std::string_view line) {
    json = line;
    return Status();
  };
  projecting.Folded({OneOfEach()});
  EXPECT_THAT(json, HasSubstr(R"("preview":"redacted")"));
  EXPECT_THAT(json, HasSubstr(R"("short_id":"local:claude:claude:s1")"));
  for (const char* text : {"please", "looking", "ada", "out.txt >", "cargo test"}) {
    EXPECT_THAT(json, Not(HasSubstr(text)));
  }
  projecting.options.include_previews = true;
  projecting.Folded({OneOfEach()});
  EXPECT_THAT(json, HasSubstr("please review this"));
}

TEST(Projection, TagsOfSessionsPromptsAndCallsAreReported) {
  Projecting projecting;
  projecting.Rule("prompt:review=review").Rule("session:home=/home/ada/proj");
  projecting.Folded({OneOfEach()});
  const TagReport& tags = projecting.projection->tags();
  EXPECT_EQ(tags.coverage(TagKind::kPrompt).matched, 1U);
  EXPECT_EQ(tags.coverage(TagKind::kSession).matched, 1U);
  EXPECT_EQ(tags.coverage(TagKind::kLlm).Unmatched(), 2U);
  EXPECT_EQ(tags.CoveragePercent(), 50);
  ASSERT_EQ(tags.samples().size(), 2U);
  EXPECT_EQ(tags.samples().front().bytes, 7U);
  EXPECT_TRUE(tags.samples().front().preview.empty());
}

TEST(Projection, LossesShowFileNamesWithoutFolders) {
  Projecting projecting;
  AgentProjection projection = projecting.Create();
  OneOfEach().Tell(projection.visitors());
  ASSERT_TRUE(projection.Finish().ok());
  Losses losses;
  losses.Add("bad line", "lines", 3, "/home/ada/.claude/a.jsonl:7");
  const Profile profile = projection.Take(AgentView::kTokens, losses).value();
  ASSERT_EQ(profile.losses().entries().size(), 1U);
  EXPECT_EQ(profile.losses().entries().front().count, 3U);
  EXPECT_THAT(profile.losses().entries().front().places, ElementsAre("a.jsonl:7"));
}

TEST(TagReport, SharesAndEntropyFollowTheirDefinitions) {
  const auto spread = [](std::initializer_list<int> counts) {
    TagReport report;
    char tag = 'a';
    for (const int count : counts) {
      for (int i = 0; i < count; ++i) report.Add(TagKind::kPrompt, std::string(3, tag));
      ++tag;
    }
    return std::pair(report.Distributions().front(), report.Warnings());
  };
  const auto [uneven, uneven_warnings] = spread({8, 1, 1});
  EXPECT_NEAR(uneven.top1, 80, 0.05);
  EXPECT_NEAR(uneven.top3, 100, 0.05);
  EXPECT_NEAR(uneven.entropy, 0.58, 0.005);
  EXPECT_THAT(uneven_warnings, ElementsAre(HasSubstr("dominates"), HasSubstr("only 3")));
  EXPECT_NEAR(spread({5, 5}).first.entropy, 1, 1e-9);
  const auto [four, four_warnings] = spread({40, 30, 20, 10});
  EXPECT_NEAR(four.entropy, 0.92, 0.005);
  EXPECT_THAT(four_warnings, ElementsAre(HasSubstr("three prompt tags"), HasSubstr("only 4")));
  EXPECT_NEAR(spread({97, 1, 1, 1}).first.entropy, 0.12, 0.005);
  EXPECT_THAT(TagReport().Distributions(), IsEmpty());
  EXPECT_EQ(TagReport().CoveragePercent(), 0);
}

TEST(PriceTable, TheShippedTableKnowsModelsAndGuessesNone) {
  const PriceTable& shipped = PriceTable::Shipped();
  ASSERT_NE(shipped.Find("claude-opus-4-5-20251101"), nullptr);
  EXPECT_EQ(shipped.Find("claude-opus-4-5-20251101")->output, 25'000);
  EXPECT_EQ(shipped.Find("claude-opus-9"), nullptr);
  EXPECT_EQ(shipped.Find(""), nullptr);
  const PriceTable own =
      PriceTable::FromToml("[[model]]\nname='gpt-5'\ninput=2\noutput=3\ncache_read=1").value();
  EXPECT_EQ(shipped.After(own).Find("gpt-5")->output, 3'000);
  EXPECT_EQ(shipped.After(own).Find("o3")->output, 8'000);
  // A pattern of the user's goes before every shipped name, however much longer.
  const PriceTable wide = PriceTable::FromToml(
                              "[[model]]\nname='claude*'\ninput=1\noutput=2\ncache_read=1\n"
                              "[[model]]\nname='claude-opus*'\ninput=1\noutput=3\ncache_read=1")
                              .value();
  EXPECT_EQ(shipped.After(wide).Find("claude-opus-4-5-20251101")->output, 3'000);
  EXPECT_EQ(shipped.After(wide).Find("claude-sonnet-4-5")->output, 2'000);
  EXPECT_EQ(shipped.After(wide).After(own).Find("claude-sonnet-4-5")->output, 2'000);
  EXPECT_EQ(shipped.After(wide).Find("o3")->output, 8'000);
  for (const auto& [toml, line] :
       {std::pair("[[model]]\nname='x'\ninput=1\noutput=1", 1),
        std::pair("[[model]]\nname='x'\ninput=-1\noutput=1\ncache_read=1", 3),
        std::pair("[[model]]\nname='x'\ninput=0.0001\noutput=1\ncache_read=1", 3),
        std::pair("x = 1", 1), std::pair("[[model", 1)}) {
    const Result<PriceTable> bad = PriceTable::FromToml(toml);
    ASSERT_FALSE(bad.ok()) << toml;
    EXPECT_EQ(bad.error().line, static_cast<std::uint64_t>(line)) << toml;
  }
  // What is wrong is said before what is missing.
  for (const auto& [toml, part] :
       {std::pair("[[model]]\nname='x'\ninptu=1\noutput=1\ncache_read=1", "'inptu'"),
        std::pair("[[model]]\nname='x'\ninput=-5", "'input' is not a price"),
        std::pair("model = 1", "not a list of tables")}) {
    EXPECT_THAT(PriceTable::FromToml(toml).error().message, HasSubstr(part)) << toml;
  }
}

}  // namespace
}  // namespace sonde
