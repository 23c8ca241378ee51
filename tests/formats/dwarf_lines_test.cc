// DwarfLines: asks the debug information of this very program about itself.

#include "sonde/dwarf_lines.h"

#include <gmock/gmock.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace sonde {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::uint64_t LoadBias() {
  std::uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        *static_cast<std::uint64_t*>(into) = info->dlpi_addr;
        return 1;  // The program comes first.
      },
      &bias);
  return bias;
}

struct Place {
  std::uint64_t pc;
  int inner_line;
};

[[gnu::always_inline]] inline Place Innermost() {
  std::uint64_t pc = 0;
  asm volatile("lea 0(%%rip), %0" : "=r"(pc));
  return {pc, __LINE__ - 1};
}

[[gnu::always_inline]] inline Place Middle() { return Innermost(); }

constexpr int kPhysicalLine = __LINE__ + 1;
[[gnu::noinline]] Place Physical() { return Middle(); }

TEST(DwarfLines, TellsInlinedFunctionsFromTheInnermostToThePhysicalOne) {
  Result<DwarfLines> lines = DwarfLines::Open("/proc/self/exe");
  if (!lines.ok()) GTEST_SKIP() << "this build has no debug information";
  const Place place = Physical();

  // The label is the instruction behind the one that reads it.
  const auto frames = lines.value().Find(place.pc - LoadBias() - 1);

  ASSERT_THAT(frames, SizeIs(3));
  EXPECT_THAT(frames[0].function, HasSubstr("sonde::(anonymous namespace)::Innermost"));
  EXPECT_EQ(frames[0].line, place.inner_line);
  EXPECT_THAT(frames[1].function, HasSubstr("Middle"));
  EXPECT_EQ(frames[1].line, kPhysicalLine - 3);
  EXPECT_THAT(frames[2].function, HasSubstr("Physical"));
  EXPECT_EQ(frames[2].line, kPhysicalLine);
  for (const SourceFrame& frame : frames) {
    EXPECT_THAT(std::string(frame.file), EndsWith("dwarf_lines_test.cc"));
  }
  EXPECT_EQ(frames[2].start_line, kPhysicalLine);
}

// What made other tools slow: they walked the unit, or asked another program, for each address.
TEST(DwarfLines, ManyAddressesOfOneUnitWalkItOnce) {
  Result<DwarfLines> lines = DwarfLines::Open("/proc/self/exe");
  if (!lines.ok()) GTEST_SKIP() << "this build has no debug information";
  const std::uint64_t place = Physical().pc - LoadBias() - 1;
  EXPECT_EQ(lines.value().indexed_units(), 0U);
  for (int round = 0; round < 1'000; ++round) EXPECT_THAT(lines.value().Find(place), SizeIs(3));

  EXPECT_EQ(lines.value().indexed_units(), 1U);
}

TEST(DwarfLines, SectionsMayBeCompressed) {
  const TemporaryFolder folder;
  const std::string path = folder / "program";
  const std::string pack = "objcopy --compress-debug-sections=zlib /proc/" +
                           std::to_string(getpid()) + "/exe '" + path + "' 2>/dev/null";
  if (std::system(pack.c_str()) != 0) GTEST_SKIP() << "objcopy does not compress here";
  Result<DwarfLines> lines = DwarfLines::Open(path);
  if (!lines.ok()) GTEST_SKIP() << "this build has no debug information";

  const auto frames = lines.value().Find(Physical().pc - LoadBias() - 1);

  ASSERT_THAT(frames, SizeIs(3));
  EXPECT_EQ(frames[2].line, kPhysicalLine);
}

TEST(DwarfLines, AFileThatIsCutWhileItIsReadDoesNotEndTheProgram) {
  const TemporaryFolder folder;
  const std::string path = folder / "program";
  std::filesystem::copy_file("/proc/self/exe", path);
  Result<DwarfLines> lines = DwarfLines::Open(path);
  if (!lines.ok()) GTEST_SKIP() << "this build has no debug information";

  std::filesystem::resize_file(path, 64);
  const std::uint64_t place = Physical().pc - LoadBias() - 1;
  static_cast<void>(lines.value().Find(place));
  EXPECT_FALSE(DwarfLines::Open(path).ok());
}

TEST(DwarfLines, AnAddressOutsideOfAllUnitsHasNoFunctions) {
  Result<DwarfLines> lines = DwarfLines::Open("/proc/self/exe");
  if (!lines.ok()) GTEST_SKIP() << "this build has no debug information";

  EXPECT_THAT(lines.value().Find(0), SizeIs(0));
  EXPECT_THAT(lines.value().Find(UINT64_MAX), SizeIs(0));
}

TEST(DwarfLines, AFileThatIsNotElfIsMalformed) {
  const Result<DwarfLines> lines = DwarfLines::Open(SONDE_SOURCE_DIR "/CMakeLists.txt");

  ASSERT_FALSE(lines.ok());
  EXPECT_EQ(lines.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(DwarfLines::Open("/no/such/file").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace sonde
