#include "sonde/hotspots.h"

#include <gtest/gtest.h>

#include "sonde/profile_builder.h"

namespace sonde {
namespace {

TEST(Hotspots, RecursionCountsAFunctionOnceInItsInclusiveWeight) {
  ProfileBuilder builder({{"cpu", "nanoseconds"}});
  const LocationId main = builder.FrameNamed("main");
  const LocationId walk = builder.FrameNamed("walk");
  builder.AddSample(builder.AddStack(std::vector{main, walk, walk, walk}), kNoLabels, {5});
  const Profile profile = std::move(builder).Build();
  const FrameNames names(profile);

  const std::vector<Hotspot> spots = FindHotspots(names, 0);

  ASSERT_EQ(spots.size(), 2U);
  EXPECT_EQ(names.text(spots[0].name), "walk");
  EXPECT_EQ(spots[0].self, 5);
  EXPECT_EQ(spots[0].inclusive, 5);
  EXPECT_EQ(spots[0].occurrences, 3U);
}

TEST(Hotspots, SelfWeightsAddUpToTheProfile) {
  ProfileBuilder builder({{"cpu", "nanoseconds"}});
  const LocationId a = builder.FrameNamed("a");
  const LocationId b = builder.FrameNamed("b");
  builder.AddSample(builder.AddStack(std::vector{a}), kNoLabels, {3});
  builder.AddSample(builder.AddStack(std::vector{a, b}), kNoLabels, {4});
  builder.AddSample(builder.AddStack(std::vector{b, a}), kNoLabels, {7});
  const Profile profile = std::move(builder).Build();
  const FrameNames names(profile);

  std::int64_t self = 0;
  for (const Hotspot& spot : FindHotspots(names, 0)) self += spot.self;

  EXPECT_EQ(self, profile.Total(0));
}

}  // namespace
}  // namespace sonde
