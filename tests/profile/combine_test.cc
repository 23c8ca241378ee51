#include "sonde/combine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sonde/filter.h"
#include "tests/support/random_profile.h"
#include "tests/support/same_profile.h"

namespace sonde {
namespace {

using testing::HasSubstr;

Profile Sum(const Profile& a, const Profile& b) {
  const Profile* const both[] = {&a, &b};
  return Merge(both).value();
}

TEST(Merge, TotalsAddUpInAnyOrder) {
  const Profile a = RandomProfile(1);
  const Profile b = RandomProfile(2);
  const Profile ab = Sum(a, b);
  const Profile ba = Sum(b, a);
  for (std::size_t type = 0; type < 2; ++type) {
    EXPECT_EQ(ab.Total(type), a.Total(type) + b.Total(type));
    EXPECT_EQ(ba.Total(type), ab.Total(type));
  }
  std::vector<std::string> left = DescribeSamples(ab);
  std::vector<std::string> right = DescribeSamples(ba);
  std::ranges::sort(left);
  std::ranges::sort(right);
  EXPECT_EQ(left, right);
  EXPECT_EQ(ab.records(), a.records().value_or(0) + b.records().value_or(0));
  EXPECT_EQ(ab.losses().TotalIn("lines"),
            a.losses().TotalIn("lines") + b.losses().TotalIn("lines"));
}

TEST(Merge, OneProfileAloneStaysAsItIs) {
  const Profile a = RandomProfile(3);
  const Profile* const one[] = {&a};
  EXPECT_TRUE(SameProfile(Merge(one).value(), a));
}

TEST(Merge, WhatIsInUseIsCommonToHeapProfilesThatCallItDifferently) {
  ProfileBuilder short_form({{"objects", "count"}, {"space", "bytes"}});
  short_form.AddSample(kEmptyStack, kNoLabels, {1, 10});
  ProfileBuilder long_form({{"alloc_objects", "count"},
                            {"alloc_space", "bytes"},
                            {"inuse_objects", "count"},
                            {"inuse_space", "bytes"}});
  long_form.AddSample(kEmptyStack, kNoLabels, {500, 5000, 2, 20});
  const Profile a = std::move(short_form).Build();
  const Profile b = std::move(long_form).Build();
  for (const auto& pair : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const Profile* const both[] = {pair.first, pair.second};
    EXPECT_FALSE(Merge(both).ok());
    const Profile sum = Merge(both, TypeMismatch::kCommon).value();
    ASSERT_EQ(sum.sample_types().size(), 2U);
    EXPECT_EQ(sum.Total(0), 3);
    EXPECT_EQ(sum.Total(1), 30);
  }
}

TEST(Merge, UnlikeTypesAreRefusedOrCutToWhatIsCommon) {
  ProfileBuilder heap({{"space", "bytes"}, {"samples", "count"}});
  heap.AddSample(heap.Extend(kEmptyStack, heap.FrameNamed("f")), kNoLabels, {7, 1});
  const Profile h = std::move(heap).Build();
  const Profile c = RandomProfile(1);
  const Profile* const both[] = {&c, &h};
  const Result<Profile> refused = Merge(both);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("{samples/count, cpu/nanoseconds}"));
  EXPECT_THAT(refused.error().message, HasSubstr("{space/bytes, samples/count}"));
  const Result<Profile> common = Merge(both, TypeMismatch::kCommon);
  ASSERT_TRUE(common.ok());
  ASSERT_EQ(common.value().sample_types().size(), 1U);
  EXPECT_EQ(common.value().Total(0), c.Total(0) + 1);
}

TEST(Merge, AccountsAddUpAndOtherCommentsStandOnce) {
  const auto with = [](const char* account) {
    ProfileBuilder builder({{"samples", "count"}});
    builder.AddComment(account);
    builder.AddComment("written by a test");
    return std::move(builder).Build();
  };
  const Profile a = with("sonde samples: taken=3 written=2 dropped=1 coverage=99.5%");
  const Profile b = with("sonde samples: taken=3 written=2 dropped=1 coverage=99.5%");
  EXPECT_THAT(
      Sum(a, b).comments(),
      testing::ElementsAre("sonde samples: taken=6 written=4 dropped=2", "written by a test"));
  const Profile wall = with("sonde wall: threads=5 looks=100");
  const Profile later = with("sonde wall: threads=4 looks=90");
  EXPECT_EQ(Sum(wall, later).comments()[0], "sonde wall: threads=5 looks=190");
  const Profile* const alone[] = {&a};
  EXPECT_EQ(Merge(alone).value().comments()[0], a.comments()[0]);
}

TEST(Subtract, AProfileLessItselfIsZeroEverywhere) {
  const Profile a = RandomProfile(4);
  const Profile zero = Subtract(a, a).value();
  for (std::size_t i = 0; i < zero.sample_count(); ++i) {
    EXPECT_EQ(zero.value(i, 0), 0);
    EXPECT_EQ(zero.value(i, 1), 0);
  }
}

TEST(Subtract, WhatWasAddedComesOffAgain) {
  const Profile a = RandomProfile(5);
  const Profile b = RandomProfile(6);
  const Profile back = Subtract(Sum(a, b), b).value();
  EXPECT_EQ(back.Total(0), a.Total(0));
  EXPECT_EQ(back.Total(1), a.Total(1));
}

TEST(Filter, WhatPassesAndWhatDoesNotAddUpToTheWhole) {
  const Profile profile = RandomProfile(8);
  const NameTest is_f3 = [](std::string_view name) { return name == "f3"; };
  const Profile with = Filter(profile, {.focus = is_f3}).value();
  const Profile without = Filter(profile, {.ignore = is_f3}).value();
  EXPECT_GT(with.sample_count(), 0U);
  EXPECT_EQ(with.sample_count() + without.sample_count(), profile.sample_count());
  EXPECT_EQ(with.Total(1) + without.Total(1), profile.Total(1));
  EXPECT_TRUE(SameProfile(Filter(profile, {}).value(), profile));
}

TEST(Filter, LabelsOfOneKeyAreAlternativesAndKeysAddUp) {
  const Profile profile = RandomProfile(9);
  const auto count = [&](std::vector<LabelTest> tests) {
    return Filter(profile, {.labels = std::move(tests)}).value().sample_count();
  };
  const std::size_t zero = count({{"thread", "worker 0"}});
  const std::size_t one = count({{"thread", "worker 1"}});
  EXPECT_GT(zero, 0U);
  EXPECT_EQ(count({{"thread", "worker 0"}, {"thread", "worker 1"}}), zero + one);
  EXPECT_EQ(count({{"thread", "nobody"}}), 0U);
  EXPECT_LE(count({{"thread", "worker 0"}, {"bytes", "1"}}), zero);
}

TEST(Filter, SampleTypesAreChosenByName) {
  const Profile profile = RandomProfile(10);
  const Profile cpu = Filter(profile, {.sample_types = {"cpu"}}).value();
  ASSERT_EQ(cpu.sample_types().size(), 1U);
  EXPECT_EQ(cpu.Total(0), profile.Total(1));
  const Result<Profile> none = Filter(profile, {.sample_types = {"martians"}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message, HasSubstr("samples, cpu"));
}

TEST(Filter, RecordsAreThoseOfWhatPassesOrNotKnown) {
  ProfileBuilder builder({{"cycles", "count"}, {"faults", "count"}});
  const StackId stack = builder.Extend(kEmptyStack, builder.FrameNamed("f"));
  const Label first = builder.TextLabel("tid", "1");
  const Label second = builder.TextLabel("tid", "2");
  const LabelSetId one = builder.AddLabels({&first, 1});
  const LabelSetId two = builder.AddLabels({&second, 1});
  for (int i = 0; i < 3; ++i) builder.AddSample(stack, one, {7, 0});
  builder.AddSample(stack, two, {7, 0});
  builder.AddSample(stack, two, {0, 1});
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.records(), 5U);

  const Profile of_one = Filter(profile, {.labels = {{"tid", "1"}}}).value();
  ASSERT_EQ(of_one.sample_count(), 1U);
  EXPECT_EQ(of_one.records(), 3U);
  EXPECT_EQ(Filter(of_one, {.sample_types = {"cycles"}}).value().records(), 3U);
  // Which of the two records of the other thread was of which event is not kept.
  EXPECT_FALSE(Filter(profile, {.sample_types = {"cycles"}}).value().records().has_value());
}

TEST(Filter, ASampleTypeThatCountsRecordsTellsThem) {
  ProfileBuilder builder({{"samples", "count"}, {"cpu", "nanoseconds"}});
  for (const char* name : {"f", "g"}) {
    builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed(name)), kNoLabels, {20, 200},
                      std::nullopt);
  }
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.records(), 40U);
  const NameTest is_f = [](std::string_view name) { return name == "f"; };
  EXPECT_EQ(Filter(profile, {.focus = is_f}).value().records(), 20U);
  EXPECT_EQ(Filter(profile, {.sample_types = {"cpu"}}).value().records(), 40U);
}

