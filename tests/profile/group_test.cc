#include "sonde/group.h"

#include <gtest/gtest.h>

#include "sonde/hotspots.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

TEST(GroupByLabel, PutsTheValueOfTheLabelAboveEachStackAndKeepsTheTotal) {
  ProfileBuilder builder({{"cpu", "nanoseconds"}});
  const StackId work = builder.AddStack(std::vector{builder.FrameNamed("work")});
  const auto labels = [&](std::string_view task) {
    const Label label = builder.TextLabel("task", task);
    return builder.AddLabels(std::span(&label, 1));
  };
  builder.AddSample(work, labels("accept"), {70});
  builder.AddSample(work, labels("flush"), {30});
  builder.AddSample(work, kNoLabels, {5});
  const Profile profile = std::move(builder).Build();

  const Profile grouped = GroupByLabel(profile, "task");

  EXPECT_EQ(grouped.Total(0), 105);
  const FrameNames names(grouped);
  std::vector<std::pair<std::string, std::int64_t>> roots;
  for (const Hotspot& spot : FindHotspots(names, 0)) {
    if (spot.self == 0) roots.emplace_back(names.text(spot.name), spot.inclusive);
  }
  const std::vector<std::pair<std::string, std::int64_t>> expected{
      {"accept", 70}, {"flush", 30}, {"(no task)", 5}};
  EXPECT_EQ(roots, expected);
}

TEST(SumByLabel, LeavesOneFrameForEachValueAndKeepsTheTotal) {
  ProfileBuilder builder({{"cpu", "nanoseconds"}});
  const Label task = builder.TextLabel("task", "accept");
  const LabelSetId labels = builder.AddLabels(std::span(&task, 1));
  for (const char* const function : {"read", "accept", "parse"}) {
    builder.AddSample(builder.AddStack(std::vector{builder.FrameNamed(function)}), labels, {10});
  }
  builder.AddSample(builder.AddStack(std::vector{builder.FrameNamed("idle")}), kNoLabels, {5});

  const Profile sums = SumByLabel(std::move(builder).Build(), "task");

  EXPECT_EQ(sums.Total(0), 35);
  const FrameNames names(sums);
  std::vector<std::pair<std::string, std::int64_t>> rows;
  for (const Hotspot& spot : FindHotspots(names, 0)) {
    EXPECT_EQ(spot.self, spot.inclusive);
    rows.emplace_back(names.text(spot.name), spot.self);
  }
  const std::vector<std::pair<std::string, std::int64_t>> expected{{"accept", 30},
                                                                   {"(no task)", 5}};
  EXPECT_EQ(rows, expected);
}

}  // namespace
}  // namespace sonde
