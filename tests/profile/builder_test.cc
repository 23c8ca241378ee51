#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "sonde/profile_builder.h"

namespace sonde {
namespace {

TEST(ProfileBuilder, WhatIsEqualIsKeptOnce) {
  ProfileBuilder builder({{"samples", "count"}});
  const Function function{.name = builder.Intern("f"), .file = builder.Intern("f.cc")};
  EXPECT_EQ(builder.AddFunction(function), builder.AddFunction(function));
  const Mapping mapping{.start = 1, .limit = 9, .file = builder.Intern("/bin/f")};
  EXPECT_EQ(builder.AddMapping(mapping), builder.AddMapping(mapping));
  const Line line{builder.AddFunction(function), 3, 0};
  Location location;
  location.address = 5;
  location.lines = std::span(&line, 1);
  const LocationId id = builder.AddLocation(location);
  EXPECT_EQ(builder.AddLocation(location), id);
  location.address = 6;
  EXPECT_NE(builder.AddLocation(location), id);
  const Label label = builder.NumberLabel("bytes", 8, "bytes");
  const LabelSetId labels = builder.AddLabels({&label, 1});
  EXPECT_EQ(builder.AddLabels({&label, 1}), labels);
  EXPECT_EQ(builder.AddLabels({}), kNoLabels);
  const StackId stack = builder.AddStack(std::vector{id});
  builder.AddSample(stack, labels, {2});
  builder.AddSample(stack, kNoLabels, {3});
  builder.AddSample(stack, labels, {4});

  const Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.sample_count(), 2U);
  EXPECT_EQ(profile.value(0, 0), 6);
  EXPECT_EQ(profile.value(1, 0), 3);
  EXPECT_EQ(profile.Total(0), 9);
  EXPECT_EQ(profile.records(), 3U);
  EXPECT_EQ(profile.functions().size(), 1U);
}

TEST(ProfileBuilder, ASampleTypeThatCountsPeriodsCountsNoRecords) {
  for (const std::uint64_t records : {88U, 90U}) {
    ProfileBuilder builder({{"samples", "count"}, {"cpu", "nanoseconds"}});
    builder.AddSample(kEmptyStack, kNoLabels, {90, 900}, std::nullopt);
    builder.SetRecords(records);
    const Profile profile = std::move(builder).Build();
    EXPECT_EQ(profile.records(), records);
    EXPECT_EQ(profile.record_type().has_value(), records == 90);
    EXPECT_EQ(profile.records(0).has_value(), records == 90);
  }
}

TEST(ProfileBuilder, TheProgramIsTheFirstMappingAndLocationsKeepTheirOwn) {
  ProfileBuilder builder({{"samples", "count"}});
  std::vector<MappingId> mappings;
  for (const char* file : {"/lib/a", "/lib/b", "/bin/program", "/lib/c"}) {
    mappings.push_back(builder.AddMapping({.start = 1, .limit = 9, .file = builder.Intern(file)}));
    builder.AddLocation({.mapping = mappings.back(), .address = 5, .lines = {}});
  }
  builder.AddLocation({.address = 5, .lines = {}});

  const Profile profile = std::move(builder).Build(mappings[2]);
  const auto file = [&](std::uint32_t number) {
    return profile.text(profile.mapping(MappingId{number}).file);
  };
  EXPECT_EQ(file(0), "/bin/program");
  EXPECT_EQ(file(1), "/lib/a");
  EXPECT_EQ(file(2), "/lib/b");
  EXPECT_EQ(file(3), "/lib/c");
  std::vector<std::string_view> files;
  for (std::uint32_t i = 0; i < 4; ++i) {
    files.push_back(profile.text(profile.mapping(profile.location(LocationId{i}).mapping).file));
  }
  EXPECT_EQ(files, (std::vector<std::string_view>{"/lib/a", "/lib/b", "/bin/program", "/lib/c"}));
  EXPECT_EQ(profile.location(LocationId{4}).mapping, kNoMapping);
}

TEST(ProfileBuilder, AMappingKnowsWhatAnyThatIsTheSameKnew) {
  ProfileBuilder builder({{"samples", "count"}});
  Mapping mapping{.start = 1, .limit = 9, .file = builder.Intern("/bin/f")};
  const MappingId id = builder.AddMapping(mapping);
  builder.mapping(id).has_functions = true;
  EXPECT_EQ(builder.AddMapping(mapping), id);
  mapping.has_filenames = true;
  EXPECT_EQ(builder.AddMapping(mapping), id);
  EXPECT_TRUE(builder.mapping(id).has_functions);
  EXPECT_TRUE(builder.mapping(id).has_filenames);
  mapping.offset = 4096;
  EXPECT_NE(builder.AddMapping(mapping), id);
}

TEST(ProfileBuilder, TotalsAreThoseOfTheCallsHoweverManyReserved) {
  for (const std::size_t reserved : {0U, 10U, 5'000U}) {
    ProfileBuilder builder({{"a", "count"}, {"b", "count"}});
    builder.ReserveSamples(reserved);
    for (int i = 0; i < 3'000; ++i) {
      const LocationId frame = builder.FrameNamed("f" + std::to_string(i % 900));
      const StackId stack = builder.Extend(kEmptyStack, frame);
      builder.PrefetchSample(stack, kNoLabels);
      builder.AddSample(stack, kNoLabels, {1, i});
    }
    const Profile profile = std::move(builder).Build();
    EXPECT_EQ(profile.sample_count(), 900U);
    EXPECT_EQ(profile.Total(0), 3'000);
    EXPECT_EQ(profile.Total(1), 3'000 * 2'999 / 2);
  }
}

TEST(ProfileBuilder, ASumBeyondTheRangeStopsThereAndIsCounted) {
  ProfileBuilder builder({{"a", "count"}});
  builder.AddSample(kEmptyStack, kNoLabels, {INT64_MAX});
  builder.AddSample(kEmptyStack, kNoLabels, {1});
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.Total(0), INT64_MAX);
  EXPECT_EQ(profile.losses().CountOf("value overflow"), 1U);
}

TEST(ProfileBuilder, ATotalBeyondTheRangeIsCounted) {
  ProfileBuilder builder({{"samples", "count"}});
  for (const char* name : {"a", "b"}) {
    builder.AddSample(builder.Extend(kEmptyStack, builder.FrameNamed(name)), kNoLabels,
                      {INT64_MAX});
  }
  EXPECT_EQ(std::move(builder).Build().losses().TotalIn("totals"), 1U);
}

TEST(Losses, CausesAddUpAndKeepTheirFirstPlaces) {
  Losses losses;
  for (int i = 1; i <= 8; ++i) losses.Add("bad", "lines", 1, "line " + std::to_string(i));
  losses.Add("bad", "samples", 2);
  losses.Add("nothing", "lines", 0);
  Losses sum;
  sum.Add(losses);
  sum.Add(losses);
  EXPECT_EQ(sum.CountOf("bad"), 20U);
  EXPECT_EQ(sum.TotalIn("lines"), 16U);
  ASSERT_EQ(sum.entries().size(), 2U);
  EXPECT_EQ(sum.entries()[0].places.size(), Losses::kPlacesKept);
  EXPECT_EQ(sum.entries()[0].places[0], "line 1");
}

}  // namespace
}  // namespace sonde
