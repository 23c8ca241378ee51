#include "sonde/source_resolution.h"

#include <gtest/gtest.h>

#include "evidence/symbolizer_tool.h"

namespace sonde {
namespace {

TEST(MappedRange, IsWhatProcMapsSaysAndNeverWraps) {
  const Result<MappedRange> range = ParseMappedRange("0x1000-3000@2000");
  ASSERT_TRUE(range.ok());
  EXPECT_EQ(range.value().end, 0x3000U);
  EXPECT_TRUE(ParseMappedRange("0-ffffffffffffffff@0").ok());
  EXPECT_TRUE(ParseMappedRange("1000-2000@ffffffffffffefff").ok());
  for (const char* text :
       {"1000-2000@fffffffffffff001", "1000-ffffffffffffffff@ffffffffffffffff", "1000-1000@0",
        "2000-1000@0", "1000-10000000000000000@0", "1000@0-2000", "-1000@0", "1000-2000", ""}) {
    const Result<MappedRange> refused = ParseMappedRange(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalid);
  }
}

// What binutils 2.40, elfutils 0.188 and LLVM 14 print for --version.
TEST(SymbolizerTool, ItsVersionIsTheLineThatHasIt) {
  EXPECT_EQ(
      VersionLine("GNU addr2line (GNU Binutils for Debian) 2.40\n"
                  "Copyright (C) 2023 Free Software Foundation, Inc.\n"
                  "This program is free software; you may redistribute it under the terms of\n"
                  "the GNU General Public License version 3 or (at your option) any later "
                  "version.\n"),
      "GNU addr2line (GNU Binutils for Debian) 2.40");
  EXPECT_EQ(VersionLine("eu-addr2line (elfutils) 0.188\nCopyright (C) 2022 Red Hat, Inc.\n"),
            "eu-addr2line (elfutils) 0.188");
  EXPECT_EQ(VersionLine("llvm-symbolizer\nLLVM (http://llvm.org/):\n  LLVM version 14.0.6\n"),
            "LLVM version 14.0.6");
  EXPECT_EQ(VersionLine("no numbers. 3\n"), "unknown");
  EXPECT_EQ(VersionLine(""), "unknown");
}

}  // namespace
}  // namespace sonde
