#include <gtest/gtest.h>

#include <random>
#include <string>

#include "sonde/hash_index.h"
#include "sonde/stack_table.h"
#include "sonde/string_table.h"

namespace sonde {
namespace {

TEST(StringTable, EqualTextsHaveEqualIdsInOrderOfFirstAppearance) {
  StringTable table;
  EXPECT_EQ(table.Intern(""), StringId{0});
  const StringId a = table.Intern("a");
  const StringId b = table.Intern(std::string("b\0c", 3));
  EXPECT_EQ(table.Intern("a"), a);
  EXPECT_EQ(a, StringId{1});
  EXPECT_EQ(b, StringId{2});
  EXPECT_EQ(table.text(b), std::string_view("b\0c", 3));
  EXPECT_EQ(table.Find("a"), a);
  EXPECT_EQ(table.Find("nowhere"), std::nullopt);
  EXPECT_EQ(table.size(), 3U);
}

TEST(StringTable, ViewsStayValidWhileTheTableGrowsAndMoves) {
  StringTable table;
  const std::string long_text(200'000, 'x');
  const std::string_view kept = table.text(table.Intern("kept"));
  const std::string_view large = table.text(table.Intern(long_text));
  for (int i = 0; i < 50'000; ++i) table.Intern("name " + std::to_string(i));
  const StringTable moved = std::move(table);
  EXPECT_EQ(kept, "kept");
  EXPECT_EQ(large, long_text);
  EXPECT_EQ(moved.text(*moved.Find("name 49999")), "name 49999");
  EXPECT_GT(moved.bytes(), long_text.size());
}

TEST(StackTable, EqualStacksHaveEqualIdsAndCallersSmallerOnes) {
  StackTable table;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    StackId stack = kEmptyStack;
    std::vector<LocationId> frames;
    for (std::size_t n = random() % 12; n > 0; --n) {
      frames.push_back(LocationId{static_cast<std::uint32_t>(random() % 40)});
      const StackId extended = table.Extend(stack, frames.back());
      EXPECT_LT(stack, extended);
      EXPECT_EQ(table.caller(extended), stack);
      EXPECT_EQ(table.leaf(extended), frames.back());
      EXPECT_EQ(table.Extend(stack, frames.back()), extended);
      stack = extended;
    }
    EXPECT_EQ(table.Frames(stack), frames);
    EXPECT_EQ(table.Depth(stack), frames.size());
  }
  EXPECT_EQ(table.Depth(kEmptyStack), 0U);
  EXPECT_GE(table.bytes(), table.size() * 8);
}

TEST(StackTable, AFinishedOneHoldsLessAndKnowsItsStacksAsBefore) {
  StackTable table;
  StackId stack = kEmptyStack;
  for (std::uint32_t i = 0; i < 5'000; ++i) stack = table.Extend(stack, LocationId{i % 7});
  const std::size_t bytes = table.bytes();
  table.Finish();
  EXPECT_LT(table.bytes(), bytes);
  EXPECT_EQ(table.Depth(stack), 5'000U);

  StackId again = kEmptyStack;
  for (std::uint32_t i = 0; i < 5'000; ++i) again = table.Extend(again, LocationId{i % 7});
  EXPECT_EQ(again, stack);
  EXPECT_EQ(table.size(), 5'001U);
}

TEST(HashIndex, EqualHashesAreToldApartByTheirKeys) {
  HashIndex index;
  for (std::uint32_t i = 0; i < 5'000; ++i) index.Add(i % 7, i);
  for (std::uint32_t i = 0; i < 5'000; i += 97) {
    EXPECT_EQ(index.Find(i % 7, [&](std::uint32_t number) { return number == i; }), i);
  }
  EXPECT_EQ(index.Find(3, [](std::uint32_t) { return false; }), HashIndex::kNone);
}

}  // namespace
}  // namespace sonde
