#include "sampler/rule_cache.h"

#include <gtest/gtest.h>

#include <memory>

namespace sonde {
namespace {

UnwindRule RuleOf(std::uint64_t number) {
  return UnwindRule::FromBits(number << 16 | UnwindRule::kCfaFromRsp);
}

TEST(RuleCache, OneAddressInTwoModulesHasTwoRules) {
  const auto cache = std::make_unique<RuleCache>();

  cache->Store(0x7f00'0000'1000, 3, RuleOf(8));

  EXPECT_EQ(cache->Find(0x7f00'0000'1000, 3).bits(), RuleOf(8).bits());
  EXPECT_EQ(cache->Find(0x7f00'0000'1000, 4).kind(), UnwindRule::kUnset);
}

TEST(RuleCache, WhatItFindsIsWhatWasStoredHoweverFull) {
  const auto cache = std::make_unique<RuleCache>();
  for (std::uint64_t pc = 0; pc < 100'000; ++pc) cache->Store(0x40'0000 + pc, 1, RuleOf(pc));

  std::uint64_t found = 0;
  for (std::uint64_t pc = 0; pc < 100'000; ++pc) {
    const UnwindRule rule = cache->Find(0x40'0000 + pc, 1);
    if (rule.kind() == UnwindRule::kUnset) continue;
    ++found;
    ASSERT_EQ(rule.bits(), RuleOf(pc).bits());
  }
  EXPECT_GT(found, 4'000U);
}

}  // namespace
}  // namespace sonde
