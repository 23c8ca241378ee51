#include "sonde/symbolize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "sonde/dwarf_lines.h"
#include "sonde/frame_names.h"
#include "sonde/profile_builder.h"

namespace sonde {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

[[gnu::noinline]] int ProbedFunction(int value) { return value * 3 + 1; }

// The mapping of this program that holds `address`.
Mapping MappingOf(std::uint64_t address, ProfileBuilder& builder) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long start = 0;
    unsigned long limit = 0;
    unsigned long offset = 0;
    char path[4096] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx %*s %*s %4095s", &start, &limit, &offset,
                    path) == 4 &&
        address >= start && address < limit) {
      return {.start = start, .limit = limit, .offset = offset, .file = builder.Intern(path)};
    }
  }
  return {};
}

// One sample in ProbedFunction, known by its address alone.
Profile AddressesOnly(const std::string& build_id) {
  ProfileBuilder builder({{"samples", "count"}});
  const auto address = reinterpret_cast<std::uint64_t>(&ProbedFunction);
  Mapping mapping = MappingOf(address, builder);
  mapping.build_id = builder.Intern(build_id);
  Location location;
  location.mapping = builder.AddMapping(mapping);
  location.address = address;
  builder.AddSample(builder.Extend(kEmptyStack, builder.AddLocation(location)), kNoLabels, {4});
  return std::move(builder).Build();
}

TEST(Symbolize, FindsFunctionFileAndLineByBuildId) {
  EXPECT_EQ(ProbedFunction(2), 7);
  const Result<DwarfLines> own = DwarfLines::Open("/proc/self/exe");
  ASSERT_TRUE(own.ok()) << own.error().message;
  const Symbolized symbolized = Symbolize(AddressesOnly(own.value().build_id()));
  EXPECT_EQ(symbolized.addresses, 1U);
  EXPECT_EQ(symbolized.found, 1U);
  const Profile& profile = symbolized.profile;
  EXPECT_EQ(profile.Total(0), 4);
  const Location location = profile.location(LocationId{0});
  ASSERT_EQ(location.lines.size(), 1U);
  const Function& function = profile.function(location.lines[0].function);
  EXPECT_THAT(std::string(profile.text(function.name)), HasSubstr("ProbedFunction"));
  EXPECT_THAT(std::string(profile.text(function.file)), EndsWith("symbolize_test.cc"));
  EXPECT_GT(location.lines[0].line, 0);
  EXPECT_TRUE(profile.mappings()[0].has_line_numbers);
}

TEST(Symbolize, AnotherBuildIsNotTakenForTheRecordedOne) {
  const Symbolized symbolized = Symbolize(AddressesOnly("c0ffee"));
  EXPECT_EQ(symbolized.found, 0U);
  ASSERT_EQ(symbolized.missing.size(), 1U);
  EXPECT_TRUE(symbolized.profile.location(LocationId{0}).lines.empty());
  EXPECT_EQ(symbolized.profile.Total(0), 4);
}

TEST(Symbolize, NamesAreThoseOfSymbolTablesAndKnownOnesStay) {
  const Result<DwarfLines> own = DwarfLines::Open("/proc/self/exe");
  ASSERT_TRUE(own.ok()) << own.error().message;
  const Profile unnamed = AddressesOnly(own.value().build_id());
  const auto name_in = [](const Profile& profile) {
    const FunctionId function = profile.location(LocationId{0}).lines[0].function;
    return std::string(profile.text(profile.function(function).name));
  };
  const std::string with_lines = name_in(Symbolize(unnamed).profile);
  EXPECT_EQ(with_lines, name_in(Symbolize(unnamed, {.source_lines = false}).profile));
  EXPECT_EQ(with_lines.find("(int)"), std::string::npos);
}

TEST(Symbolize, FilesThatNoMappingAsksForAreSaid) {
  const Symbolized symbolized =
      Symbolize(AddressesOnly("c0ffee"), {.binaries = {"/nonexistent/app", "/proc/self/exe"}});
  ASSERT_EQ(symbolized.unused.size(), 2U);
  EXPECT_THAT(symbolized.unused[0], HasSubstr("/nonexistent/app"));
  EXPECT_THAT(symbolized.unused[1], HasSubstr("build id"));
}

}  // namespace
}  // namespace sonde
