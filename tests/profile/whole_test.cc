#include "sonde/whole.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "sonde/profile_builder.h"

namespace sonde {
namespace {

// One sample for each value; those below 0 are of the base where `marks_base`.
Profile ProfileOf(const std::vector<std::int64_t>& values, bool marks_base) {
  ProfileBuilder builder({{"cpu", "nanoseconds"}});
  const Label base = builder.TextLabel("pprof::base", "true");
  const LabelSetId of_base = builder.AddLabels({&base, 1});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const LocationId frame = builder.FrameNamed("f" + std::to_string(i));
    builder.AddSample(builder.Extend(kEmptyStack, frame),
                      marks_base && values[i] < 0 ? of_base : kNoLabels, {values[i]});
  }
  return std::move(builder).Build();
}

TEST(Whole, IsTheTotalUntilAValueIsNegative) {
  const Whole plain = WholeOf(ProfileOf({3, 4}, false), 0);
  EXPECT_EQ(plain.value, 7);
  EXPECT_FALSE(plain.has_negative);

  const Whole difference = WholeOf(ProfileOf({3, -4}, false), 0);
  EXPECT_EQ(difference.value, 7);
  EXPECT_TRUE(difference.has_negative);
  EXPECT_FALSE(difference.is_base);

  const Whole marked = WholeOf(ProfileOf({3, -4}, true), 0);
  EXPECT_EQ(marked.value, 4);
  EXPECT_TRUE(marked.is_base);
}

TEST(Whole, StaysAtTheLargestValue) {
  EXPECT_EQ(WholeOf(ProfileOf({INT64_MIN, INT64_MAX}, false), 0).value, INT64_MAX);
}

}  // namespace
}  // namespace sonde
