#include "sonde/heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sonde/hotspots.h"

namespace sonde {

// Holds 64 MiB in pieces, so that tcmalloc's sampling sees many of them.
[[gnu::noinline]] std::vector<std::unique_ptr<char[]>> HoldMemory() {
  std::vector<std::unique_ptr<char[]>> pieces;
  for (int i = 0; i < 1024; ++i) pieces.push_back(std::make_unique<char[]>(64 << 10));
  return pieces;
}

namespace {

using ::testing::HasSubstr;

#ifdef ON_TCMALLOC

TEST(Heap, NamesWhoHoldsTheMemoryAndHowMuch) {
  const auto pieces = HoldMemory();

  Result<HeapProfile> heap = ReadTcmallocHeap(HeapKind::kInUse);

  ASSERT_TRUE(heap.ok()) << heap.error().message;
  const Profile profile = std::move(heap.value().profile).Build();
  const std::size_t space = profile.FindSampleType("inuse_space").value();
  ASSERT_TRUE(profile.FindSampleType("inuse_objects").has_value());
  const FrameNames names(profile);
  std::int64_t held = 0;
  for (const Hotspot& spot : FindHotspots(names, space)) {
    if (names.text(spot.name) == "sonde::HoldMemory()") held = spot.inclusive;
  }
  // 128 of 1,024 pieces are seen at 512 KiB a sample, so a standard error is 1/sqrt(128) of the
  // whole; five of them are 44 %.
  EXPECT_GT(held, 36 << 20);
  EXPECT_LT(held, 92 << 20);
  EXPECT_GT(heap.value().objects, 0U);
}

TEST(Heap, GrowthIsThereToo) {
  const auto pieces = HoldMemory();
  const Result<HeapProfile> growth = ReadTcmallocHeap(HeapKind::kGrowth);
  EXPECT_TRUE(growth.ok()) << growth.error().message;
}

#else

TEST(Heap, WithoutTcmallocItIsClearlyNotAvailable) {
  const Result<HeapProfile> heap = ReadTcmallocHeap(HeapKind::kInUse);

  ASSERT_FALSE(heap.ok());
  EXPECT_EQ(heap.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(heap.error().message, HasSubstr("not available"));
}

#endif

}  // namespace
}  // namespace sonde
