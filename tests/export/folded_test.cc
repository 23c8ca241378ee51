#include "sonde/folded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>

#include "sonde/formats.h"
#include "sonde/profile_builder.h"
#include "tests/support/random_profile.h"
#include "tests/support/text_of.h"

namespace sonde {
namespace {

ReadOptions AsFolded() { return {.format = Format::kFolded}; }

Profile Read(std::string_view text) {
  Result<Profile> profile = ReadProfile(text, AsFolded());
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message);
  return std::move(profile).value();
}

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Folded, LinesAreSortedAndEqualStacksAddedUp) {
  EXPECT_EQ(FoldedOf(Read("b 1\na;c 2\na 3\na;b;c 4\na;c 5\n")), "a 3\na;b;c 4\na;c 7\nb 1\n");
}

TEST(Folded, TheOrderIsThatOfTheStacksBytes) {
  const std::string text = FoldedOf(Read("a;z 1\na b;c 1\na b 1\na 1\na!x 1\na;b 1\na<;b 1\n"));
  std::vector<std::string> stacks = LinesOf(text);
  for (std::string& line : stacks) line.resize(line.rfind(' '));
  EXPECT_TRUE(std::ranges::is_sorted(stacks)) << text;
  EXPECT_EQ(stacks.size(), 7U);
}

TEST(Folded, WhatASeparatorWouldBreakIsReplaced) {
  ProfileBuilder builder({{"samples", "count"}});
  const LocationId odd = builder.FrameNamed("a;b\nc\td");
  const LocationId same = builder.FrameNamed("a:b c d");
  const LocationId blank = builder.FrameNamed(" ");
  builder.AddSample(builder.AddStack(std::vector{odd}), kNoLabels, {1});
  builder.AddSample(builder.AddStack(std::vector{same}), kNoLabels, {2});
  builder.AddSample(builder.AddStack(std::vector{odd, blank}), kNoLabels, {4});
  builder.AddSample(kEmptyStack, kNoLabels, {8});
  EXPECT_EQ(FoldedOf(std::move(builder).Build()), "[unknown] 8\na:b c d 3\na:b c d;[unknown] 4\n");
}

TEST(Folded, WrittenTextReadsBackToTheSameTextAndTotal) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Profile profile = RandomProfile(seed);
    const std::string text = FoldedOf(profile, 0);
    const Profile back = Read(text);
    EXPECT_EQ(back.Total(0), profile.Total(0)) << "seed " << seed;
    EXPECT_EQ(FoldedOf(back), text) << "seed " << seed;
    EXPECT_TRUE(back.losses().empty());
  }
}

TEST(Folded, TheOrderOfTheLinesDoesNotMatter) {
  std::vector<std::string> lines = LinesOf(FoldedOf(RandomProfile(4), 0));
  std::mt19937 random(1);
  const std::string sorted = FoldedOf(RandomProfile(4), 0);
  for (int round = 0; round < 5; ++round) {
    std::ranges::shuffle(lines, random);
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    EXPECT_EQ(FoldedOf(Read(text)), sorted);
  }
}

