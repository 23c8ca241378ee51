#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "sonde/formats.h"
#include "sonde/frame_names.h"
#include "sonde/heap_text.h"
#include "tests/support/text_of.h"

namespace sonde {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Words(const std::vector<std::uint64_t>& words, std::size_t size, bool big_endian) {
  std::string bytes;
  for (const std::uint64_t word : words) {
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t shift = 8 * (big_endian ? size - 1 - i : i);
      bytes += static_cast<char>((word >> shift) & 0xff);
    }
  }
  return bytes;
}

constexpr std::string_view kMap = "00400000-00500000 r-xp 00001000 08:01 123 /bin/app\n";

// Two stacks, one of them twice.
std::string CpuProfile(std::size_t size, bool big_endian, bool trailer = true) {
  std::vector<std::uint64_t> words{0, 3, 0, 10'000, 0};
  words.insert(words.end(), {5, 3, 0x401000, 0x401100, 0x401200});
  words.insert(words.end(), {2, 3, 0x401000, 0x401100, 0x401200});
  words.insert(words.end(), {1, 1, 0x401500});
  if (trailer) words.insert(words.end(), {0, 1, 0});
  return Words(words, size, big_endian) + std::string(trailer ? kMap : "");
}

std::string AddressesOf(const Profile& profile) {
  StringSink sink;
  const FrameNames names(profile, Granularity::kAddresses);
  EXPECT_TRUE(WriteFolded(names, 0, sink).ok());
  return sink.text();
}

Profile Read(std::string_view bytes) {
  Result<Profile> profile = ReadProfile(bytes);
  EXPECT_TRUE(profile.ok()) << (profile.ok() ? "" : profile.error().message);
  return std::move(profile).value();
}

TEST(CpuProfile, AProfileBehindTheFirstIsAnErrorNotASilence) {
  const std::string twice = CpuProfile(8, false) + CpuProfile(8, false);
  EXPECT_EQ(ReadProfile(twice).error().code, ErrorCode::kMalformed);
  const std::string heap =
      "heap profile:  1: 2 [ 3: 4] @ heapprofile\n1: 2 [3: 4] @ 0x401000\n"
      "MAPPED_LIBRARIES:\n" +
      std::string(kMap);
  EXPECT_TRUE(ReadProfile(heap).ok());
  EXPECT_EQ(ReadProfile(heap + heap).error().code, ErrorCode::kMalformed);
}

TEST(CpuProfile, EveryWordSizeAndByteOrderReadsTheSame) {
  for (const std::size_t size : {4U, 8U}) {
    for (const bool big_endian : {false, true}) {
      const Profile profile = Read(CpuProfile(size, big_endian));
      EXPECT_EQ(AddressesOf(profile),
                "0x4011ff [app];0x4010ff [app];0x401000 [app] 7\n0x401500 [app] 1\n");
      EXPECT_EQ(profile.Total(1), 80'000'000);
      EXPECT_EQ(profile.period(), 10'000'000);
      EXPECT_EQ(profile.records(), 8U);
      ASSERT_EQ(profile.mappings().size(), 1U);
      EXPECT_EQ(profile.mappings()[0].offset, 0x1000U);
    }
  }
}

TEST(CpuProfile, AFileThatBreaksOffIsReadAsFarAsItGoes) {
  const std::string whole = CpuProfile(8, false, false);
  for (const std::size_t cut : {0U, 1U, 9U}) {
    const std::string bytes = whole.substr(0, whole.size() - cut);
    const Profile profile = Read(bytes);
    EXPECT_EQ(profile.Total(0), cut == 0 ? 8 : 7);
    EXPECT_EQ(profile.losses().TotalIn("files"), 1U);
    const Result<Profile> strict = ReadProfile(bytes, {.strict = true});
    ASSERT_FALSE(strict.ok());
    EXPECT_EQ(strict.error().code, ErrorCode::kMalformed);
  }
}

TEST(CpuProfile, SymbolsOfAContainerNameCallsAndInlinedFrames) {
  const std::string container =
      "--- symbol\nbinary=/bin/app\n0x0000000000401000 outer--inner\n0x00000000004010ff "
      "caller\n0x401200 main\n---\n--- profile\n" +
      CpuProfile(8, false);
  EXPECT_EQ(FoldedOf(Read(container)), "[app] 1\nmain;caller;outer;inner 7\n");
}

TEST(CpuProfile, ALeafThatTheHandlerSawTwiceCountsOnce) {
  const std::string bytes = Words({0, 3, 0, 1'000, 0, 1, 3, 0x40, 0x40, 0x50, 0, 1, 0}, 8, false);
  EXPECT_EQ(AddressesOf(Read(bytes)), "0x4f [unknown];0x40 [unknown] 1\n");
}

TEST(HeapText, ProfilesOfEveryAllocationAreTakenAsTheyAre) {
  const Profile profile = Read(
      "heap profile:      3:     1536 [    10:     5120] @ heapprofile\n"
      "     3:     1536 [    10:     5120] @ 0x401000 0x401100\n\nMAPPED_LIBRARIES:\n" +
      std::string(kMap));
  EXPECT_EQ(AddressesOf(profile), "0x4010ff [app];0x400fff [app] 10\n");
  EXPECT_EQ(profile.Total(0), 10);
  EXPECT_EQ(profile.Total(1), 5120);
  EXPECT_EQ(profile.Total(2), 3);
  EXPECT_EQ(profile.Total(3), 1536);
  EXPECT_EQ(profile.sample_types()[profile.default_sample_type()].type, "inuse_space");
}

TEST(HeapText, SampledProfilesAreScaledUpToWhatWasAllocated) {
  const Profile profile = Read(
      "heap profile:      3:     1536 [    10:     5120] @ heap_v2/524288\n"
      "     3:     1536 [    10:     5120] @ 0x401000 0x401100\n");
  EXPECT_EQ(profile.Total(0), 10'245);
  EXPECT_EQ(profile.Total(1), 5'245'440);
  EXPECT_EQ(profile.Total(2), 3'073);
  EXPECT_EQ(profile.Total(3), 1'573'632);
  EXPECT_EQ(profile.period(), 524'288);
  // Large objects are always seen.
  const Profile large = Read(
      "heap profile: 1: 1073741824 [1: 1073741824] @ heap_v2/524288\n"
      "1: 1073741824 [1: 1073741824] @ 0x1\n");
  EXPECT_EQ(large.Total(0), 1);
  EXPECT_EQ(large.Total(1), 1'073'741'824);
}

TEST(HeapText, JemallocsVariantReadsLikeTcmallocs) {
  const Profile profile = Read(
      "heap_v2/524288\n  t*: 3: 1536 [10: 5120]\n  t3: 3: 1536 [10: 5120]\n"
      "@ 0x401000 0x401100\n  t*: 3: 1536 [10: 5120]\n  t3: 3: 1536 [10: 5120]\n\n"
      "MAPPED_LIBRARIES:\n" +
      std::string(kMap));
  EXPECT_EQ(profile.Total(0), 10'245);
  EXPECT_EQ(profile.Total(3), 1'573'632);
  EXPECT_EQ(profile.sample_count(), 1U);
}

TEST(HeapText, GrowthIsNotSampled) {
  const Profile profile = Read(
      "heap profile:      1:  1048576 [     1:  1048576] @ growthz\n"
      "     1:  1048576 [     1:  1048576] @ 0x401000 0x401100\n");
  ASSERT_EQ(profile.sample_types().size(), 2U);
  EXPECT_EQ(profile.Total(0), 1);
  EXPECT_EQ(profile.Total(1), 1'048'576);
}

TEST(HeapText, ContentionIsScaledByItsPeriodAndTheClock) {
  const Profile profile = Read(
      "--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
      "ms since reset = 1500\ndiscarded samples = 4\n  19490304       27 @ 0x401000 0x401100\n"
      "       768        1 @ 0x401000 0x401500\n");
  EXPECT_EQ(profile.Total(0), 2'800);
  EXPECT_EQ(profile.Total(1), 974'515'200 + 38'400);
  EXPECT_EQ(profile.duration_ns(), 1'500'000'000);
  EXPECT_EQ(profile.losses().TotalIn("samples"), 4U);
}

TEST(HeapText, WhatDoesNotFitStaysAtTheLimitAndIsCounted) {
  const Profile waits = Read(
      "--- contentionz 1 ---\ncycles/second = 1\nsampling period = 9000000000000000000\n"
      "ms since reset = 9000000000000000000\n 9000000000000000000 9000000000000000000 @ "
      "0x401000\n");
  EXPECT_EQ(waits.Total(0), INT64_MAX);
  EXPECT_EQ(waits.Total(1), INT64_MAX);
  EXPECT_EQ(waits.losses().CountOf("value overflow"), 1U);
  const Profile objects = Read(
      "heap profile: 9: 9 [9: 9] @ heap_v2/9000000000000000000\n"
      "9000000000000000000: 9000000000000000000 [0: 0] @ 0x1\n");
  EXPECT_EQ(objects.Total(0), INT64_MAX);
  EXPECT_EQ(objects.losses().CountOf("value overflow"), 1U);
}

TEST(HeapText, NegativeCountsAndThreadsLikeNoneAreCounted) {
  for (const char* const text :
       {"heap profile: 1: 2 [1: 2] @ heapprofile\n-1: 2 [1: 2] @ 0x1\n",
        "--- contentionz 1 ---\n-5 1 @ 0x1\n", "goroutine profile: total 1\n-1 @ 0x1\n"}) {
    const Profile profile = Read(text);
    EXPECT_EQ(profile.losses().CountOf("negative count"), 1U) << text;
    EXPECT_EQ(profile.records(), 0U) << text;
  }
  const Profile threads = Read(
      "--- threadz 1 ---\n--- Thread 1 (name: a) stack: ---\n  [same as previous thread]\n"
      "--- Thread 2 (name: b) stack: ---\n  @ 0x10\n--- Thread 3 (name: c) stack: ---\n"
      "  [same as previous thread]\n");
  EXPECT_EQ(threads.Total(0), 2);
  EXPECT_EQ(threads.records(), 2U);
  EXPECT_EQ(threads.losses().CountOf("no thread before it"), 1U);
}

TEST(HeapText, BadRecordsAreCountedWithTheirPlaces) {
  const std::string text =
      "heap profile: 1: 2 [1: 2] @ heapprofile\n1: 2 [1: 2] @ 0x1 0x2\nnonsense\n"
      "1: 2 [1: 2] @ 0x1 zz\n";
  const Profile profile = Read(text);
  EXPECT_EQ(profile.Total(1), 2);
  EXPECT_EQ(profile.losses().TotalIn("lines"), 2U);
  EXPECT_EQ(profile.losses().entries()[0].places, std::vector<std::string>{"line 3"});
  EXPECT_EQ(ReadProfile(text, {.strict = true}).error().line, 3U);
}

TEST(HeapText, LimitsAreHeld) {
  const std::string text =
      "heap profile: 1: 2 [1: 2] @ heapprofile\n1: 2 [1: 2] @ 0x10 0x20\n1: 2 [1: 2] @ 0x10 0x30\n";
  EXPECT_TRUE(
      ReadHeapText(
          text,
          {.limits = {.records = 2, .stack_depth = 2, .unique_frames = 3, .unique_stacks = 2}})
          .ok());
  EXPECT_EQ(ReadHeapText(text, {.limits = {.records = 1}}).error().code, ErrorCode::kLimit);
  EXPECT_EQ(ReadHeapText(text, {.limits = {.stack_depth = 1}}).error().code, ErrorCode::kLimit);
  EXPECT_EQ(ReadHeapText(text, {.limits = {.unique_frames = 2}}).error().code, ErrorCode::kLimit);
  EXPECT_EQ(ReadHeapText(text, {.limits = {.unique_stacks = 1}}).error().code, ErrorCode::kLimit);
}

TEST(HeapText, ThreadsAreCountedByStack) {
  const Profile profile = Read(
      "--- threadz 1 ---\n\n--- Thread 7f01 (name: main/1) stack: ---\n  PC: 0x401000 0x401100\n\n"
      "--- Thread 7f02 (name: w/2) stack: ---\n  0x401000 0x401500\n"
      "--- Thread 7f03 (name: w/3) stack: ---\n  [same as previous thread]\n"
      "--- Memory map: ---\n  00400000-00500000: /bin/app\n");
  EXPECT_EQ(AddressesOf(profile),
            "0x4010ff [app];0x401000 [app] 1\n0x4014ff [app];0x401000 [app] 2\n");
}

TEST(HeapText, OtherTextIsUnsupported) {
  EXPECT_EQ(ReadHeapText("not a heap profile\n").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(ReadHeapText("heap profile: 1: 2 [1: 2] @ martian/7\n").error().code,
            ErrorCode::kUnsupported);
}

TEST(CpuProfile, WhatPprofHasNamedTellsSamplesAlone) {
  const std::string raw =
      "--- symbol\nbinary=/bin/app\n0x401000 leaf\n0x4010ff main\n---\n--- profile\n" +
      Words({0, 3, 0, 1, 0, 7, 2, 0x401000, 0x401100}, 8, false);
  const Profile profile = Read(raw);
  EXPECT_EQ(FoldedOf(profile), "main;leaf 7\n");
  ASSERT_EQ(profile.sample_types().size(), 1U);
  EXPECT_EQ(profile.period(), 0);
  EXPECT_TRUE(profile.losses().empty());
  EXPECT_EQ(Read(raw.substr(0, raw.size() - 4)).losses().TotalIn("files"), 1U);
}

[[gnu::noinline]] int NamedByItsAddress(int value) { return value * 5 + 1; }

TEST(CpuProfile, AddressesAreNamedFromTheFilesOnDisk) {
  EXPECT_EQ(NamedByItsAddress(1), 6);
  const auto address = reinterpret_cast<std::uint64_t>(&NamedByItsAddress);
  std::ifstream file("/proc/self/maps");
  const std::string maps(std::istreambuf_iterator<char>(file), {});
  const std::string profile = Words({0, 3, 0, 1'000, 0, 2, 1, address, 0, 1, 0}, 8, false) + maps;
  EXPECT_THAT(FoldedOf(Read(profile)), HasSubstr("NamedByItsAddress 2\n"));
  const Result<Profile> bare = ReadProfile(profile, {.symbolize = false});
  EXPECT_THAT(FoldedOf(bare.value()), Not(HasSubstr("NamedByItsAddress")));
  const Result<Profile> lines = ReadProfile(profile, {.source_lines = true});
  StringSink sink;
  EXPECT_TRUE(WriteFolded(FrameNames(lines.value(), Granularity::kFiles), 0, sink).ok());
  EXPECT_THAT(sink.text(), HasSubstr("gperftools_test.cc 2\n"));
}

}  // namespace
}  // namespace sonde
