#include "sonde/label.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "sampler/current_thread.h"
#include "sampler/label_table.h"
#include "sonde/thread_context.h"

namespace sonde {
namespace {

LabelSet Current() { return LabelTable::Get().SetOf(CurrentContext().label_set.load()); }

TEST(ScopedLabel, NestsAndTheInnermostValueOfAKeyHolds) {
  {
    const ScopedLabel outer("request", "/search");
    const ScopedLabel other("tenant", "a");
    {
      const ScopedLabel inner("request", "/part");
      EXPECT_EQ(Current(), (LabelSet{{"request", "/part"}, {"tenant", "a"}}));
    }
    EXPECT_EQ(Current(), (LabelSet{{"request", "/search"}, {"tenant", "a"}}));
  }
  EXPECT_EQ(Current(), LabelSet{});
}

TEST(ScopedLabel, IsOfItsThreadAlone) {
  const ScopedLabel label("request", "/search");
  LabelSet of_other{{"not", "run"}};
  std::thread([&] { of_other = Current(); }).join();

  EXPECT_EQ(of_other, LabelSet{});
}

TEST(ScopedLabel, EqualSetsHaveOneNumber) {
  const auto number = [] {
    const ScopedLabel label("request", std::string("/sea") + "rch");
    return CurrentContext().label_set.load();
  };
  std::uint32_t of_other = 0;
  std::thread([&] { of_other = number(); }).join();

  EXPECT_EQ(number(), of_other);
}

TEST(LabelTable, BeyondItsRoomAValueIsOther) {
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < LabelTable::kMaxSets + 10; ++i) {
    last = LabelTable::Get().Intern(0, "id", std::to_string(i));
  }

  EXPECT_EQ(LabelTable::Get().SetOf(last), (LabelSet{{"id", "[other]"}}));
}

TEST(CurrentTask, IsExchangedAndOfItsThreadAlone) {
  EXPECT_EQ(ExchangeCurrentTask(7), 0U);
  std::uint64_t of_other = 1;
  std::thread([&] { of_other = ExchangeCurrentTask(9); }).join();

  EXPECT_EQ(of_other, 0U);
  EXPECT_EQ(ExchangeCurrentTask(0), 7U);
}

}  // namespace
}  // namespace sonde