TEST(Folded, ManyMoreStacksThanAreRememberedAddUpExactly) {
  std::map<std::string, std::int64_t> sums;
  std::string text;
  std::uint32_t random = 1;
  for (int i = 0; i < 30'000; ++i) {
    random = random * 1'664'525 + 1'013'904'223;
    const std::string stack = "a" + std::to_string(random % 90) + ";b" + std::to_string(i % 83);
    sums[stack] += i % 7 + 1;
    text += stack + ' ' + std::to_string(i % 7 + 1) + '\n';
  }
  std::string want;
  for (const auto& [stack, sum] : sums) want += stack + ' ' + std::to_string(sum) + '\n';
  const Profile profile = ReadProfile(text).value();
  EXPECT_EQ(FoldedOf(profile), want);
  EXPECT_EQ(profile.records(), 30'000U);
}

TEST(Folded, BlanksCarriageReturnsAndAMissingLastNewlineDoNoHarm) {
  EXPECT_EQ(FoldedOf(Read("\xef\xbb\xbf  a;b c 1  \r\n\r\n a ; b c\t2\r\na;b c 4")), "a;b c 7\n");
}

TEST(Folded, AByteOrderMarkInFrontOfANameIsLeftOutForItWouldBeTakenForTheFiles) {
  const std::string mark = "\xef\xbb\xbf";
  const std::string once =
      FoldedOf(ReadProfile("z;y 1\n" + mark + mark + " x;" + mark + "y 2\n").value());
  EXPECT_EQ(once, "x;y 2\nz;y 1\n");
  EXPECT_EQ(FoldedOf(ReadProfile(once).value()), once);
}

TEST(Folded, NamesKeepTheirBytes) {
  const std::string text =
      "std::vector<int, std::allocator<int> >::push_back(int const&);operator new;[unknown] 3\n"
      "x;\x1b[0m_[k];caf\xc3\xa9_[j] 1\n";
  EXPECT_EQ(FoldedOf(Read(text)), text);
}

TEST(Folded, BadLinesAreCountedByKindWithTheirPlaces) {
  const Profile profile = Read(
      "a;b\na;b x\na;b 1.5\n10\n\nfoo bar;baz 7 \na;b\t4\na;;b 3\n;a 1\na; 1\nc "
      "99999999999999999999\n");
  EXPECT_EQ(FoldedOf(profile), "a;b 4\nfoo bar;baz 7\n");
  const Losses& losses = profile.losses();
  EXPECT_EQ(losses.CountOf("no weight"), 2U);
  EXPECT_EQ(losses.CountOf("bad weight"), 3U);
  EXPECT_EQ(losses.CountOf("empty frame"), 3U);
  EXPECT_EQ(losses.entries()[0].places, (std::vector<std::string>{"line 1", "line 4"}));
  // Taken = written + dropped.
  EXPECT_EQ(profile.records().value_or(0) + losses.TotalIn("lines"), 10U);
}

TEST(Folded, StrictRefusesTheFirstBadLine) {
  const Result<Profile> profile =
      ReadProfile("a;b 1\na;b x\n", {.format = Format::kFolded, .strict = true});
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(profile.error().line, 2U);
}

TEST(Folded, NegativeWeightsNetFirstAndOnlyNegativeSumsAreRefused) {
  const Profile profile = Read("a -3\nb 5\na 4\nb -6\nb -1\nc -0\n");
  EXPECT_EQ(FoldedOf(profile), "a 1\n");
  ASSERT_EQ(profile.losses().entries().size(), 1U);
  EXPECT_EQ(profile.losses().entries()[0].cause, "negative weight");
  EXPECT_EQ(profile.losses().entries()[0].count, 3U);
  EXPECT_EQ(profile.losses().entries()[0].places, std::vector<std::string>{"line 4"});

  const Result<Profile> difference =
      ReadProfile("a -3\nb 5\n", {.format = Format::kFolded, .keep_negative = true});
  ASSERT_TRUE(difference.ok());
  EXPECT_EQ(difference.value().Total(0), 2);
}

TEST(Folded, AStackIsNettedHoweverItsLinesAreWritten) {
  const Profile profile = Read("a;b -3\na ; b 5\nc;d 1\n c; d -2\n");
  EXPECT_EQ(FoldedOf(profile), "a;b 2\n");
  EXPECT_EQ(profile.losses().CountOf("negative weight"), 2U);
  EXPECT_EQ(profile.records(), 2U);
}

TEST(Folded, WholeNumbersMayHaveAPointAndASign) {
  EXPECT_EQ(FoldedOf(Read("a 3.0\nb +4\nc 5.\n")), "a 3\nb 4\nc 5\n");
  EXPECT_EQ(Read("a +-3\nb ++4\nc +\nd 1\n").losses().CountOf("bad weight"), 3U);
}

TEST(Folded, ASumBeyondTheRangeStopsThereAndIsCounted) {
  const Profile profile = Read("a 9223372036854775807\na 1\n");
  EXPECT_EQ(profile.Total(0), INT64_MAX);
  EXPECT_EQ(profile.losses().CountOf("value overflow"), 1U);
}

TEST(Folded, LimitsAreHeldExactly) {
  const std::string text = "a;b;c 1\na;d 2\n";
  const auto outcome = [&](const ReadLimits& limits) {
    const Result<Profile> profile =
        ReadProfile(text, {.format = Format::kFolded, .limits = limits});
    return profile.ok() ? "ok" : profile.error().code == ErrorCode::kLimit ? "limit" : "other";
  };
  EXPECT_STREQ(outcome({.records = 2}), "ok");
  EXPECT_STREQ(outcome({.records = 1}), "limit");
  EXPECT_STREQ(outcome({.line_bytes = 7}), "ok");
  EXPECT_STREQ(outcome({.line_bytes = 6}), "limit");
  EXPECT_STREQ(outcome({.stack_depth = 3}), "ok");
  EXPECT_STREQ(outcome({.stack_depth = 2}), "limit");
  EXPECT_STREQ(outcome({.unique_frames = 4}), "ok");
  EXPECT_STREQ(outcome({.unique_frames = 3}), "limit");
  EXPECT_STREQ(outcome({.unique_stacks = 2}), "ok");
  EXPECT_STREQ(outcome({.unique_stacks = 1}), "limit");
}

TEST(Folded, OversizedLinesMayBeSkippedInstead) {
  const std::string text = std::string(100, 'x') + ";y 1\nmain;leaf 2\na;b;c;d 4\n";
  const Result<Profile> profile =
      ReadProfile(text, {.format = Format::kFolded,
                         .limits = {.line_bytes = 32, .stack_depth = 3, .skip_oversized = true}});
  ASSERT_TRUE(profile.ok());
  EXPECT_EQ(FoldedOf(profile.value()), "main;leaf 2\n");
  EXPECT_EQ(profile.value().losses().CountOf("line too long"), 1U);
  EXPECT_EQ(profile.value().losses().CountOf("stack too deep"), 1U);
}

TEST(Folded, DeepStacksSurviveTheRoundTrip) {
  std::string text = "f0";
  for (int i = 1; i < 5'000; ++i) text += ";f" + std::to_string(i);
  text += " 1\n";
  EXPECT_EQ(FoldedOf(Read(text)), text);
}

TEST(Folded, TwoWeightsOnEveryLineAreTold) {
  constexpr std::string_view kCause = "first of two weights, read as part of the name";
  EXPECT_EQ(Read("main;a 10 20\nmain;b 5 5\n").losses().CountOf(kCause), 2U);
  EXPECT_TRUE(Read("main;sleep 10 20\nmain;b 5\n").losses().empty());
  EXPECT_TRUE(Read("main;sleep 10 20\n").losses().empty());
}

}  // namespace
}  // namespace sonde
