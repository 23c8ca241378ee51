// Demangle: C++ and Rust names as people write them.

#include "export/symbols/demangle.h"

#include <gtest/gtest.h>

#include "sonde/profile_builder.h"

namespace sonde::symbols {
namespace {

TEST(Demangle, TakesCppNamesApartWithTheirArguments) {
  EXPECT_EQ(Demangle("_ZN5sonde4WorkEi"), "sonde::Work(int)");
  EXPECT_EQ(Demangle("main"), "");
}

TEST(Demangle, TakesBothRustManglingsApartWithoutTheirHashes) {
  EXPECT_EQ(Demangle("_ZN4core3fmt5write17h6b8e1f6d9bb4a4d3E"), "core::fmt::write");
  EXPECT_EQ(Demangle("_RNvCskwGfYPst2Cb_3foo16example_function"), "foo::example_function");
}

TEST(DemangleRust, TakesTheHashOffNamesThatWereDemangledAsCpp) {
  EXPECT_EQ(DemangleRust("core::fmt::write::h6b8e1f6d9bb4a4d3"), "core::fmt::write");
  EXPECT_EQ(DemangleRust("_$LT$T$u20$as$u20$core..any..Any$GT$::type_id::h0123456789abcdef"),
            "<T as core::any::Any>::type_id");
  EXPECT_EQ(DemangleRust("_$LT$$RF$$u27$a$u20$I$GT$::next::h0123456789abcdef"), "<&'a I>::next");
}

TEST(DemangleRust, LeavesOtherNamesAlone) {
  EXPECT_EQ(DemangleRust("cache::hash::h1111111111111111"), "");
  EXPECT_EQ(DemangleRust("std::vector<int>::push_back"), "");
  EXPECT_EQ(DemangleRust("_ZN5sonde4WorkEi"), "");
}

TEST(ShownName, VersionsGoAndStubsStay) {
  EXPECT_EQ(ShownName("clock_gettime@@GLIBC_2.17", NameStyle::kTemplates), "clock_gettime");
  EXPECT_EQ(ShownName("_ZN5sonde4WorkEi@plt", NameStyle::kTemplates), "sonde::Work@plt");
  EXPECT_EQ(ShownName("_ZN5sonde4WorkEi@plt", NameStyle::kFull), "sonde::Work(int)@plt");
  EXPECT_EQ(ShownName("_ZN5sonde4WorkEi@plt", NameStyle::kSymbols), "_ZN5sonde4WorkEi@plt");
}

TEST(WithNames, NamesFollowTheSymbolsWhereTheyAreKnown) {
  ProfileBuilder builder({{"samples", "count"}});
  const auto add = [&](std::string_view name, std::string_view symbol) {
    const Line line{
        builder.AddFunction({.name = builder.Intern(name), .system_name = builder.Intern(symbol)}),
        0, 0};
    const LocationId at = builder.AddLocation({.lines = std::span(&line, 1)});
    builder.AddSample(builder.Extend(kEmptyStack, at), kNoLabels, {1});
  };
  add("sonde::Sort", "_ZN5sonde4SortIiEEvPT_");
  add("_ZN5sonde4WorkEi", "");
  add("main.(*T).run", "");
  add("java.lang.Object@1", "java.lang.Object@1");
  const Profile profile = std::move(builder).Build();
  const auto names = [&](NameStyle style) {
    const Profile named = WithNames(profile, style);
    EXPECT_EQ(named.Total(0), 4);
    std::vector<std::string> all;
    for (const Function& function : named.functions()) {
      all.emplace_back(named.text(function.name));
    }
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(NameStyle::kSymbols), (Names{"_ZN5sonde4SortIiEEvPT_", "_ZN5sonde4WorkEi",
                                               "main.(*T).run", "java.lang.Object@1"}));
  EXPECT_EQ(names(NameStyle::kTemplates),
            (Names{"sonde::Sort<int>", "sonde::Work", "main.(*T).run", "java.lang.Object@1"}));
  EXPECT_EQ(names(NameStyle::kFull), (Names{"void sonde::Sort<int>(int*)", "sonde::Work(int)",
                                            "main.(*T).run", "java.lang.Object@1"}));
  // There and back.
  const Profile symbols = WithNames(WithNames(profile, NameStyle::kFull), NameStyle::kSymbols);
  EXPECT_EQ(symbols.name(FunctionId{1}), "_ZN5sonde4WorkEi");
}

}  // namespace
}  // namespace sonde::symbols