TEST(Merge, RecordsAndDurationAreKnownWhereAllKnowTheirs) {
  ProfileBuilder told({{"space", "bytes"}});
  told.AddSample(kEmptyStack, kNoLabels, {1});
  told.SetDuration(5);
  ProfileBuilder silent({{"space", "bytes"}});
  silent.AddSample(kEmptyStack, kNoLabels, {1}, std::nullopt);
  const Profile a = std::move(told).Build();
  const Profile b = std::move(silent).Build();
  EXPECT_EQ(Sum(a, a).records(), 2U);
  EXPECT_EQ(Sum(a, a).duration_ns(), 10);
  EXPECT_FALSE(Sum(a, b).records().has_value());
  EXPECT_EQ(Sum(a, b).duration_ns(), 0);
}

TEST(Merge, NothingInCommonIsSaid) {
  ProfileBuilder left({{"space", "bytes"}});
  ProfileBuilder right({{"cpu", "nanoseconds"}});
  const Profile a = std::move(left).Build();
  const Profile b = std::move(right).Build();
  const Profile* const both[] = {&a, &b};
  EXPECT_THAT(Merge(both, TypeMismatch::kCommon).error().message, HasSubstr("in common"));
  EXPECT_THAT(Merge(both).error().message, HasSubstr("different sample types"));
}

}  // namespace
}  // namespace sonde
