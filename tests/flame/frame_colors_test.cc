#include "export/flame/frame_colors.h"

#include <gtest/gtest.h>

namespace sonde {
namespace {

char HueOf(std::string name, std::string module = {}, FrameKind kind = FrameKind::kUser) {
  return ColorByModule({.name = std::move(name), .module = std::move(module), .kind = kind}).hue;
}

bool IsOwn(char hue) { return hue >= 'a' && hue <= 'e'; }
bool IsLibrary(char hue) { return hue >= 'f' && hue <= 'k'; }

TEST(FrameColors, TellOwnCodeLibrariesRuntimeAndKernelApart) {
  EXPECT_TRUE(IsOwn(HueOf("app::Serve(int)", "server")));
  EXPECT_TRUE(IsOwn(HueOf("net/http.(*conn).serve")));
  EXPECT_TRUE(IsOwn(HueOf("org/example/Main.run", "perf-12.map", FrameKind::kJit)));
  EXPECT_TRUE(IsLibrary(HueOf("deflate", "libz.so.1.2.13")));
  EXPECT_TRUE(IsLibrary(HueOf("std::sort<int*>(int*, int*)")));
  EXPECT_TRUE(IsLibrary(HueOf("unsigned long std::rotl<unsigned long>(unsigned long, int)")));
  EXPECT_TRUE(IsLibrary(HueOf("java/util/HashMap.get")));
  EXPECT_EQ(HueOf("malloc", "libc.so.6"), 'r');
  EXPECT_EQ(HueOf("runtime.mallocgc"), 'r');
  EXPECT_EQ(HueOf("do_syscall_64", "[kernel.kallsyms]", FrameKind::kKernel), 'm');
  EXPECT_EQ(HueOf("[unknown]", "", FrameKind::kUnknown), 'x');
}

TEST(FrameColors, APackageHasOneHue) {
  EXPECT_EQ(HueOf("json::Parse(int)"), HueOf("json::Reader::Next()"));
  EXPECT_EQ(HueOf("inflate", "libz.so.1"), HueOf("deflate", "libz.so.1"));
}

TEST(FrameColors, ChangeRunsFromVanishedOverSameToNew) {
  EXPECT_EQ(ColorOfChange(10, 0), 0);
  EXPECT_EQ(ColorOfChange(10, 10), 6);
  EXPECT_EQ(ColorOfChange(0, 10), 12);
  EXPECT_EQ(ColorOfChange(0, 0), 6);
  EXPECT_LT(ColorOfChange(100, 90), 6);
  EXPECT_GT(ColorOfChange(90, 100), 6);
}

}  // namespace
}  // namespace sonde
