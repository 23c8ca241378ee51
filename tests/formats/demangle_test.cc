// Demangle: C++ and Rust names as people write them.

#include "export/symbols/demangle.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sonde::symbols
