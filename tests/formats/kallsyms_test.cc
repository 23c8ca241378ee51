// Kallsyms: which of the lines are functions, in what order, and which name an address has.

#include "export/symbols/kallsyms.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace sonde::symbols {
namespace {

constexpr std::string_view kText =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000000 T __startup\n"
    "ffffffff81000000 W startup_of_all\n"
    "ffffffff81000000 t _text\n"
    "ffffffff81000100 t local\n"
    "ffffffff81000100 D data\n"
    "ffffffff81000200 t __pfx_padded\n"
    "ffffffff81000210 t padded\n"
    "not a line\n"
    "ffffffffc0000200 t second\t[module]\n"
    "ffffffffc0000100 t first\t[module]";

TEST(Kallsyms, AFunctionReachesUpToTheNextOneWhateverTheOrderOfTheLines) {
  const Kallsyms symbols(kText);
  EXPECT_EQ(symbols.Find(0xffff'ffff'8000'0000), "");
  EXPECT_EQ(symbols.Find(0xffff'ffff'8100'00ff), "_text");
  EXPECT_EQ(symbols.Find(0xffff'ffff'8100'01ff), "local");
  EXPECT_EQ(symbols.Find(0xffff'ffff'c000'01ff), "first");
  EXPECT_EQ(symbols.Find(0xffff'ffff'c000'0200), "second");
}

TEST(Kallsyms, ThePaddingInFrontOfAFunctionIsItsOwn) {
  const Kallsyms symbols(kText);
  EXPECT_EQ(symbols.Find(0xffff'ffff'8100'020f), "padded");
  EXPECT_EQ(symbols.Find(0xffff'ffff'8100'0210), "padded");
}

TEST(Kallsyms, EveryNameOfAnAddressTellsItsStart) {
  const Kallsyms symbols(kText);
  EXPECT_EQ(symbols.StartOf("startup_of_all"), 0xffff'ffff'8100'0000);
  EXPECT_EQ(symbols.StartOf("first"), 0xffff'ffff'c000'0100);
  EXPECT_FALSE(symbols.StartOf("data").has_value());
}

TEST(Kallsyms, WhatIsCutOffAnywhereIsReadAsFarAsItGoes) {
  for (std::size_t size = 0; size <= kText.size(); ++size) {
    const std::string text(kText.substr(0, size));
    const Kallsyms symbols{std::string_view(text)};
    symbols.Find(UINT64_MAX);
    symbols.StartOf("none");
  }
}

TEST(Kallsyms, AListWithoutAddressesIsNone) {
  const std::string path = testing::TempDir() + "/kallsyms-without-addresses";
  std::ofstream(path) << "0000000000000000 T _text\n";
  EXPECT_FALSE(Kallsyms::Open(path).has_value());
  EXPECT_FALSE(Kallsyms::Open(path + "-missing").has_value());
  std::ofstream(path) << kText;
  const auto symbols = Kallsyms::Open(path);
  ASSERT_TRUE(symbols.has_value());
  EXPECT_EQ(symbols->Find(0xffff'ffff'8100'0150), "local");
}

}  // namespace
}  // namespace sonde::symbols
