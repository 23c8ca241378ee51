// TagRules: which rule tags a text, and which rules are refused or warned about.

#include "sonde/tag_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentlog/tag_presets.h"

namespace sonde {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TagRules RulesOf(std::initializer_list<const char*> texts) {
  TagRules rules;
  for (const char* text : texts) {
    const Status added = rules.Add(text);
    EXPECT_TRUE(added.ok()) << added.error().message;
  }
  EXPECT_TRUE(rules.Compile().ok());
  return rules;
}

std::string_view Tag(const TagRules& rules, TagKind kind, std::string_view text) {
  return rules.tag(rules.Match(kind, text));
}

TEST(TagRules, TheFirstRuleThatMatchesTheKindDecides) {
  const TagRules rules =
      RulesOf({"prompt:review=(?i)review|diff", "all:test=test", "llm:plan=plan"});
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, "test the DIFF"), "review");
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, "a plan to test"), "test");
  EXPECT_EQ(Tag(rules, TagKind::kLlm, "review"), "unmatched");
  EXPECT_EQ(Tag(rules, TagKind::kSession, "test"), "test");
  EXPECT_THAT(rules.Unused(), ElementsAre("llm:plan=plan"));
}

TEST(TagRules, TheWholeTextIsSearchedAndPatternsMayHoldEqualsSigns) {
  const TagRules rules = RulesOf({"prompt:assign=x=y", "prompt:ending=end$"});
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, std::string(100'000, ' ') + "x=y"), "assign");
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, std::string(500, 'a') + "\nthe end"), "ending");
}

TEST(TagRules, ChineseAndInvalidBytesAreSearchedToo) {
  const TagRules rules =
      RulesOf({"prompt:review=(?i)review|审核", "prompt:confirm=(?i)^嗯$|^好$|^ok$"});
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, "请审核一下"), "review");
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, "好"), "confirm");
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, "\xff\xfe review"), "review");
}

TEST(TagRules, WhatIsNoRuleIsRefusedWithItsText) {
  for (const char* text :
       {"", "prompt:review", "review=x", "user:review=x", "prompt:re-view=x", "prompt:ab=x",
        "prompt:abcdefghijklm=x", "prompt:Review=x", "prompt:unmatched=x",
        "prompt:review=", "prompt:review=(", "all:review=(?=x)"}) {
    TagRules rules;
    const Status added = rules.Add(text);
    ASSERT_FALSE(added.ok()) << text;
    EXPECT_EQ(added.error().code, ErrorCode::kUsage);
    EXPECT_THAT(added.error().message, HasSubstr(std::string("'") + text + "'"));
  }
}

TEST(TagRules, VaguePlaceholderAndCatchAllRulesAreWarnedAbout) {
  const TagRules rules = RulesOf({"prompt:misc=x", "llm:response=y", "prompt:review=.",
                                  "prompt:debug=(?s).*", "prompt:fine=fix"});
  EXPECT_THAT(rules.Warnings(), ElementsAre(HasSubstr("vague"), HasSubstr("placeholder"),
                                            HasSubstr("catch-all"), HasSubstr("catch-all")));
}

TEST(TagRules, TomlGivesRulesInTheOrderOfTheFile) {
  TagRules rules;
  const Status added = rules.AddToml(
      "[[rule]]\nkind = 'prompt'\ntag = 'first'\npattern = 'x'\n"
      "[[rule]]\nkind = 'all'\ntag = 'second'\npattern = 'x|y'\n");
  ASSERT_TRUE(added.ok()) << added.error().message;
  ASSERT_TRUE(rules.AddToml("rules = ['prompt:third=z']").ok());
  ASSERT_TRUE(rules.Compile().ok());
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, "x"), "first");
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, "y"), "second");
  EXPECT_EQ(Tag(rules, TagKind::kPrompt, "z"), "third");
}

TEST(TagRules, BadTomlIsRefusedWithItsLine) {
  const std::pair<const char*, std::uint64_t> kCases[] = {
      {"a = [", 1},
      {"\nother = 1", 2},
      {"rules = [\n'prompt:ok=x']\n", 2},
      {"rules = [\n3]\n", 2},
      {"[[rule]]\nkind = 'prompt'\ntag = 'review'\n", 1},
      {"[[rule]]\nkind = 'prompt'\ntag = 'review'\npattern='x'\nextra = 1", 5}};
  for (const auto& [toml, line] : kCases) {
    TagRules rules;
    const Status added = rules.AddToml(toml);
    ASSERT_FALSE(added.ok()) << toml;
    EXPECT_EQ(added.error().code, ErrorCode::kMalformed);
    EXPECT_EQ(added.error().line, line) << toml;
  }
}

TEST(TagPresets, WholeWordsMatchAndPartsOfWordsDoNot) {
  TagRules rules;
  rules.AddPreset();
  ASSERT_TRUE(rules.Compile().ok());
  const auto tag = [&](std::string_view text) { return Tag(rules, TagKind::kPrompt, text); };
  EXPECT_EQ(tag("please debug this error"), "debug");
  EXPECT_EQ(tag("run cargo test"), "test");
  EXPECT_EQ(tag("修复bug吧"), "debug");
  EXPECT_EQ(tag("看看这个test吧"), "test");
  EXPECT_EQ(tag("请写文档"), "docs");
  EXPECT_EQ(tag("the latest prefix"), "unmatched");
  EXPECT_EQ(tag("contest"), "unmatched");
  EXPECT_EQ(tag("débug"), "unmatched");
  EXPECT_EQ(Tag(rules, TagKind::kLlm, "tool: Bash"), "shell");
  EXPECT_EQ(Tag(rules, TagKind::kLlm, "tools: Edit, Bash"), "edit");
  EXPECT_EQ(tag("tool: Edit"), "edit");
  EXPECT_THAT(rules.Unused(), IsEmpty());
}

TEST(TagPresets, EveryTagIsATag) {
  for (const agentlog::PresetRule& rule : agentlog::PresetRules())
    EXPECT_TRUE(IsTag(rule.tag)) << rule.tag;
}

}  // namespace
}  // namespace sonde
